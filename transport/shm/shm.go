// Package shm carries messages between processes of one machine without
// copying them. A Publisher owns an arena of memory and lends chunks of it to
// its user, who fills them; Publish hands the chunk's number, not its bytes, to
// every Subscriber, who reads the very same memory and gives the number back.
//
// The arena is two memory files (memfd), sealed against any change of size and
// passed over a unix socket. The one that holds the payloads is sealed against
// writing too, but for its publisher; the other holds the rings of indices. No
// pointer is ever stored in either. Every cursor has one writer, except the head
// of a subscriber's ring, which the publisher moves as well when it takes back
// the oldest message.
//
// Who holds which chunk is written down in the publisher's own memory only. So a
// subscriber that dies, at whatever instruction, leaves nothing to repair: the
// publisher takes back what it had handed out. A publisher that dies leaves the
// memory to its subscribers, who take what was published and then get io.EOF.
// Nobody ever waits for a lock.
//
// Needs Linux 5.3 (pidfd_open); no privilege.
package shm

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// The errors that callers tell apart.
var (
	// ErrPoolEmpty means that all chunks large enough are queued or held.
	ErrPoolEmpty = errors.New("no free chunk of this size class")
	// ErrTooLarge means that no size class holds such a message.
	ErrTooLarge = errors.New("message larger than the largest size class")
	// ErrTimeout means that a wait ended without what it waited for.
	ErrTimeout = errors.New("timed out")
	// ErrFull means that the arena has no place for another subscriber.
	ErrFull = errors.New("all places for subscribers are taken")
)

// A Policy says what Publish does for a subscriber that already has as many
// messages queued or held as its credit allows.
type Policy uint8

const (
	// Block waits for the subscriber.
	Block Policy = iota
	// DropOldest takes the oldest queued message back. When the subscriber holds
	// all of its credit in hand, the new one is dropped.
	DropOldest
	// DropNewest doesn't give it the new message.
	DropNewest
)

// policyNames are what options and tables call them.
var policyNames = [...]string{Block: "block", DropOldest: "drop-oldest", DropNewest: "drop-newest"}

func (p Policy) String() string { return policyNames[p] }

// ParsePolicy returns the policy of that name.
func ParsePolicy(name string) (Policy, error) {
	for p, n := range policyNames {
		if n == name {
			return Policy(p), nil
		}
	}
	return 0, fmt.Errorf("unknown policy %q (block, drop-oldest, drop-newest)", name)
}

// A Class is a size class: Count chunks for messages of at most Size bytes.
type Class struct {
	Size, Count int
}

// A Config describes an arena. The zero Config works: it has one subscriber,
// and small messages.
type Config struct {
	// Classes are the size classes, by default 64 chunks of 256 bytes, 32 of 4 KiB
	// and 16 of 64 KiB.
	Classes []Class
	// Subscribers is how many there can be at once, 1 by default.
	Subscribers int
	// Depth is each subscriber's credit, the number of messages that may be queued
	// for it or in its hands; 10 by default.
	Depth int
	// Policy says what happens when a credit is used up.
	Policy Policy
	// Notifier says how a waiting subscriber learns of a message.
	Notifier Notifier
	// Patience bounds each wait of Loan and Publish under Block: after it Loan
	// returns ErrTimeout, and Publish drops the message for that subscriber. One
	// second by default.
	Patience time.Duration
	// Raw makes waiting threads not tell Go's scheduler that they sleep. It is
	// sooner, but holds up the garbage collector: use it only where that is off.
	Raw bool
}

// withDefaults returns c with its zero fields set, or says what is wrong with it.
func (c Config) withDefaults() (Config, error) {
	if len(c.Classes) == 0 {
		c.Classes = []Class{{256, 64}, {4 << 10, 32}, {64 << 10, 16}}
	}
	if c.Subscribers == 0 {
		c.Subscribers = 1
	}
	if c.Depth == 0 {
		c.Depth = 10
	}
	if c.Patience == 0 {
		c.Patience = time.Second
	}
	l := layoutOf(c)
	return c, l.check()
}

// Counts are what became of a publisher's messages. They only grow.
type Counts struct {
	// Published messages, whether or not anybody got them.
	Published uint64
	// PoolEmpty counts the loans refused because no chunk was free.
	PoolEmpty uint64
	// DroppedOldest, DroppedNewest and TimedOut count messages that one subscriber
	// didn't get, each subscriber apart, by cause.
	DroppedOldest, DroppedNewest, TimedOut uint64
	// Died counts subscribers that ended without saying so, and Recovered the
	// chunks that were taken back from them.
	Died, Recovered uint64
	// Faults counts numbers given back that the subscriber didn't hold.
	Faults uint64
}

func (c Counts) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d published", c.Published)
	for _, f := range []struct {
		n    uint64
		what string
	}{
		{c.PoolEmpty, "pool empty"},
		{c.DroppedOldest, "dropped as oldest"},
		{c.DroppedNewest, "dropped as newest"},
		{c.TimedOut, "dropped after waiting"},
		{c.Died, "subscribers died"},
		{c.Recovered, "chunks recovered"},
		{c.Faults, "faults"},
	} {
		if f.n > 0 {
			fmt.Fprintf(&b, ", %d %s", f.n, f.what)
		}
	}
	return b.String()
}
