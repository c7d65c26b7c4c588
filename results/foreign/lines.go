package foreign

import "bytes"

// Lines yield the lines of a text as people send it: without carriage
// returns, quote marks of mails, terminal bells, and the ^C that a terminal
// echoes before what the interrupted program still prints.
type Lines struct{ Rest []byte }

// Next returns the next line, and false after the last.
func (l *Lines) Next() ([]byte, bool) {
	if len(l.Rest) == 0 {
		return nil, false
	}
	line, rest, _ := bytes.Cut(l.Rest, []byte{'\n'})
	l.Rest = rest
	return clean(line), true
}

// Peek returns the next line without taking it.
func (l *Lines) Peek() []byte {
	line, _, _ := bytes.Cut(l.Rest, []byte{'\n'})
	return clean(line)
}

// clean strips what mailers and terminals add to a line.
func clean(line []byte) []byte {
	line = bytes.TrimRight(line, "\r \t")
	for i := 0; i < len(line); i++ {
		if c := line[i]; c == '>' {
			line, i = line[i+1:], -1
		} else if c != ' ' && c != '\t' {
			break
		}
	}
	line = bytes.TrimPrefix(line, []byte("^C"))
	return bytes.TrimLeft(line, "\r")
}

// Cells splits a line at its bars into trimmed cells, reusing dst.
func Cells(dst [][]byte, line []byte) [][]byte {
	dst = dst[:0]
	for {
		cell, rest, more := bytes.Cut(line, []byte{'|'})
		dst = append(dst, bytes.TrimSpace(cell))
		if !more {
			return dst
		}
		line = rest
	}
}
