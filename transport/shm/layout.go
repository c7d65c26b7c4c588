package shm

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"worstcase/internal/sys"
)

// The control file, in bytes. All words have 32 bits, in the machine's order.
//
//	0      header: magic, version, then the configuration
//	lineAt words that both sides wait on, each on its own pair of cache lines
//	ringAt one ring per subscriber
//
// The data file holds the chunks of all classes, one class after another, each
// rounded up to whole cache lines.
//
// A slot of a ring is four words: lap and chunk number, length, and the two halves
// of the sequence number. The lap is written last: a subscriber needs to look at
// nothing else to learn of a message, so that one cache line brings it all.
const (
	magic   = 0x314d4853 // "SHM1", little endian
	version = 3

	line       = 64       // bytes of a cache line
	apart      = 2 * line // what different writers keep between their words
	maxClasses = 16

	headMagic    = 0
	headVersion  = 4
	headNotifier = 8
	headPolicy   = 12
	headSubs     = 16
	headDepth    = 20
	headClasses  = 24
	headTable    = 28 // maxClasses pairs: size in cache lines, count
	headBytes    = 256

	closedAt = headBytes        // written by the publisher
	spaceAt  = closedAt + apart // futex: a subscriber gave something back
	hungryAt = spaceAt + apart  // the publisher waits for space
	ringAt   = hungryAt + apart // first ring
	ringHead = 4 * apart        // bytes of a ring before its slots

	slotWords = 4
	slotBytes = 4 * slotWords
	lapShift  = 20 // chunk numbers have so many bits
	lapMask   = 1<<(32-lapShift) - 1
)

// A layout says where everything lies. It follows from a Config, or from the
// header of a control file, and is the same on both sides.
type layout struct {
	classes  []Class
	subs     int
	depth    int
	notifier Notifier
	policy   Policy
}

func layoutOf(c Config) layout {
	l := layout{subs: c.Subscribers, depth: c.Depth, notifier: c.Notifier, policy: c.Policy}
	for _, class := range c.Classes {
		class.Size = (class.Size + line - 1) / line * line
		l.classes = append(l.classes, class)
	}
	return l
}

// check says what is out of bounds. The bounds keep every product far inside
// 63 bits.
func (l layout) check() error {
	switch {
	case l.subs < 1 || l.subs > 64:
		return fmt.Errorf("%d subscribers: an arena has 1 to 64 places", l.subs)
	case l.depth < 1 || l.depth > 1<<16:
		return fmt.Errorf("depth %d: a subscriber's credit is 1 to 65536 messages", l.depth)
	case l.notifier >= Notifier(len(notifierNames)):
		return fmt.Errorf("unknown notifier %d", l.notifier)
	case l.policy >= Policy(len(policyNames)):
		return fmt.Errorf("unknown policy %d", l.policy)
	case len(l.classes) < 1 || len(l.classes) > maxClasses:
		return fmt.Errorf("%d size classes: an arena has 1 to %d", len(l.classes), maxClasses)
	}
	for i, c := range l.classes {
		switch {
		case c.Size < line || c.Size > 1<<30:
			return fmt.Errorf("size class of %d bytes: 1 to 1 GiB", c.Size)
		case c.Count < 1 || c.Count > 1<<16:
			return fmt.Errorf("%d chunks of %d bytes: a class has 1 to 65536", c.Count, c.Size)
		case i > 0 && c.Size <= l.classes[i-1].Size:
			return fmt.Errorf("size class of %d bytes after one of %d: classes must grow", c.Size, l.classes[i-1].Size)
		}
	}
	if l.dataBytes() != int64(int(l.dataBytes())) {
		return fmt.Errorf("an arena of %d bytes doesn't fit this machine's addresses", l.dataBytes())
	}
	return nil
}

// slots is the capacity of a ring: the power of two that holds a credit.
func (l layout) slots() int { return 1 << bits.Len(uint(l.depth-1)) }

// ringBytes is the size of one ring: its words, the slots of what is handed out
// and the slots of what is given back.
func (l layout) ringBytes() int {
	return (ringHead + (slotBytes+4)*l.slots() + apart - 1) / apart * apart
}

func (l layout) controlBytes() int { return ringAt + l.subs*l.ringBytes() }

func (l layout) dataBytes() int64 {
	var n int64
	for _, c := range l.classes {
		n += int64(c.Count) * int64(c.Size)
	}
	return n
}

func (l layout) chunks() int {
	n := 0
	for _, c := range l.classes {
		n += c.Count
	}
	return n
}

// write puts the layout into the header of a control file. The magic number
// comes last.
func (l layout) write(control []byte) {
	put := func(off, v int) { binary.NativeEndian.PutUint32(control[off:], uint32(v)) }
	put(headVersion, version)
	put(headNotifier, int(l.notifier))
	put(headPolicy, int(l.policy))
	put(headSubs, l.subs)
	put(headDepth, l.depth)
	put(headClasses, len(l.classes))
	for i, c := range l.classes {
		put(headTable+8*i, c.Size/line)
		put(headTable+8*i+4, c.Count)
	}
	sys.SharedWord(control, headMagic).Store(magic)
}

// readLayout reads what write wrote, and trusts none of it.
func readLayout(control []byte) (layout, error) {
	if len(control) < headBytes {
		return layout{}, fmt.Errorf("read arena: %d bytes are no header", len(control))
	}
	get := func(off int) int { return int(binary.NativeEndian.Uint32(control[off:])) }
	if m := get(headMagic); m != magic {
		return layout{}, fmt.Errorf("read arena: magic number %#x, not %#x", m, magic)
	}
	if v := get(headVersion); v != version {
		return layout{}, fmt.Errorf("read arena: version %d, not %d", v, version)
	}
	l := layout{subs: get(headSubs), depth: get(headDepth)}
	if n := get(headNotifier); n >= 0 && n < len(notifierNames) {
		l.notifier = Notifier(n)
	} else {
		return layout{}, fmt.Errorf("read arena: unknown notifier %d", n)
	}
	if n := get(headPolicy); n >= 0 && n < len(policyNames) {
		l.policy = Policy(n)
	} else {
		return layout{}, fmt.Errorf("read arena: unknown policy %d", n)
	}
	n := get(headClasses)
	if n < 0 || n > maxClasses {
		return layout{}, fmt.Errorf("read arena: %d size classes", n)
	}
	for i := range n {
		size, count := get(headTable+8*i), get(headTable+8*i+4)
		if size < 0 || size > 1<<30/line {
			return layout{}, fmt.Errorf("read arena: a class of %d cache lines", size)
		}
		l.classes = append(l.classes, Class{Size: size * line, Count: count})
	}
	if err := l.check(); err != nil {
		return layout{}, fmt.Errorf("read arena: %w", err)
	}
	return l, nil
}

// A table finds chunks by their number.
type table struct {
	data  []byte
	spans []span
}

// A span is one class in the data file.
type span struct {
	first, count uint32 // chunk numbers
	at           int    // byte offset of the first
	size         int    // of a payload, at most
}

func (l layout) table(data []byte) table {
	t := table{data: data}
	at, first := 0, 0
	for _, c := range l.classes {
		t.spans = append(t.spans, span{uint32(first), uint32(c.Count), at, c.Size})
		at += c.Count * c.Size
		first += c.Count
	}
	return t
}

// chunk returns the whole memory of chunk number i, and false when there is no
// such chunk.
func (t *table) chunk(i uint32) (memory []byte, ok bool) {
	for _, s := range t.spans {
		if i-s.first < s.count {
			at := s.at + int(i-s.first)*s.size
			return t.data[at : at+s.size : at+s.size], true
		}
	}
	return nil, false
}
