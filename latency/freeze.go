package latency

import (
	"math"
	"os"

	"worstcase/internal/sys"
)

// A freezer stops the kernel's trace at each new maximum, from the measuring
// thread itself: nothing that comes later can push the cause out of the buffer.
// The zero freezer, but for its worst, never does.
type freezer struct {
	marker, on int
	from       int64
	worst      int64
	armed      bool
	text, zero []byte
}

// newFreezer takes the files of Config.Freeze. They stay open as long as the
// process.
func newFreezer(files []*os.File) freezer {
	return freezer{
		marker: int(files[0].Fd()), on: int(files[1].Fd()), armed: true,
		text: []byte("worstcase: new maximum\n"), zero: []byte("0"),
	}
}

// freeze is called with a sample above worst. Forbidden in it is what is in the
// loop.
func (f *freezer) freeze(due, late int64) {
	if !f.armed {
		f.worst = math.MaxInt64
		return
	}
	if due >= f.from {
		f.worst = late
		sys.Write(f.marker, f.text, true)
		sys.Write(f.on, f.zero, true)
	}
}
