package transport

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"worstcase/results"
	"worstcase/sampler"
	"worstcase/session"
	"worstcase/transport/shm"
)

func TestMain(m *testing.M) {
	sampler.Main(Loops(Kernel())...)
	os.Exit(m.Run())
}

// complete is cfg with its defaults.
func complete(t *testing.T, cfg Config) Config {
	t.Helper()
	cfg, err := cfg.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// runCell makes the run of one complete cell, with what as makes of its source.
func runCell(t *testing.T, cfg Config, as func(*Source) session.Source) (*results.End, error) {
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	run := cfg.Session()
	run.WarmUp, run.Warn = 50*time.Millisecond, func(s string) { t.Log(s) }
	return session.Run(ctx, run, as(NewSource(cfg, run.Warn)))
}

// measure runs one cell for a short time.
func measure(t *testing.T, cfg Config) (*results.End, map[string]results.Total) {
	t.Helper()
	if cfg.Duration == 0 {
		cfg.Duration = 300 * time.Millisecond
	}
	cfg = complete(t, cfg)
	end, err := runCell(t, cfg, func(s *Source) session.Source { return s })
	if err != nil {
		t.Fatal(err)
	}
	if end.Verdict != results.Pass {
		t.Errorf("verdict %s: %v", end.Verdict, results.Contradictions(end, cfg.SlotPeriod()))
	}
	totals := map[string]results.Total{}
	for _, s := range end.Series {
		totals[s.Labels["what"]+s.Labels["subscriber"]] = s
	}
	return end, totals
}

func TestCells(t *testing.T) {
	for _, tr := range Kernel() {
		t.Run(tr.Name(), func(t *testing.T) {
			if err := tr.Check(); err != nil {
				t.Skip(err)
			}
			end, totals := measure(t, Config{Transport: tr, Rate: 500, Size: 1000, Subscribers: 2})
			for _, what := range []string{"service1", "response1", "read1", "service2", "response2", "read2", "wakeup", "fill"} {
				s, ok := totals[what]
				if !ok || s.Count+s.Throttled+s.Overruns != 150 || s.Lost != 0 {
					t.Errorf("%s: %d samples, %d throttled, %d overruns, %d lost; want 150, none lost",
						what, s.Count, s.Throttled, s.Overruns, s.Lost)
				}
			}
			if totals["response1"].Min < totals["service1"].Min {
				t.Errorf("response is at least %d ns, service %d", totals["response1"].Min, totals["service1"].Min)
			}
			for key, want := range map[string]float64{"published": 150, "received": 300, "lost": 0, "corrupt": 0, "not_sent": 0} {
				if got := end.After[key]; got != want {
					t.Errorf("%s: %v, want %v", key, got, want)
				}
			}
			for _, key := range []string{"cpu_percent", "cpu_percent.publisher", "cpu_percent.subscriber", "memory_bytes", "switches_per_message"} {
				if end.After[key] <= 0 {
					t.Errorf("%s is %v", key, end.After[key])
				}
			}
		})
	}
}

func TestNotifiers(t *testing.T) {
	for _, n := range shm.Notifiers() {
		t.Run(n.String(), func(t *testing.T) {
			end, totals := measure(t, Config{Transport: arena{}, Notifier: n, Rate: 200, NoTouch: true})
			if s := totals["service1"]; s.Count+s.Throttled != 60 || end.After["lost"] != 0 {
				t.Errorf("%d samples, %d throttled, %v lost; want 60, none lost", s.Count, s.Throttled, end.After["lost"])
			}
			if _, ok := totals["read1"]; ok {
				t.Error("reading was measured, though nothing was read")
			}
		})
	}
}

func TestRoundTrip(t *testing.T) {
	for _, tr := range []Transport{arena{}, tcp{}} {
		t.Run(tr.Name(), func(t *testing.T) {
			_, totals := measure(t, Config{Transport: tr, Rate: 200, RoundTrip: true, NoTouch: true})
			service, trip := totals["service1"], totals["round-trip"]
			if trip.Count != 60 || trip.Min < service.Min {
				t.Errorf("%d round trips of at least %d ns, one way %d; want 60", trip.Count, trip.Min, service.Min)
			}
		})
	}
}

func TestManyPublishers(t *testing.T) {
	end, _ := measure(t, Config{Transport: unixStream{}, Rate: 100, Publishers: 2, Subscribers: 2})
	if end.After["published"] != 60 || end.After["received"] != 120 {
		t.Errorf("published %v, received %v; want 60, 120", end.After["published"], end.After["received"])
	}
}

// A subscriber that can't follow loses messages, and each is counted with its
// cause.
func TestForcedDrops(t *testing.T) {
	end, totals := measure(t, Config{
		Transport: arena{}, Rate: 100_000, Size: 4096, BestEffort: true, Drop: shm.DropNewest, Depth: 1,
	})
	lost := end.After["lost"]
	if lost == 0 {
		t.Error("nothing was lost: each of thousands of wake-ups took less than the 10 us between two messages")
	}
	if end.After["published"]-end.After["received"] != lost {
		t.Errorf("%v published, %v received, %v lost", end.After["published"], end.After["received"], lost)
	}
	if s := totals["service1"]; float64(s.Lost) != lost {
		t.Errorf("the series lost %d, the cell %v", s.Lost, lost)
	}
	if causes := end.After["drops.drop-newest"] + end.After["drops.pool empty"]; causes < lost {
		t.Errorf("%v lost, causes are known of %v", lost, causes)
	}
}

func TestSizes(t *testing.T) {
	tests := []struct {
		text string
		n    int
	}{{"16B", 16}, {"1K", 1024}, {"64K", 65536}, {"10M", 10 << 20}, {"1000B", 1000}, {"1G", 1 << 30}}
	for _, test := range tests {
		n, err := ParseSize(test.text)
		if err != nil || n != test.n {
			t.Errorf("ParseSize(%q) = %d, %v", test.text, n, err)
		}
		if got := SizeName(n); got != test.text {
			t.Errorf("SizeName(%d) = %q, want %q", n, got, test.text)
		}
	}
	for _, bad := range []string{"", "0", "-1K", "K", "2G", "1.5M", "9999999999999999999M"} {
		if n, err := ParseSize(bad); err == nil {
			t.Errorf("ParseSize(%q) = %d", bad, n)
		}
	}
}

func TestConfigRefuses(t *testing.T) {
	for _, c := range []Config{
		{Subscribers: 33}, {Size: -1}, {Rate: 2e6}, {RoundTrip: true, Subscribers: 2}, {Policy: "deadline"},
	} {
		c.Transport = arena{}
		if _, err := c.WithDefaults(); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}

func TestSeries(t *testing.T) {
	c := complete(t, Config{Transport: arena{}, Size: 1 << 20, Subscribers: 2})
	var got []string
	for _, s := range c.series() {
		got = append(got, fmt.Sprint(s.ID, " ", s.Labels["what"], " ", s.Labels["subscriber"], " ", s.Labels["size"], " ", s.Labels["notifier"]))
	}
	want := []string{
		"0 service 1 1M futex", "1 response 1 1M futex", "2 read 1 1M futex",
		"3 service 2 1M futex", "4 response 2 1M futex", "5 read 2 1M futex",
		"6 wakeup  1M futex", "7 fill  1M futex",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
	}
}
