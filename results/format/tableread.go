package format

import (
	"bytes"

	"worstcase/results"
	"worstcase/results/foreign"
)

// ReadTables reads the tables of the RTH family in a text, however it came:
// Xenomai's latency, klatency and switch of every version, latmus, RTAI's
// latency and preempt tests, our own, and the tables made of them in mails, with
// quote marks and wrapped lines, the label at either end of a row.
//
// Rows between a header and its RTS line are one run; a row with a label of its
// own is one, too, and so is every RTD line of a table of switches. Figures
// without a decimal point are nanoseconds (no version printed whole
// microseconds) unless the text or o.Unit says otherwise.
func ReadTables(text []byte, o foreign.Options) ([]*foreign.Draft, error) {
	r := &tableReader{lines: foreign.Lines{Rest: text}, options: o, size: len(text)}
	for {
		line, ok := r.lines.Next()
		if !ok {
			break
		}
		if err := r.line(line); err != nil {
			return nil, err
		}
	}
	r.flush()
	if len(r.drafts) == 0 {
		return nil, foreign.ErrNoFigures
	}
	return r.drafts, nil
}

// A tableReader is at one line of a text with tables.
type tableReader struct {
	lines   foreign.Lines
	options foreign.Options
	size    int
	cells   [][]byte
	heading heading
	spent   bool // rows have followed the heading
	blank   bool // and a blank line followed these
	run     *tableRun
	torn    int // lines that were cut off
	drafts  []*foreign.Draft
	budget  int
}

// line takes one line.
func (r *tableReader) line(line []byte) error {
	if len(line) == 0 {
		r.blank = true
		return nil
	}
	if !bytes.ContainsRune(line, '|') {
		if bytes.HasPrefix(line, []byte("==")) {
			r.renew()
			r.heading.equals(line)
			return nil
		}
		if r.spent && r.blank {
			r.renew()
		}
		r.heading.text(line)
		return nil
	}
	r.cells = foreign.Cells(r.cells, line)
	if bytes.Trim(line, "-| ") == nil {
		return nil // a rule
	}
	switch string(r.cells[0]) {
	case "RTT":
		return r.rtt(line)
	case "HSD":
		return r.histogram()
	case "HSH", "HSS":
		return nil
	}
	if last := r.cells[len(r.cells)-1]; bytes.Equal(bytes.Trim(last, "- "), []byte("lat")) && isHeader(r.cells) {
		line = r.join(line) // a mailer wrapped "lat worst"
	}
	if isHeader(r.cells) {
		r.header()
		return nil
	}
	return r.row(line)
}

// join takes the next line as the end of this one.
func (r *tableReader) join(line []byte) []byte {
	next, _ := r.lines.Next()
	joined := bytes.Join([][]byte{line, bytes.TrimLeft(next, " ")}, []byte{' '})
	r.cells = foreign.Cells(r.cells, joined)
	return joined
}

// renew begins a new heading, once rows have followed the last.
func (r *tableReader) renew() {
	if !r.spent {
		return
	}
	r.flush()
	r.heading = heading{}
	r.spent, r.blank = false, false
}

func (r *tableReader) rtt(line []byte) error {
	if bytes.ContainsRune(line, '(') && !bytes.ContainsRune(line, ')') {
		r.join(line)
	}
	if len(r.cells) < 2 {
		return nil
	}
	at, bracket, _ := bytes.Cut(r.cells[1], []byte{'('})
	if seconds, ok := foreign.Clock(bytes.TrimSpace(at)); ok && seconds <= 1 {
		r.flush()
	}
	r.heading.rtt(bracket)
	return nil
}

// header takes a header line: the first of a table, or one repeated in a long
// run.
func (r *tableReader) header() {
	if r.spent && r.blank && (r.run == nil || r.run.closed) {
		r.renew()
	}
	r.heading.header(r.cells)
	r.blank = false
}

// row takes a row of figures, or passes a line by that is none.
func (r *tableReader) row(line []byte) error {
	h := &r.heading
	kind := string(r.cells[0])
	measured := kind == "RTD" || kind == "RTS"
	if len(h.columns) == 0 && measured {
		h.assume(kind, len(r.cells)-1)
	}
	if len(h.columns) == 0 || measured == h.named {
		return nil
	}
	if kind == "RTS" && r.run != nil && r.run.closed && cpuLabels(r.lastWord(line)) == nil {
		r.flush()
	}
	for tries := 0; tries < 2 && len(r.cells)-1 < h.width(kind) && r.continues(); tries++ {
		line = r.join(line)
	}
	figures, err := h.row(r.cells[1:], kind, r.options)
	if err != nil || figures.missing == allFigures || len(r.cells)-1 < h.width(kind) {
		if measured {
			r.torn++
		}
		return nil // torn, or prose with bars
	}
	r.spent, r.blank = true, false
	if h.named {
		figures.label = string(r.cells[0])
	}
	switch {
	case h.named || h.switches():
		r.flush()
		r.open().total(figures)
	case kind == "RTD":
		r.open().interval(figures)
	default:
		r.open().total(figures)
	}
	return r.failed()
}

// continues tells whether the next line can be the rest of a wrapped row.
func (r *tableReader) continues() bool {
	next := r.lines.Peek()
	for _, begin := range []string{"RT", "HS", "--", "=="} {
		if bytes.HasPrefix(next, []byte(begin)) {
			return false
		}
	}
	return len(next) > 0
}

func (r *tableReader) lastWord(line []byte) string {
	words := bytes.Fields(line)
	return string(foreign.Clip(words[len(words)-1]))
}

// open returns the run that is being read.
func (r *tableReader) open() *tableRun {
	if r.run == nil {
		r.run = &tableRun{draft: foreign.NewDraft("", "table", r.size)}
		r.budget += 2000
	}
	return r.run
}

// failed is the error that reading must stop for.
func (r *tableReader) failed() error {
	if r.run != nil && r.run.draft.Err() != nil {
		return r.run.draft.Err()
	}
	if r.budget > 1<<18+9*r.size {
		return foreign.ErrSize
	}
	return nil
}

// flush ends the run that is being read.
func (r *tableReader) flush() {
	if r.run == nil {
		return
	}
	if r.torn > 0 {
		r.run.draft.Warn("left out: %s", results.Counted(r.torn, "torn line"))
		r.torn = 0
	}
	if len(r.run.series) > 0 {
		r.run.finish(&r.heading, r.options)
		r.drafts = append(r.drafts, r.run.draft)
	}
	r.run = nil
}
