// Package samplertest has loops with which tests disturb what they measure.
package samplertest

import (
	"time"

	"worstcase/internal/sys"
	"worstcase/rtsched"
	"worstcase/sampler"
)

// Hog holds its CPU for a stretch, once, from a stretch after its start. Its
// argument is the stretch, a time.Duration.
var Hog = sampler.Loop{
	Name:    "hog",
	Columns: []string{"due"},
	New: func(t *sampler.Thread) (sampler.Body, error) {
		var stretch time.Duration
		if err := t.Args(&stretch); err != nil {
			return nil, err
		}
		return func(first int64) error {
			w, due, err := rtsched.Arm(rtsched.Nanosleep, first, int64(stretch))
			if err != nil {
				return err
			}
			now, _ := w.Wait(due)
			for end := now + int64(stretch); now < end; {
				now = sys.Nanotime()
			}
			return nil
		}, nil
	},
}
