package report_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"worstcase/results"
	"worstcase/results/compare"
	"worstcase/results/plot"
	"worstcase/results/report"
)

// run makes a reproducible run of one series with a spike in its middle.
func run(label string, seed uint64, seconds int, base float64, spike int64) (*results.Run, *plot.Columns) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	r, columns := &results.Run{Source: label + ".run"}, new(plot.Columns)
	put := func(rec results.Record) {
		if err := r.Put(rec); err != nil {
			panic(err)
		}
		if err := columns.Put(rec); err != nil {
			panic(err)
		}
	}
	put(&results.Header{
		Tool: "latency", Label: label, Series: []results.SeriesInfo{{ID: 0, Labels: results.Labels{"cpu": "1"}}},
		Config: map[string]any{"period_ns": 100000, "policy": "SCHED_FIFO", "priority": 99},
		Host:   results.Facts{"kernel.release": label, "cpu.model": "Cortex-A72", "kernel.preempt": "full", "kernel.cmdline": "isolcpus=1"},
	})
	for s := range seconds {
		v := results.Interval{At: int64(s+1) * 1e9, Seconds: 1}
		v.Histogram = new(results.Histogram)
		for k := range 1000 {
			ns := int64(base * (0.6 + math.Exp(0.35*rnd.NormFloat64())))
			if spike > 0 && s == seconds/2 && k == 500 {
				ns = spike
			}
			if v.Count++; v.Count == 1 || ns < v.Min {
				v.Min = ns
			}
			if ns > v.Max {
				v.Max, v.MaxAt = ns, int64(s)*1e9+int64(k)*1e6
			}
			v.Sum += ns
			v.Histogram.Record(ns)
		}
		put(&v)
	}
	if spike > 0 {
		put(&results.Spike{At: int64(seconds/2)*1e9 + 5e8, Latency: spike, Blamed: "irq 34 eth0", Stages: map[string]int64{"irq": spike - 4000, "switch": 4000}})
	}
	totals := make([]results.Total, len(r.Totals()))
	copy(totals, r.Totals())
	verdict := results.Pass
	if totals[0].Max > 150000 {
		verdict = results.Fail
	}
	put(&results.End{
		Reason: "duration", Seconds: float64(seconds), Series: totals, Verdict: verdict,
		After: results.Figures{"irq.LOC": 12345, "steal_ns": 0, "context_switches": 777},
		Gates: []results.Gate{{Name: "max", Limit: 150000, Value: float64(totals[0].Max), Unit: "ns", Pass: totals[0].Max <= 150000}},
	})
	return r, columns
}

func fourRuns() (p report.Page) {
	for i := range 4 {
		spike := int64(0)
		if i == 2 {
			spike = 1_043_000
		}
		r, c := run(fmt.Sprintf("6.1.0-%d-rt", 57+i), uint64(i), 40, 4000*(1+0.2*float64(i)), spike)
		p.Runs, p.Columns = append(p.Runs, r), append(p.Columns, c)
	}
	return p
}

func write(t *testing.T, p report.Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPageHoldsEverything(t *testing.T) {
	p := fourRuns()
	c, err := compare.Compare(compare.Side{Runs: p.Runs[:1]}, compare.Side{Runs: p.Runs[1:2]}, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p.Comparisons = append(p.Comparisons, c)
	page := write(t, p)
	square(t, page)
	for _, want := range []string{
		"<title>latency: 6.1.0-57-rt, 6.1.0-58-rt, 6.1.0-59-rt, 6.1.0-60-rt</title>",
		"4 runs · Cortex-A72", "6.1.0-58-rt compared with 6.1.0-57-rt", "no verdict", "1043.000", "irq 34 eth0", "context_switches",
		"kernel.cmdline", "isolcpus=1", "The MIT License", "(v1.6.32)", "Content-Security-Policy",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "steal_ns") {
		t.Error("the page shows what did not change")
	}
	if page != write(t, p) {
		t.Error("the same runs gave two different pages")
	}
}

// records makes a run of records.
func records(t *testing.T, list ...results.Record) *results.Run {
	t.Helper()
	r := new(results.Run)
	for _, rec := range list {
		if err := r.Put(rec); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// cell is a run of a transport with one size.
func cell(t *testing.T, transport, size string, us int64) *results.Run {
	t.Helper()
	info := results.SeriesInfo{Labels: results.Labels{"transport": transport, "size": size, "rate": "100", "what": "service"}}
	v := &results.Interval{At: 1e9, Seconds: 1}
	v.Histogram = new(results.Histogram)
	v.Histogram.RecordN(us*1000, 100)
	v.Count, v.Min, v.Max, v.Sum = 100, us*1000, us*1000, us*100_000
	total := results.Total{SeriesInfo: info, Tally: v.Tally}
	return records(t, &results.Header{Tool: "transport", Label: "here", Series: []results.SeriesInfo{info}}, v,
		&results.End{Seconds: 1, Verdict: results.Pass, Series: []results.Total{total}, After: results.Figures{plot.FigureCPU: 5.5, plot.FigureMemory: 250 << 20, plot.FigureLoss: 0.5}})
}

// square checks that every row of every table has a field for each heading.
func square(t *testing.T, page string) {
	t.Helper()
	for _, table := range strings.Split(page, "<thead>")[1:] {
		table, _, _ = strings.Cut(table, "</table>")
		heading := strings.Count(table, "<th>") + strings.Count(table, "<th ")
		for i, row := range strings.Split(table, "<tr>")[2:] {
			if n := strings.Count(row, "<td"); n != heading {
				t.Errorf("row %d has %d fields under %d headings: %.300s", i, n, heading, table)
			}
		}
	}
}

// TestPageSaysWhatContradicts reads a run whose verdict says nothing of figures
// that can't be true.
func TestPageSaysWhatContradicts(t *testing.T) {
	wrong := results.Tally{Count: 5, Min: 3000, Max: 2000, Sum: 12_500}
	page := write(t, report.Page{Runs: []*results.Run{records(t,
		&results.Header{Tool: "latency", Label: "wrong", Series: []results.SeriesInfo{{}}},
		&results.End{Verdict: results.Pass, Series: []results.Total{{Tally: wrong}}})}})
	if want := "wrong: the figures contradict themselves: series 0: minimum 3000 ns is above maximum 2000 ns"; !strings.Contains(page, want) {
		t.Errorf("the page lacks %q", want)
	}
}

func TestPageEscapes(t *testing.T) {
	evil := `</script><script>alert(1)</script><img src=x onerror=alert(2)>`
	r, c := run(evil, 1, 3, 4000, 0)
	page := write(t, report.Page{Runs: []*results.Run{r}, Columns: []*plot.Columns{c}})
	if strings.Contains(page, "<script>alert") || strings.Contains(page, "<img") {
		t.Error("a label became markup")
	}
	b := openPage(t, report.Page{Runs: []*results.Run{r}, Columns: []*plot.Columns{c}})
	var name string
	b.eval(`document.querySelector(".legend .name").textContent`, &name)
	if name != evil {
		t.Errorf("the legend says %q", name)
	}
	quiet(t, b)
}

func TestLibraryIsTheOneNamed(t *testing.T) {
	versions, err := os.ReadFile("uplot/VERSIONS")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"uPlot.iife.min.js", "uPlot.min.css"} {
		text, err := os.ReadFile("uplot/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("%x  %s\n", sha256.Sum256(text), name); !strings.Contains(string(versions), want) {
			t.Errorf("VERSIONS lacks %q", want)
		}
	}
}

// TestManyCells: a table has a row for each cell, by size, then rate; verdicts
// and machines are told once, and nothing is drawn of single cells.
func TestManyCells(t *testing.T) {
	var p report.Page
	for _, transport := range []string{"shm", "tcp"} {
		for i, size := range []string{"10M", "16B", "1K", "64K", "1M"} {
			r := cell(t, transport, size, 20+int64(i))
			r.Host = results.Facts{"cpu.model": "EPYC"}
			r.Config = map[string]any{"cell": transport + size}
			p.Runs = append(p.Runs, r)
		}
	}
	p.Runs[0].End.After["saturated"] = 1
	published := cell(t, "cyberrt", "16B", 80)
	published.Label = "report"
	latency, _ := run("wake-ups", 1, 3, 4000, 0)
	p.Runs = append(p.Runs, published, latency)
	page := write(t, p)
	square(t, page)
	for _, want := range []string{
		`here <span class="soft">10 cells, on EPYC</span>`,
		`report <span class="soft">1 cell, on a machine that is not told</span>`,
		"wake-ups <span", "<td>SAT</td>", "cells of here", "shm10M | shm16B",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	_, rows, _ := strings.Cut(page, "<h2>Messages</h2>")
	rows, _, _ = strings.Cut(rows, "</table>")
	last := 0
	for _, want := range []string{">16B<", ">shm<", ">tcp<", ">report<", ">1K<", ">64K<", ">1M<", ">10M<"} {
		at := strings.Index(rows, want)
		if at < last {
			t.Errorf("%s stands before what should stand before it", want)
		}
		last = at
	}
	if strings.Count(page, "<details>") != 3 || strings.Contains(page, "of 12 runs") {
		t.Error("single cells are shown")
	}
}
