package transport

import (
	"os"
	"sync"
)

// A wiring holds the links of a cell while its processes are started, each of
// which inherits its ends.
type wiring struct {
	publishers  [][]*os.File // by publisher, then subscriber
	subscribers [][]*os.File // by subscriber, then publisher
	mutex       sync.Mutex
}

// newWiring makes a link between each publisher and each subscriber, and one
// more for the way back.
func newWiring(c *Config) (*wiring, error) {
	w := &wiring{
		publishers:  make([][]*os.File, c.Publishers),
		subscribers: make([][]*os.File, c.Subscribers),
	}
	ways := 1
	if c.RoundTrip {
		ways = 2
	}
	for range ways {
		for p := range w.publishers {
			for s := range w.subscribers {
				a, b, err := NewLinkPair()
				if err != nil {
					w.close()
					return nil, err
				}
				w.publishers[p] = append(w.publishers[p], a)
				w.subscribers[s] = append(w.subscribers[s], b)
			}
		}
	}
	return w, nil
}

func (w *wiring) publisherFiles(p int, board *os.File) []*os.File {
	return append([]*os.File{board}, w.publishers[p]...)
}

func (w *wiring) subscriberFiles(s int, board *os.File) []*os.File {
	return append([]*os.File{board}, w.subscribers[s]...)
}

// fail keeps the first error.
func (w *wiring) fail(first *error, err error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if *first == nil {
		*first = err
	}
}

func (w *wiring) close() {
	for _, list := range [][][]*os.File{w.publishers, w.subscribers} {
		for _, files := range list {
			for _, f := range files {
				f.Close()
			}
		}
	}
}
