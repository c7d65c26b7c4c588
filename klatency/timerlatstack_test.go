package klatency

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"worstcase/results"
	"worstcase/session"
)

// A trace with stacks gives a series for each context, and the worst samples
// with their stacks; CPU 1 is not measured.
func TestTimerlatTrace(t *testing.T) {
	text, err := os.ReadFile("testdata/timerlat-stack.txt")
	if err != nil {
		t.Fatal(err)
	}
	s := NewTimerlat(TimerlatConfig{
		Contexts: []string{ContextIRQ, ContextThread, ContextUser}, CPUs: []int{0}, Period: time.Millisecond, Stack: time.Microsecond, Stacks: 10,
	}, func(w string) { t.Log(w) })
	const start = 8.217e9
	s.measured = start
	rec := session.NewRecorder(3, start, time.Millisecond, func(results.Record) {})
	for line := range strings.Lines(string(text)) {
		s.line(rec, []byte(strings.TrimSuffix(line, "\n")))
	}
	type figures struct {
		Context            string
		Samples, Lost, Max int64
		Overruns, MaxAt    int64
	}
	var got []figures
	for _, total := range rec.Totals(s.Series()) {
		got = append(got, figures{total.Labels["context"], total.Samples(), total.Lost, total.Max, total.Overruns, total.MaxAt})
	}
	want := []figures{
		{"irq", 3, 1, 1723, 0, 8.220513e9 - 1723 - start},
		{"thread", 3, 1, 11204, 0, 8.218522e9 - 11204 - start},
		{"user", 1, 0, 20204, 0, 8.218531e9 - 20204 - start},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
	spikes := []results.Spike{
		{
			Series: 1, At: 8.218522e9 - 11204 - start, Latency: 11204, Stages: map[string]int64{"irq_ns": 722, "thread_ns": 10482},
			Stack: []string{"timerlat_irq", "native_safe_halt", "do_idle"},
		},
		{
			Series: 1, At: 8.217522e9 - 10900 - start, Latency: 10900, Stages: map[string]int64{"irq_ns": 492, "thread_ns": 10408},
			Stack: []string{
				"timerlat_irq", "__hrtimer_run_queues", "hrtimer_interrupt", "__sysvec_apic_timer_interrupt", "sysvec_apic_timer_interrupt",
				"asm_sysvec_apic_timer_interrupt", "filemap_map_pages", "do_fault", "asm_exc_page_fault",
			},
		},
	}
	if diff := cmp.Diff(spikes, s.Spikes()); diff != "" {
		t.Errorf("spikes (-want +got):\n%s", diff)
	}
	if got := s.Stack(0, 8.218511e9); !cmp.Equal(got, spikes[0].Stack) {
		t.Errorf("the stack of the second expiry is %v", got)
	}
	if got := s.Stack(0, 8.219511e9); got != nil {
		t.Errorf("the expiry without a sample has the stack %v", got)
	}
}

// A sample above the break ends what is recorded, but for its own stack.
func TestTimerlatBreak(t *testing.T) {
	text, err := os.ReadFile("testdata/timerlat-stack.txt")
	if err != nil {
		t.Fatal(err)
	}
	s := NewTimerlat(TimerlatConfig{
		Contexts: []string{ContextThread}, CPUs: []int{0}, Period: time.Millisecond, Break: 11 * time.Microsecond, Stack: time.Microsecond, Stacks: 10,
	}, func(w string) { t.Log(w) })
	s.measured = 8.217e9
	rec := session.NewRecorder(1, s.measured, time.Millisecond, func(results.Record) {})
	for line := range strings.Lines(string(text)) {
		s.line(rec, []byte(strings.TrimSuffix(line, "\n")))
	}
	total := rec.Totals(s.Series())[0]
	if !s.broken || total.Samples() != 2 || total.Max != 11204 || len(s.Spikes()) != 2 {
		t.Errorf("broken %t: %d samples, maximum %d, %d stacks", s.broken, total.Samples(), total.Max, len(s.Spikes()))
	}
}
