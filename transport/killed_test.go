package transport

import (
	"syscall"
	"testing"
	"time"

	"worstcase/results"
	"worstcase/sampler"
	"worstcase/session"
)

// killing is a Source that kills one of its ends as soon as a message came
// through.
type killing struct {
	*Source
	end    func(*Source) *sampler.Child
	killed bool
}

func (k *killing) Drain(rec *session.Recorder) error {
	if !k.killed && k.tally.count(k.Source, 0, wordMessages) > 0 {
		k.killed = true
		syscall.Kill(k.end(k.Source).Pid(), syscall.SIGKILL)
	}
	return k.Source.Drain(rec)
}

// TestKilledEnds: the run of a cell fails when an end is killed, soon, and its
// figures are those of the time until then.
func TestKilledEnds(t *testing.T) {
	for name, end := range map[string]func(*Source) *sampler.Child{
		"publisher":  func(s *Source) *sampler.Child { return s.publishers[0] },
		"subscriber": func(s *Source) *sampler.Child { return s.subscribers[0] },
	} {
		for _, tr := range []Transport{arena{}, tcp{}} {
			t.Run(name+" of "+tr.Name(), func(t *testing.T) {
				cfg := complete(t, Config{Transport: tr, Size: 1000, Rate: 5000, Duration: time.Minute})
				last, err := runCell(t, cfg, func(s *Source) session.Source { return &killing{Source: s, end: end} })
				if err == nil {
					t.Fatal("the run went well")
				}
				if last == nil {
					t.Fatalf("no figures with %v", err)
				}
				if list := results.Contradictions(last, cfg.SlotPeriod()); len(list) > 0 {
					t.Errorf("contradictions: %q", list)
				}
			})
		}
	}
}
