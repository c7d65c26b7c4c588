package foreign

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// A Scanner walks through JSON as measuring tools write it, which is not always
// JSON: an average of no samples stands there as -nan, and quotes in a command
// line are not escaped. It copies nothing but the strings it returns. The first
// error ends the walk; every later call returns it.
type Scanner struct {
	text []byte
	pos  int
	err  error
}

// NewScanner begins at the start of text.
func NewScanner(text []byte) *Scanner { return &Scanner{text: text} }

// errSyntax is JSON that can't even be read leniently.
var errSyntax = errors.New("not the JSON expected here")

// maxDepth bounds nesting. No tool writes more than five levels.
const maxDepth = 32

func (s *Scanner) fail() error {
	if s.err == nil {
		s.err = fmt.Errorf("%w, at byte %d", errSyntax, s.pos)
	}
	return s.err
}

// Err is the first error.
func (s *Scanner) Err() error { return s.err }

// Next skips white space and returns the first byte of what follows, 0 at the
// end: '{', '[' or '"', or the start of a number or word.
func (s *Scanner) Next() byte {
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// take takes one byte of punctuation.
func (s *Scanner) take(c byte) bool {
	if s.Next() != c {
		return false
	}
	s.pos++
	return true
}

// Object calls member with each key of the object that follows. It must take
// the member's value, by any method of s. What is no object is skipped.
func (s *Scanner) Object(member func(key []byte)) {
	s.list('{', '}', func() {
		key := s.quoted()
		if !s.take(':') {
			s.fail()
			return
		}
		at := s.pos
		if member(key); s.err == nil && s.pos == at {
			s.Skip()
		}
	})
}

// Array calls element before each element of the array that follows.
func (s *Scanner) Array(element func()) {
	s.list('[', ']', func() {
		at := s.pos
		if element(); s.err == nil && s.pos == at {
			s.Skip()
		}
	})
}

func (s *Scanner) list(open, end byte, each func()) {
	if s.err != nil {
		return
	}
	if !s.take(open) {
		s.Skip()
		return
	}
	if s.take(end) {
		return
	}
	for s.err == nil {
		if each(); s.err != nil {
			return
		}
		if s.take(end) {
			return
		}
		if !s.take(',') {
			s.fail()
		}
		if s.take(end) { // a trailing comma
			return
		}
	}
}

// quoted takes a string and returns what is between its quotes, as it stands.
func (s *Scanner) quoted() []byte {
	if !s.take('"') {
		s.fail()
		return nil
	}
	for i := s.pos; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case '"':
			text := s.text[s.pos:i]
			s.pos = i + 1
			return text
		}
	}
	s.fail()
	return nil
}

// Text takes a string. A value of another kind is skipped, and gives "".
func (s *Scanner) Text() string {
	if s.err != nil || s.Next() != '"' {
		s.Skip()
		return ""
	}
	raw := s.quoted()
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	if text, err := strconv.Unquote(`"` + string(raw) + `"`); err == nil {
		return text
	}
	return string(raw)
}

// RestOfLine takes a string that ends with the last quote of its line, whatever
// is in it.
func (s *Scanner) RestOfLine() string {
	if s.err != nil || s.Next() != '"' {
		s.Skip()
		return ""
	}
	line, _, _ := bytes.Cut(s.text[s.pos+1:], []byte{'\n'})
	end := bytes.LastIndexByte(line, '"')
	if tail := bytes.TrimRight(line, " \t\r,"); end < 0 || end != len(tail)-1 {
		return s.Text() // more follows on this line
	}
	s.pos += 1 + end + 1
	return string(line[:end])
}

// Number takes a number as it stands: nil when the value is null, nan, or no
// number.
func (s *Scanner) Number() []byte {
	if s.err != nil {
		return nil
	}
	switch s.Next() {
	case '{', '[', '"':
		s.Skip()
		return nil
	}
	word := s.word()
	if len(word) == 0 {
		s.fail()
		return nil
	}
	if c := word[len(word)-1]; c < '0' || c > '9' {
		return nil // null, true, nan, -nan, inf
	}
	return word
}

// word takes what is neither quoted nor punctuation.
func (s *Scanner) word() []byte {
	s.Next()
	from := s.pos
	for s.pos < len(s.text) && bytes.IndexByte([]byte(" \t\r\n,:{}[]\""), s.text[s.pos]) < 0 {
		s.pos++
	}
	return s.text[from:s.pos]
}

// Count takes a number that counts, and tells whether there was one.
func (s *Scanner) Count() (int64, bool) {
	word := s.Number()
	if word == nil {
		return 0, false
	}
	n, err := ParseCount(word)
	if err != nil {
		s.pos -= len(word)
		s.fail()
		return 0, false
	}
	return n, true
}

// Skip takes any value.
func (s *Scanner) Skip() { s.skip(0) }

func (s *Scanner) skip(depth int) {
	if s.err != nil {
		return
	}
	if depth > maxDepth {
		s.fail()
		return
	}
	switch c := s.Next(); c {
	case '"':
		s.quoted()
	case '{', '[':
		s.list(c, c+2, func() {
			if c == '{' {
				s.quoted()
				if !s.take(':') {
					s.fail()
				}
			}
			s.skip(depth + 1)
		})
	default:
		if len(s.word()) == 0 {
			s.fail()
		}
	}
}
