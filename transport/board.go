package transport

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// A board is a page of shared memory for each end of a cell, and one for all
// of them: the measuring threads count on it while they run, so that counts are
// there each second, and survive a process that doesn't.
type board struct {
	file   *os.File
	memory []byte
}

// A page is one end's part of the board. Only that end writes it.
type page struct {
	memory []byte
	words  []atomic.Uint32
}

// The words of a page.
const (
	wordMessages   = iota // published or received, of the measured time
	wordLost              // a subscriber's gaps
	wordDuplicates        // messages that came twice
	wordReordered         // messages that came after a later one
	wordCorrupt           // messages with a wrong payload
	wordLate              // messages later than one period
	wordDropped           // a publisher's messages not sent to all
	wordText              // length of the text, which is written last
	boardWords

	textAt    = 1024
	pageBytes = 4096
)

func boardBytes(ends int) int { return (1 + ends) * pageBytes }

// newBoard makes a board for so many ends.
func newBoard(ends int) (*board, error) {
	fd, memory, err := sys.NewSealed("transport-board", boardBytes(ends), false)
	if err != nil {
		return nil, err
	}
	return &board{file: os.NewFile(uintptr(fd), "board"), memory: memory}, nil
}

// openBoard maps an inherited board. The file stays the caller's.
func openBoard(f *os.File, ends int) (*board, error) {
	memory, err := sys.MapSealed(int(f.Fd()), boardBytes(ends), true)
	if err != nil {
		return nil, err
	}
	return &board{memory: memory}, nil
}

// setTime tells the ends the measured time, before any of them is let go. to is
// 0 when it isn't known.
func (b *board) setTime(from, to int64) {
	binary.NativeEndian.PutUint64(b.memory[0:], uint64(from))
	binary.NativeEndian.PutUint64(b.memory[8:], uint64(to))
}

func (b *board) time() (from, to int64) {
	return int64(binary.NativeEndian.Uint64(b.memory[0:])), int64(binary.NativeEndian.Uint64(b.memory[8:]))
}

// page returns the page of end i.
func (b *board) page(i int) page {
	m := b.memory[(1+i)*pageBytes : (2+i)*pageBytes]
	return page{memory: m, words: sys.SharedWords(m, 0, boardWords)}
}

func (b *board) close() {
	unix.Munmap(b.memory)
	if b.file != nil {
		b.file.Close()
	}
}

// count returns a word.
func (p *page) count(word int) int64 { return int64(p.words[word].Load()) }

// putText leaves a value for the parent, once, at the end.
func (p *page) putText(v any) {
	text, err := json.Marshal(v)
	if err != nil || len(text) > pageBytes-textAt {
		return
	}
	copy(p.memory[textAt:], text)
	p.words[wordText].Store(uint32(len(text)))
}

// text decodes what putText left, and returns false when nothing is there.
func (p *page) text(v any) bool {
	n := int(p.words[wordText].Load())
	return n > 0 && n <= pageBytes-textAt && json.Unmarshal(p.memory[textAt:textAt+n], v) == nil
}
