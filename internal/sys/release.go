//go:build !amd64 || race

package sys

import "sync/atomic"

// StoreRelease stores value in *w so that whoever loads it there sees all that was
// written before. It promises no more than that; here it is w.Store, which does.
func StoreRelease(w *atomic.Uint32, value uint32) { w.Store(value) }
