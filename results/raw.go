package results

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// RawMagic begins a file of raw samples, RawRow is the size of a row in bytes.
const (
	RawMagic = "worstcase raw 1\n"
	RawRow   = 32
)

// A RawWriter keeps every sample with its date. The file is RawMagic, then rows
// of four little-endian 64-bit integers: the series, the due time
// (CLOCK_MONOTONIC, ns), the latency in ns, and the periods missed after it.
type RawWriter struct {
	w   *bufio.Writer
	row [RawRow]byte
	err error
}

// NewRawWriter writes the magic to w.
func NewRawWriter(w io.Writer) *RawWriter {
	r := &RawWriter{w: bufio.NewWriterSize(w, 1<<18)}
	_, r.err = r.w.WriteString(RawMagic)
	return r
}

// Sample appends a row. The first error is kept for Close.
func (r *RawWriter) Sample(series int, due, latency, missed int64) {
	for i, v := range [...]int64{int64(series), due, latency, missed} {
		binary.LittleEndian.PutUint64(r.row[i*8:], uint64(v))
	}
	if r.err == nil {
		_, r.err = r.w.Write(r.row[:])
	}
}

// Close writes what is buffered and returns the first error. It leaves the
// underlying writer open.
func (r *RawWriter) Close() error {
	if r.err == nil {
		r.err = r.w.Flush()
	}
	if r.err != nil {
		return fmt.Errorf("write raw samples: %w", r.err)
	}
	return nil
}
