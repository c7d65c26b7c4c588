package transport

import (
	"encoding/binary"
)

// HeaderBytes is what a frame has before its payload: sequence number, due
// time, start of filling, time of sending (CLOCK_MONOTONIC, ns), length of the
// payload, and flags; little endian.
const HeaderBytes = 40

// A header is the fixed part of a frame.
type header struct {
	// seq counts a publisher's messages from 1.
	seq             uint64
	due, fill, send int64
	length, flags   uint32
}

// flagFilled says that the payload was filled, and can be verified.
const flagFilled = 1

//go:nosplit
func (h *header) put(b []byte) {
	_ = b[HeaderBytes-1]
	binary.LittleEndian.PutUint64(b[0:], h.seq)
	binary.LittleEndian.PutUint64(b[8:], uint64(h.due))
	binary.LittleEndian.PutUint64(b[16:], uint64(h.fill))
	binary.LittleEndian.PutUint64(b[24:], uint64(h.send))
	binary.LittleEndian.PutUint32(b[32:], h.length)
	binary.LittleEndian.PutUint32(b[36:], h.flags)
}

// stamp writes the time of sending into the frame that put wrote: it is all that
// is to be done between the clock and the sending.
//
//go:nosplit
func (h *header) stamp(b []byte, send int64) {
	h.send = send
	binary.LittleEndian.PutUint64(b[24:], uint64(send))
}

//go:nosplit
func (h *header) get(b []byte) {
	_ = b[HeaderBytes-1]
	h.seq = binary.LittleEndian.Uint64(b[0:])
	h.due = int64(binary.LittleEndian.Uint64(b[8:]))
	h.fill = int64(binary.LittleEndian.Uint64(b[16:]))
	h.send = int64(binary.LittleEndian.Uint64(b[24:]))
	h.length = binary.LittleEndian.Uint32(b[32:])
	h.flags = binary.LittleEndian.Uint32(b[36:])
}

// A pattern fills payloads and knows them again. Every message has another one:
// a block of words that follow from its sequence number, over and over. Each
// block is compared whole, so that no changed, missing or foreign byte escapes,
// and reading costs what reading memory costs.
type pattern struct {
	block [4096]byte
}

// Odd constants, from the fractions of the golden ratio and of the square root
// of two: all words of a block, and the same word of neighbouring messages, differ.
const (
	perMessage = 0x9e3779b97f4a7c15
	perWord    = 0x6a09e667f3bcc909
)

// make sets the first n bytes of the block for message seq.
func (p *pattern) make(seq uint64, n int) []byte {
	n = min(n, len(p.block))
	word := seq * perMessage
	for i := 0; i < n; i += 8 {
		binary.LittleEndian.PutUint64(p.block[i:], word)
		word += perWord
	}
	return p.block[:n]
}

// fill fills b, the payload of message seq.
func (p *pattern) fill(b []byte, seq uint64) {
	block := p.make(seq, len(b))
	for len(b) > 0 {
		b = b[copy(b, block):]
	}
}

// fillWords fills b one 32-bit word after the other, as a message of repeated
// integers is written, and verifyWords reads it so. The bytes are those of fill.
func (p *pattern) fillWords(b []byte, seq uint64) {
	block := p.make(seq, len(b))
	for at := 0; at+4 <= len(b); at += 4 {
		binary.LittleEndian.PutUint32(b[at:], binary.LittleEndian.Uint32(block[at%len(block):]))
	}
	if tail := len(b) &^ 3; tail < len(b) {
		copy(b[tail:], block[tail%len(block):])
	}
}

func (p *pattern) verifyWords(b []byte, seq uint64) bool {
	block := p.make(seq, len(b))
	for at := 0; at+4 <= len(b); at += 4 {
		if binary.LittleEndian.Uint32(b[at:]) != binary.LittleEndian.Uint32(block[at%len(block):]) {
			return false
		}
	}
	tail := len(b) &^ 3
	return len(b) == tail || string(b[tail:]) == string(block[tail%len(block):][:len(b)-tail])
}

// verify reads all of b and reports whether it is the payload of message seq.
func (p *pattern) verify(b []byte, seq uint64) bool {
	block := p.make(seq, len(b))
	for len(b) > len(block) {
		if string(b[:len(block)]) != string(block) {
			return false
		}
		b = b[len(block):]
	}
	return string(b) == string(block[:len(b)])
}
