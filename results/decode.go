package results

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
)

// A decoder keeps its buffers, and the decompressor, which is costly to make.
type decoder struct {
	packed []byte
	source bytes.Reader
	zlib   io.ReadCloser
	counts bytes.Buffer
	few    []cell
}

// decode replaces h by the histogram in text; on an error h is empty.
func (d *decoder) decode(h *Histogram, text []byte) error {
	h.Reset()
	if err := d.open(text); err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	count, overflow, err := d.read()
	if err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	h.count, h.overflow = count, overflow
	h.few = d.few
	if h.blocks != nil || len(d.few) > fewMax {
		h.spread()
	} else {
		h.few = slices.Clone(d.few)
	}
	return nil
}

// open undoes base64 and the envelope, and points d.zlib to what is in it.
func (d *decoder) open(text []byte) (err error) {
	d.packed, err = base64.StdEncoding.AppendDecode(d.packed[:0], text)
	if err != nil {
		return err
	}
	if len(d.packed) < 8 {
		return io.ErrUnexpectedEOF
	}
	if c := binary.BigEndian.Uint32(d.packed); c&cookieMask != envelopeCookie&cookieMask {
		return fmt.Errorf("cookie %#x isn't that of a compressed V2 histogram", c)
	}
	n := binary.BigEndian.Uint32(d.packed[4:])
	if uint64(n) > uint64(len(d.packed)-8) {
		return io.ErrUnexpectedEOF
	}
	d.source.Reset(d.packed[8 : 8+n])
	if d.zlib == nil {
		d.zlib, err = zlib.NewReader(&d.source)
	} else {
		err = d.zlib.(zlib.Resetter).Reset(&d.source, nil)
	}
	return err
}

// read reads header and counts, into d.few but for the overflow.
func (d *decoder) read() (count, overflow int64, err error) {
	d.few = d.few[:0]
	var head [headerLen]byte
	if _, err := io.ReadFull(d.zlib, head[:]); err != nil {
		return 0, 0, noEOF(err)
	}
	g, left, err := parseHeader(head[:])
	if err != nil {
		return 0, 0, err
	}
	d.counts.Reset()
	n, err := d.counts.ReadFrom(&io.LimitedReader{R: d.zlib, N: int64(left) + 1}) // at the end zlib checks its sum
	switch {
	case err != nil:
		return 0, 0, err
	case n < int64(left):
		return 0, 0, io.ErrUnexpectedEOF
	case n > int64(left):
		return 0, 0, errors.New("more data than announced")
	}
	rest := d.counts.Bytes()
	for i := uint64(0); len(rest) > 0; {
		v, n := zigZag(rest)
		if n == 0 {
			return 0, 0, io.ErrUnexpectedEOF
		}
		rest = rest[n:]
		if v < 0 {
			if i += uint64(-v); i > g.buckets { // -v of the lowest int64 is 2⁶³ here
				return 0, 0, fmt.Errorf("%d buckets, %d at most", i, g.buckets)
			}
			continue
		}
		if i >= g.buckets {
			return 0, 0, fmt.Errorf("more than %d buckets", g.buckets)
		}
		if v > math.MaxInt64-count {
			return 0, 0, errCounts
		}
		count += v
		if ns := g.middle(i); ns > Highest {
			overflow += v
		} else if v > 0 {
			d.push(index(ns), v)
		}
		i++
	}
	return count, overflow, nil
}

// push counts n samples in bucket i, which is not below those before.
func (d *decoder) push(i int, n int64) {
	if last := len(d.few) - 1; last >= 0 && d.few[last].index == i {
		d.few[last].n += n
		return
	}
	d.few = append(d.few, cell{i, n})
}

// noEOF tells an end in the middle from a whole histogram.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// zigZag takes the value that text begins with, and returns its length, 0 where
// text ends within it.
func zigZag(text []byte) (v int64, n int) {
	var u uint64
	for i, b := range text {
		if i == 8 {
			u |= uint64(b) << 56
		} else {
			u |= uint64(b&0x7f) << (7 * i)
		}
		if b < 0x80 || i == 8 {
			return int64(u>>1) ^ -int64(u&1), i + 1
		}
	}
	return 0, 0
}

// A geometry says which values the buckets of a decoded histogram hold.
type geometry struct {
	unit    int    // values count in units of 2^unit
	half    int    // a doubling has 2^half buckets
	buckets uint64 // how many there can be
}

// parseHeader returns the geometry and the length of the counts in bytes.
func parseHeader(head []byte) (g geometry, payload int, err error) {
	be := binary.BigEndian
	if c := be.Uint32(head); c&cookieMask != headerCookie&cookieMask {
		return g, 0, fmt.Errorf("cookie %#x isn't that of a V2 histogram", c)
	}
	length, figures := be.Uint32(head[4:]), be.Uint32(head[12:])
	if length > maxPayload {
		return g, 0, fmt.Errorf("%d bytes of counts, %d at most", length, maxPayload)
	}
	if figures > 5 {
		return g, 0, fmt.Errorf("%d significant digits, 5 at most", int32(figures))
	}
	// A lowest value below 1 means 1: old libraries wrote 0.
	lowest, highest := max(int64(be.Uint64(head[16:])), 1), int64(be.Uint64(head[24:]))
	g.unit = bits.Len64(uint64(lowest)) - 1
	two := uint64(2)
	for range figures {
		two *= 10
	}
	g.half = bits.Len64(two-1) - 1
	if g.unit+g.half > 61 {
		return g, 0, fmt.Errorf("lowest value %d with %d digits has no layout", lowest, figures)
	}
	doublings := max(bits.Len64(uint64(max(highest, 0)))-(g.unit+g.half+1), 0)
	g.buckets = uint64(doublings+2) << g.half
	return g, int(length), nil
}

// middle of bucket i, in ns; Highest where only that parts it from the overflow.
func (g geometry) middle(i uint64) int64 {
	shift := 0
	if k := int(i >> g.half); k > 1 {
		shift = k - 1
	}
	shift += g.unit
	low := (i - uint64(shift-g.unit)<<g.half) << shift
	return int64(min(low+1<<shift>>1, max(low, Highest)))
}
