package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"worstcase/internal/golden"
)

// text is records as a log without checkpoints.
func text(t testing.TB, records ...Record) string {
	t.Helper()
	var b []byte
	e := new(encoder)
	for _, rec := range records {
		var err error
		if b, err = appendRecord(b, rec, e); err != nil {
			t.Fatal(err)
		}
		b = append(b, '\n')
	}
	return string(b)
}

// keeps are all the ways to read.
func keeps() map[string]Keep {
	return map[string]Keep{"all": KeepAll, "figures": KeepFigures, "totals": KeepTotals}
}

// TestReadsEveryCut reads a log cut after each of its bytes, as a power cut may
// leave it: what was whole must all be there.
func TestReadsEveryCut(t *testing.T) {
	records := script()
	log := text(t, records...)
	for name, keep := range keeps() {
		want := []string{""}
		for whole := range len(records) {
			want = append(want, outline(collect(t, keep, records[:whole+1])))
		}
		for cut := range len(log) + 1 {
			whole := strings.Count(log[:cut], "\n")
			if cut < len(log) && log[cut] == '\n' {
				whole++ // only the newline is missing
			}
			got := ""
			for run, err := range Runs(strings.NewReader(log[:cut]), keep) {
				if err != nil {
					t.Fatal(err)
				}
				got += outline(run)
			}
			if got != want[whole] {
				t.Fatalf("%d bytes, keeping %s:\n got %s\nwant %s", cut, name, got, want[whole])
			}
		}
	}
}

// outline is what matters of a run, in one line.
func outline(r *Run) string {
	s := fmt.Sprintf("%s %v s end=%v %d loads %d spikes", r.Label, r.Seconds(), !r.Truncated(), len(r.Loads), len(r.Spikes))
	for _, t := range r.Totals() {
		s += fmt.Sprintf("; total %d %v %+v", t.ID, t.Labels, t.Summary())
	}
	for _, iv := range r.Intervals {
		s += fmt.Sprintf("; interval %d %d %+v", iv.Series, iv.At, iv.Summary())
	}
	return s
}

func TestRuns(t *testing.T) {
	s := script()
	one := text(t, s...)
	cut := text(t, s[:6]...)
	torn := cut + text(t, s[6])[:40]
	interval := text(t, s[1])
	tests := []struct {
		name      string
		log       string
		counts    []int64 // of series 0, by run
		truncated []bool
		warnings  []string // of the last run
	}{
		{"nothing", "", nil, nil, nil},
		{"one", one, []int64{6}, []bool{false}, nil},
		{"CR LF and empty lines", strings.ReplaceAll(one, "\n", "\r\n\r\n"), []int64{6}, []bool{false}, nil},
		{"two", one + one, []int64{6, 6}, []bool{false, false}, nil},
		{"cut short, then another", cut + one, []int64{6, 6}, []bool{true, false}, nil},
		{"another glued to a torn line", torn + one, []int64{6, 6}, []bool{true, false}, nil},
		{"another glued to a torn header", one[:50] + one, []int64{6}, []bool{false}, []string{"passed over: 1 torn line"}},
		{"torn line in the middle", cut + interval[:30] + "\n" + text(t, s[6], s[7]), []int64{6}, []bool{false}, []string{"passed over: 1 torn line"}},
		{"zeros from a disk", cut + strings.Repeat("\x00", 4096) + "\n" + interval, []int64{9}, []bool{true}, []string{"passed over: 1 torn line"}},
		{"torn histogram", cut + interval[:len(interval)-20] + "\n", []int64{6}, []bool{true}, []string{"passed over: 1 torn line"}},
		{"unknown type", cut + `{"type":"weather","sun":true}` + "\n", []int64{6}, []bool{true}, nil},
		{"unknown field", cut + `{"type":"interval","series":0,"at_ns":3000000000,"seconds":1,"moon":"full","count":0,"overruns":0}` + "\n", []int64{6}, []bool{true}, nil},
		{"another's spacing", cut + `{ "type" : "interval", "series": 0, "at_ns": 3000000000, "seconds": 1, "count": 0, "unrecorded": 3 }` + "\n", []int64{6}, []bool{true}, nil},
		{"records before the first run", interval + one, []int64{6}, []bool{false}, []string{"passed over: 1 record outside of a run"}},
		{"records after the end", one + interval, []int64{6}, []bool{false}, []string{"passed over: 1 record outside of a run"}},
		{"newer schema", strings.Replace(one, `"schema":1`, `"schema":7`, 1), []int64{6}, []bool{false}, []string{"written in schema 7, newer than 1: figures may be misread"}},
		{"no newline at the end", strings.TrimSpace(one), []int64{6}, []bool{false}, nil},
	}
	for _, tt := range tests {
		for name, keep := range keeps() {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				var counts []int64
				var truncated []bool
				var warnings []string
				for run, err := range Runs(strings.NewReader(tt.log), keep) {
					if err != nil {
						t.Fatal(err)
					}
					counts = append(counts, run.Totals()[0].Count)
					truncated = append(truncated, run.Truncated())
					warnings = run.Warnings
				}
				if !slices.Equal(counts, tt.counts) || !slices.Equal(truncated, tt.truncated) {
					t.Errorf("runs of %d samples, truncated %v; want %d, %v", counts, truncated, tt.counts, tt.truncated)
				}
				if diff := cmp.Diff(tt.warnings, warnings); diff != "" {
					t.Errorf("warnings (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestNext(t *testing.T) {
	want := script()
	r := NewReader(iotest.HalfReader(strings.NewReader("{torn\n" + text(t, want...))))
	for i, w := range want {
		got, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(w, got, same); diff != "" {
			t.Errorf("record %d (-want +got):\n%s", i, diff)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	if r.Torn() != 1 {
		t.Errorf("%d torn lines, want 1", r.Torn())
	}
}

func TestRunsError(t *testing.T) {
	broken := errors.New("the disk is on fire")
	log := text(t, script()[:3]...)
	runs, errs := 0, 0
	for run, err := range Runs(io.MultiReader(strings.NewReader(log), iotest.ErrReader(broken)), KeepAll) {
		switch {
		case err != nil:
			errs++
			if !errors.Is(err, broken) || run != nil {
				t.Errorf("run %v, error %v", run, err)
			}
		case run.Totals()[0].Count != 3:
			t.Errorf("%d samples, want the 3 before the error", run.Totals()[0].Count)
		default:
			runs++
		}
	}
	if runs != 1 || errs != 1 {
		t.Errorf("%d runs and %d errors, want one each", runs, errs)
	}
}

// TestLongLine has a line that fits no buffer, and one that is too long.
func TestLongLine(t *testing.T) {
	header := &Header{Label: strings.Repeat("x", 1<<20), Series: []SeriesInfo{{ID: 0}}}
	log := text(t, header) + `{"type":"` + strings.Repeat("y", maxLine) + "\"}\n" + text(t, script()[1])
	runs, err := ReadFrom(KeepAll, strings.NewReader(log), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(runs[0].Label) != 1<<20 || runs[0].Totals()[0].Count != 3 || len(runs[0].Warnings) != 1 {
		t.Errorf("label of %d bytes, %d samples, warnings %q", len(runs[0].Label), runs[0].Totals()[0].Count, runs[0].Warnings)
	}
}

// TestEndlessLine reads a line that never ends.
func TestEndlessLine(t *testing.T) {
	log := io.MultiReader(strings.NewReader(text(t, script()[:2]...)+linePrefix), endlessly('0'))
	var runs, errs int
	for run, err := range Runs(log, KeepTotals) {
		switch {
		case err != nil:
			errs++
		case run.Totals()[0].Count != 3:
			t.Errorf("%d samples, want 3", run.Totals()[0].Count)
		default:
			runs++
		}
	}
	if runs != 1 || errs != 1 {
		t.Errorf("%d runs and %d errors, want one each", runs, errs)
	}
}

// endlessly is a reader of one byte again and again.
type endlessly byte

func (e endlessly) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// TestLongTail reads a log in which no checkpoint ever comes.
func TestLongTail(t *testing.T) {
	records := script()[:1]
	h := second(1)
	for i := range int64(2000) {
		records = append(records, &Interval{Series: 0, At: (i + 1) * 1e9, Seconds: 1, Tally: Tally{Count: h.Count(), Min: 1, Max: i + 2, Sum: 3, Histogram: h}})
	}
	log := text(t, records...)
	if len(log) < 2*tailMax {
		t.Fatalf("a log of %d bytes is too short to show anything", len(log))
	}
	want := collect(t, KeepTotals, records)
	for name, keep := range keeps() {
		runs, err := ReadFrom(keep, strings.NewReader(log), "")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Totals(), runs[0].Totals(), same); diff != "" {
			t.Errorf("keeping %s (-want +got):\n%s", name, diff)
		}
	}
}

// TestSchema1 reads a log of schema 1, which is kept for ever: no -update
// writes it. It holds three runs, the second cut short, the third glued to its
// torn last line, and a line and fields that no version knows.
func TestSchema1(t *testing.T) {
	runs, err := Read(KeepAll, filepath.Join("testdata", "schema1.run"))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteDocument(&b, runs...); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/schema1.json", hideHistograms(b.String()), *update)
}

func FuzzReader(f *testing.F) {
	log := text(f, script()...)
	f.Add([]byte(log))
	f.Add([]byte(log[:len(log)/2] + log))
	f.Add([]byte(`{"type":"run","series":[{"id":-1}]}` + "\n" + `{"type":"checkpoint","series":null}`))
	e := new(encoder)
	f.Fuzz(func(t *testing.T, text []byte) {
		var ends []int
		for _, keep := range []Keep{KeepAll, KeepFigures, KeepTotals} {
			n := 0
			for run, err := range Runs(bytes.NewReader(text), keep) {
				if err != nil {
					t.Fatal(err)
				}
				n++
				for _, total := range run.Totals() {
					total.Summary()
					appendTotal(nil, &total, e)
				}
				run.Bound(0)
				run.Check(time.Millisecond)
			}
			ends = append(ends, n)
		}
		if ends[0] != ends[1] || ends[0] != ends[2] {
			t.Fatalf("%v runs, depending on what is kept", ends)
		}
		for line := range bytes.Lines(text) {
			if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 && wholeInterval(line) {
				agree(t, line)
			}
		}
	})
}
