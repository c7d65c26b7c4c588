package latency

import (
	"math"
	"os"

	"worstcase/internal/sys"
)

// A freezer stops the kernel's trace at each new maximum, from the measuring
// thread itself: nothing that comes later can push the cause out of the buffer.
type freezer struct {
	marker, on int
	worst      int64
	text, zero []byte
}

// newFreezer takes the files of Config.Freeze; without any it never freezes.
// They stay open as long as the process.
func newFreezer(files []*os.File) freezer {
	if len(files) == 0 {
		return freezer{worst: math.MaxInt64}
	}
	return freezer{
		marker: int(files[0].Fd()), on: int(files[1].Fd()),
		text: []byte("worstcase: new maximum\n"), zero: []byte("0"),
	}
}

// freeze is called with a sample above worst. Forbidden in it is what is in the
// loop.
func (f *freezer) freeze(late int64) {
	f.worst = late
	sys.Write(f.marker, f.text, true)
	sys.Write(f.on, f.zero, true)
}
