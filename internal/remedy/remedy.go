// Package remedy gives errors the line that tells a person what to do.
package remedy

import "errors"

// ErrUnavailable marks what this machine, kernel or user can't do: commands
// exit with status 4 for it.
var ErrUnavailable = errors.New("not supported or not permitted here")

// MountSysfs is the remedy where /sys is empty.
const MountSysfs = "mount sysfs: mount -t sysfs sysfs /sys"

type hinted struct {
	error
	hint        string
	unavailable bool
}

func (h *hinted) Unwrap() error { return h.error }

func (h *hinted) Is(target error) bool { return h.unavailable && target == ErrUnavailable }

// Hint gives err a remedy.
func Hint(err error, hint string) error {
	return &hinted{error: err, hint: hint}
}

// Unavailable gives err a remedy and marks it as ErrUnavailable.
func Unavailable(err error, hint string) error {
	return &hinted{error: err, hint: hint, unavailable: true}
}

// Of returns the remedy of the outermost error in err's chain that has one, or "".
func Of(err error) string {
	var h *hinted
	if errors.As(err, &h) {
		return h.hint
	}
	return ""
}
