//go:build !race

package sys

import "sync/atomic"

// StoreRelease stores value in *w so that whoever loads it there sees all that was
// written before. Unlike w.Store it lets loads that follow come first: no later
// load may be relied on to see what another thread stored before. On amd64 that
// is a plain store, where w.Store is a locked exchange that waits until every
// write before it has reached the cache.
//
//go:noescape
func StoreRelease(w *atomic.Uint32, value uint32)
