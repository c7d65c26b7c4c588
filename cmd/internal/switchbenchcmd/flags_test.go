package switchbenchcmd

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"worstcase/results/format"
	"worstcase/rtsched"
	"worstcase/switchbench"
)

func TestParse(t *testing.T) {
	fifo := switchbench.Config{
		Case: switchbench.Below, Period: 100 * time.Microsecond, Samples: 100_000, Policy: rtsched.FIFO, Priority: 99,
	}
	with := func(change func(*switchbench.Config)) switchbench.Config {
		c := fifo
		change(&c)
		return c
	}
	for _, test := range []struct {
		args string
		want switchbench.Config
	}{
		{"", fifo},
		{"-p 250 -n 7", with(func(c *switchbench.Config) { c.Period, c.Samples = 250*time.Microsecond, 7 })},
		{"-T 5", with(func(c *switchbench.Config) { c.Samples = 0 })},
		{"-q -n 7", with(func(c *switchbench.Config) { c.Samples = 7 })},
		{"-P 1 --waiter equal", with(func(c *switchbench.Config) { c.Priority, c.Case = 1, switchbench.Equal })},
		{"-T 5 -n 9", with(func(c *switchbench.Config) { c.Samples = 9 })},
		{"-P 40 --waiter equal -c 0", with(func(c *switchbench.Config) {
			c.Priority, c.Case, c.CPUs = 40, switchbench.Equal, []int{0}
		})},
		{"--policy other", with(func(c *switchbench.Config) { c.Policy, c.Priority = rtsched.Other, 0 })},
		{"--break 20us --dma-latency keep", with(func(c *switchbench.Config) { c.Break, c.KeepIdle = 20*time.Microsecond, true })},
		{"--ping-pong --dma-latency 5", with(func(c *switchbench.Config) {
			c.Measure, c.DMALatency = switchbench.PingPong, 5*time.Microsecond
		})},
		{"--threads 2..8", with(func(c *switchbench.Config) { c.Measure = switchbench.Ring })},
	} {
		t.Run(test.args, func(t *testing.T) {
			o, _, err := parse(strings.Fields(test.args))
			if err != nil {
				t.Fatal(err)
			}
			if len(o.config.CPUs) == 0 {
				o.config.CPUs = nil
			}
			if diff := cmp.Diff(test.want, o.config); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if o.measure.Form != format.Xenomai2 || o.ignore != 5 {
				t.Errorf("form %s, %d ignored", o.measure.Form, o.ignore)
			}
		})
	}
}

// TestCells names every run of some command lines.
func TestCells(t *testing.T) {
	for _, test := range []struct {
		args string
		want []string
	}{
		{"", []string{"futex between threads"}},
		{"--mechanism pipe,yield --space both", []string{
			"pipe between threads", "pipe between processes", "yield between threads, 2 in a ring, 0 each", "yield between processes, 2 in a ring, 0 each",
		}},
		{"--mechanism deadline,signal --ping-pong", []string{"signal between threads"}},
		{"--threads 3,4..8 --working-set 0,64K", []string{
			"pipe between threads, 1 in a ring, 0 each", "pipe between threads, 3 in a ring, 0 each",
			"pipe between threads, 4 in a ring, 0 each", "pipe between threads, 8 in a ring, 0 each",
			"pipe between threads, 1 in a ring, 64K each", "pipe between threads, 3 in a ring, 64K each",
			"pipe between threads, 4 in a ring, 64K each", "pipe between threads, 8 in a ring, 64K each",
		}},
		{"--threads 2 --mechanism pi-futex", []string{"pi-futex between threads, 2 in a ring, 0 each"}},
	} {
		t.Run(test.args, func(t *testing.T) {
			o, _, err := parse(strings.Fields(test.args))
			if err != nil {
				t.Fatal(err)
			}
			cells, err := o.cells()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range cells {
				got = append(got, title(c))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	o, _, err := parse([]string{"--mechanism", "all"})
	if err != nil {
		t.Fatal(err)
	}
	if cells, err := o.cells(); err != nil || len(cells) != 2*len(switchbench.Mechanisms()) {
		t.Errorf("all has %d cells (%v), want two for each mechanism", len(cells), err)
	}
}

func FuzzNumbers(f *testing.F) {
	for _, seed := range []string{"2", "2,3,8", "2..64", "64..2", "1..2", "..", "2..64,", "9999999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		list, err := numbers(s)
		for _, n := range list {
			if err == nil && (n < 2 || n > switchbench.MaxThreads) {
				t.Errorf("%q gives %d", s, n)
			}
		}
		if err == nil && len(list) == 0 {
			t.Errorf("%q gives nothing", s)
		}
	})
}
