package results

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
)

// The HdrHistogram V2 format, as its Java original defines it: an envelope of
// cookie and length around a zlib stream, which holds a header of 40 bytes
// (cookie, payload length, normalizing offset, digits, lowest and highest
// value, conversion ratio; big-endian) and the counts in bucket order as
// ZigZag LEB128 of at most nine bytes, in which -n stands for n empty buckets.
const (
	envelopeCookie = 0x1c849314
	headerCookie   = 0x1c849313
	cookieMask     = ^uint32(0xf0) // the word size, of no meaning in V2
	headerLen      = 40
)

// maxPayload bounds what a hostile histogram can make the decoder inflate. An
// honest one of three digits has less than a tenth of it.
const maxPayload = 4 << 20

var errCounts = errors.New("more samples than 64 bits hold")

// MarshalText returns h as HdrHistogram V2, compressed, in base64: what every
// HdrHistogram library reads. Underflow and overflow have no place in it; the
// records of a run log carry them beside it.
func (h *Histogram) MarshalText() ([]byte, error) {
	return new(encoder).append(nil, h), nil
}

// UnmarshalText replaces h by the histogram in text, which may have any range
// and precision (kernel maps have two digits): each count goes to the middle of
// its bucket, which is where it was when the text has three digits, and above
// Highest to the overflow. It returns an error, and leaves h empty, when text
// isn't a whole HdrHistogram V2 in base64.
func (h *Histogram) UnmarshalText(text []byte) error {
	return new(decoder).decode(h, text)
}

// An encoder keeps the compressor, which is costly to make.
type encoder struct {
	payload []byte
	packed  bytes.Buffer
	zlib    *zlib.Writer
}

// append appends the text of h to dst.
func (e *encoder) append(dst []byte, h *Histogram) []byte {
	e.payload = appendCounts(append(e.payload[:0], make([]byte, headerLen)...), h)
	be := binary.BigEndian
	be.PutUint32(e.payload[0:], headerCookie)
	be.PutUint32(e.payload[4:], uint32(len(e.payload)-headerLen))
	be.PutUint32(e.payload[12:], digits)
	be.PutUint64(e.payload[16:], 1)
	be.PutUint64(e.payload[24:], Highest)
	be.PutUint64(e.payload[32:], math.Float64bits(1))

	e.packed.Reset()
	e.packed.Write(make([]byte, 8))
	if e.zlib == nil {
		e.zlib = zlib.NewWriter(&e.packed)
	} else {
		e.zlib.Reset(&e.packed)
	}
	e.zlib.Write(e.payload) // a bytes.Buffer has no errors
	e.zlib.Close()
	packed := e.packed.Bytes()
	be.PutUint32(packed[0:], envelopeCookie)
	be.PutUint32(packed[4:], uint32(len(packed)-8))
	return base64.StdEncoding.AppendEncode(dst, packed)
}

// appendCounts appends the counts of h up to the last that isn't 0.
func appendCounts(dst []byte, h *Histogram) []byte {
	next := 0
	h.each(0, func(i int, n int64) bool {
		if i > next {
			dst = appendZigZag(dst, emptyRun(int64(i-next)))
		}
		dst = appendZigZag(dst, n)
		next = i + 1
		return true
	})
	return dst
}

// emptyRun is how n empty buckets are written: HdrHistogram writes a single
// one as the count 0.
func emptyRun(n int64) int64 {
	if n == 1 {
		return 0
	}
	return -n
}

// appendZigZag appends v with its sign in the lowest bit, seven bits a byte,
// lowest first; a ninth byte holds the last eight.
func appendZigZag(dst []byte, v int64) []byte {
	u := uint64(v)<<1 ^ uint64(v>>63)
	for range 8 {
		if u < 0x80 {
			return append(dst, byte(u))
		}
		dst = append(dst, byte(u)|0x80)
		u >>= 7
	}
	return append(dst, byte(u))
}
