package format

import (
	"bytes"
	"fmt"
	"math"
	"time"

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
	if h.named || (kind == "RTD" && !h.has(colBest) && h.has(colLost)) {
		r.flush()
		r.open().total(figures)
		r.flush()
		return r.failed()
	}
	if kind == "RTD" {
		r.open().interval(figures)
	} else {
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
		r.run.draft.Warn("%d torn lines were left out", r.torn)
		r.torn = 0
	}
	r.run.finish(&r.heading, r.options)
	r.drafts = append(r.drafts, r.run.draft)
	r.run = nil
}

// A tableRow is the figures of one row. Times are in ns, and absent unless their bit in missing
// is clear.
type tableRow struct {
	missing     results.Missing
	min, max    int64
	best, worst int64
	hasBest     bool
	avg         float64
	overruns    int64
	lost        int64
	switches    int64
	seconds     float64
	asked       float64
	label       string
}

const allFigures = results.NoMin | results.NoMean | results.NoMax | results.NoOverruns | results.NoLost

// width is how many cells a row of some kind has after its first.
func (h *heading) width(kind string) int {
	if kind == "RTS" && h.has(colBest) {
		return len(h.columns) - 1
	}
	return len(h.columns)
}

// row reads the cells after a row's first.
func (h *heading) row(cells [][]byte, kind string, o foreign.Options) (tableRow, error) {
	f := tableRow{missing: allFigures}
	unit := h.unit
	if unit == 0 {
		unit = unitOf(cells, o)
	}
	for i, cell := range cells {
		col := colOther
		if i < len(h.columns) {
			col = h.columns[i]
		}
		if kind == "RTS" && (col == colBest || col == colWorst) {
			col = colTime
		}
		if i == len(cells)-1 && col != colTime {
			cell = f.takeLabel(cell)
		}
		if len(cell) == 0 || string(cell) == "?" || string(cell) == "-" {
			continue
		}
		if err := f.set(col, cell, unit); err != nil {
			return f, err
		}
	}
	return f, nil
}

// takeLabel cuts a label off the last cell of a row.
func (f *tableRow) takeLabel(cell []byte) []byte {
	number, label, _ := bytes.Cut(cell, []byte{' '})
	f.label = string(bytes.TrimSpace(clipLine(label)))
	return number
}

// set stores the figure of one cell.
func (f *tableRow) set(col meaning, cell []byte, unit time.Duration) (err error) {
	switch col {
	case colMin:
		f.min, err = foreign.ParseTime(cell, unit)
		f.missing &^= results.NoMin
	case colAvg:
		f.avg, err = foreign.ParseTimeF(cell, unit)
		f.missing &^= results.NoMean
	case colMax:
		f.max, err = foreign.ParseTime(cell, unit)
		f.missing &^= results.NoMax
	case colBest:
		f.best, err = foreign.ParseTime(cell, unit)
		f.hasBest = true
	case colWorst:
		f.worst, err = foreign.ParseTime(cell, unit)
	case colOverruns:
		f.overruns, err = foreign.ParseCount(cell)
		f.missing &^= results.NoOverruns
	case colLost:
		f.lost, err = foreign.ParseCount(cell)
		f.missing &^= results.NoLost
	case colSwitches:
		f.switches, err = foreign.ParseCount(cell)
	case colTime:
		f.times(cell)
	}
	if err != nil {
		return fmt.Errorf("read table: %w", err)
	}
	return nil
}

// times reads "00:12:05", "00:00:10/00:00:10", and the label that may follow.
func (f *tableRow) times(cell []byte) {
	at, label, _ := bytes.Cut(cell, []byte{' '})
	f.label = string(bytes.TrimSpace(clipLine(label)))
	took, asked, _ := bytes.Cut(at, []byte{'/'})
	f.seconds, _ = foreign.Clock(took)
	f.asked, _ = foreign.Clock(asked)
}

// unitOf decides the unit of a row that stands under no "All results" line.
func unitOf(cells [][]byte, o foreign.Options) time.Duration {
	for _, cell := range cells[:min(len(cells), 3)] {
		if bytes.ContainsRune(cell, '.') {
			return time.Microsecond
		}
	}
	if o.Unit != 0 {
		return o.Unit
	}
	return time.Nanosecond
}

// nanoseconds turns seconds into ns.
func nanoseconds(seconds float64) int64 { return int64(math.Round(seconds * 1e9)) }
