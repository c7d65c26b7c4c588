package latency

import (
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"worstcase/rtsched"
	"worstcase/sampler/samplertest"
)

func TestEveryTimerCountsEveryPeriod(t *testing.T) {
	for _, timer := range []rtsched.Timer{rtsched.Nanosleep, rtsched.Timerfd, rtsched.POSIXTimer, rtsched.Busy} {
		t.Run(string(timer), func(t *testing.T) {
			cfg := Config{Timer: timer, Period: time.Millisecond}
			s := &script{}
			end := measure(t, cfg, 2*time.Second, s)
			samplertest.CheckPeriods(t, end, cfg.Period)
			if end.Reason != "duration" || end.Seconds != 2 || len(s.intervals) != 2 {
				t.Errorf("reason %s after %g s in %d intervals, want duration after 2 s in 2", end.Reason, end.Seconds, len(s.intervals))
			}
			if throttled := end.Series[0].Throttled; (throttled > 0) != (timer == rtsched.Busy) {
				t.Errorf("%d periods throttled", throttled)
			}
		})
	}
}

func TestPeriodThatDoesNotDivideASecond(t *testing.T) {
	for _, us := range []int{300, 7000} {
		t.Run(fmt.Sprintf("%d us", us), func(t *testing.T) {
			cfg := Config{Period: time.Duration(us) * time.Microsecond}
			s := &script{}
			end := measure(t, cfg, 3*time.Second, s)
			samplertest.CheckPeriods(t, end, cfg.Period)
			for i, iv := range s.intervals {
				if iv.Seconds != 1 || iv.At != int64(i+1)*1e9 {
					t.Errorf("interval %d lasts %g s and ends at %d ns", i, iv.Seconds, iv.At)
				}
				// What a sample late at the second's end has missed counts in its second.
				slack := 1 + iv.Max/int64(cfg.Period)
				if i > 0 {
					slack += s.intervals[i-1].Max / int64(cfg.Period)
				}
				if got, want := float64(iv.Count+iv.Overruns), 1e6/float64(us); math.Abs(got-want) > float64(slack) {
					t.Errorf("interval %d has %g periods, want %g ± %d", i, got, want, slack)
				}
			}
		})
	}
}

func TestASeriesForEachCPU(t *testing.T) {
	for _, align := range []string{AlignSpread, AlignSame} {
		t.Run(align, func(t *testing.T) {
			cfg := Config{CPUs: []int{0, 1}, Period: time.Millisecond, Align: align}
			end := measure(t, cfg, time.Second, &script{})
			samplertest.CheckPeriods(t, end, cfg.Period)
			if len(end.Series) != 2 || end.Series[0].Labels["cpu"] != "0" || end.Series[1].Labels["cpu"] != "1" {
				t.Errorf("series %+v", end.Series)
			}
		})
	}
}

// TestTheLoopNeitherFaultsNorAllocates compares a run with one three times as
// long: what a child allocates in all must not depend on the samples.
func TestTheLoopNeitherFaultsNorAllocates(t *testing.T) {
	long := 3 * time.Second
	if os.Getenv("WORSTCASE_SOAK") != "" {
		long = 60 * time.Second
	}
	var mallocs [2]float64
	for i, duration := range []time.Duration{time.Second, long} {
		after := measure(t, Config{}, duration, &script{}).After
		if faults := after["sampler.faults.minor"] + after["sampler.faults.major"]; faults != 0 {
			t.Errorf("%g page faults in %s", faults, duration)
		}
		mallocs[i] = after["sampler.mallocs"]
	}
	// The runtime's own threads differ by a few from run to run.
	if grown := mallocs[1] - mallocs[0]; grown > 10 {
		t.Errorf("%g allocations more in %d samples more", grown, int64((long-time.Second)/DefaultPeriod))
	}
	t.Logf("%g and %g allocations", mallocs[0], mallocs[1])
}

func TestOrdinaryThread(t *testing.T) {
	cfg := Config{Policy: rtsched.Other, Period: time.Millisecond}
	samplertest.CheckPeriods(t, measure(t, cfg, time.Second, &script{}), cfg.Period)
}

func TestBreakEndsAtTheFirstSampleAbove(t *testing.T) {
	cfg := Config{Break: time.Nanosecond}
	end := measure(t, cfg, 10*time.Second, &script{})
	if end.Reason != "break" || end.Seconds > 1 {
		t.Errorf("reason %s after %g s", end.Reason, end.Seconds)
	}
}

func TestTooShortAPeriodEndsTheRun(t *testing.T) {
	cfg := Config{Period: 2 * time.Microsecond}
	end, err := tryMeasure(t, cfg, 20*time.Second, &script{}, nil)
	if err == nil {
		t.Fatalf("no error; end is %+v", end.Reason)
	}
	if end == nil || end.Reason != "error" || end.Series[0].Count == 0 {
		t.Errorf("what was measured is not in the end: %+v", end)
	}
}
