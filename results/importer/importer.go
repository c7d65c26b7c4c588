// Package importer turns what other tools print into runs: it knows each
// format by its content, reads it with results/format or, where worstcase only
// reads it, itself.
//
// A figure that a file does not tell stays missing. A unit that a file does not
// tell is asked for, with foreign.ErrUnit, unless every version of the tool used
// the same.
package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"worstcase/results"
	"worstcase/results/foreign"
	"worstcase/results/format"
)

// ErrFormat is what Read fails with when no known format fits.
var ErrFormat = errors.New("unknown format")

// ErrRunLog is what Read fails with for a run log of our own.
var ErrRunLog = errors.New("this is a run log already")

// ErrLarge is what ReadFrom fails with when a file is too large to be read.
var ErrLarge = errors.New("larger than 1 GiB, or without an end")

// A Format is one kind of file that can be imported.
type Format struct {
	Name string
	// About says in a few words whose output it is.
	About string
	// sniff tells whether a text can be of this format. It sees the first 64 KiB.
	sniff func(head []byte) bool
	read  func(text []byte, o foreign.Options) ([]*foreign.Draft, error)
}

// Formats are all known formats, in the order in which they are tried.
func Formats() []Format {
	return []Format{
		{"rt-tests-json", "--json of cyclictest, oslat, pmqtest, signaltest and their kin", sniffRTTests, readRTTests},
		{"jitterdebugger", "results.json of jitterdebugger", sniffJitterdebugger, readJitterdebugger},
		{"osadl", "OSADL RT Dataset", sniffAll(`"RT Dataset"`), format.ReadOSADL},
		{"rteval", "summary.xml of rteval", sniffRteval, readRteval},
		{"rtla-hist", "rtla timerlat hist, rtla osnoise hist", sniffRTLAHist, readRTLAHist},
		{"rtla-timerlat-top", "rtla timerlat top", sniffAll("Timer Latency (", "COUNT"), readTimerlatTop},
		{"rtla-osnoise-top", "rtla osnoise top, rtla hwnoise", sniffAll("Max Noise", "Max Single"), readOsnoiseTop},
		{"timerlat-trace", "raw lines of the kernel's timerlat tracer", sniffAll(" timer_latency ", "context"), readTimerlatTrace},
		{"hwlat-trace", "raw lines of the kernel's hwlat tracer", sniffAll("inner/outer(us):"), readHwlatTrace},
		{"hwlatdetect", "hwlatdetect", sniffAll("hwlatdetect:"), readHwlatdetect},
		{"oslat", "oslat", sniffAll("Counter Freq:", "Minimum:"), readOslat},
		{"rt-migrate-test", "rt-migrate-test", sniffAll(" Task 0 (prio "), readRTMigrate},
		{"stress-ng", "stress-ng --cyclic", sniffAll(" cyclic: sched "), readStressNG},
		{"cyber-benchmark", "text of cyber_benchmark", sniffAll("data-size:", "/reader-nums:"), readCyberBenchmark},
		{"cyberrt-report", "table of a CyberRT performance report", sniffAll("message_size", "latency_us"), readCyberReport},
		{"switchtest", "Xenomai's switchtest, EVL's hectic", sniffAll("ctx switches|"), readSwitchtest},
		{"gnuplot", "latency -g, latmus -g", format.IsGnuplot, format.ReadGnuplot},
		{"cyclictest", "cyclictest, signaltest, with -h, -H, -v", format.IsCyclictest, format.ReadCyclictest},
		{"rt-tests", "text of pmqtest, ptsematest, svsematest, sigwaittest", sniffPairs, readPairs},
		{"table", "tables of Xenomai, RTAI, latmus and mailing lists", sniffTable, format.ReadTables},
		{"jitterdebugger-raw", "samples.raw of jitterdebugger", sniffRaw, readRaw},
	}
}

// Options say what Read can't learn from the file.
type Options struct {
	foreign.Options
	// Format forces one of Formats by its name. Empty means to sniff.
	Format string
	// File is the name of what is read, for labels and messages.
	File string
}

// mostRead bounds what ReadFrom takes of a file in a known format. Larger ones
// would need as much memory.
const mostRead = 1 << 30

// sniffed is how much of a text the formats see to know it.
const sniffed = 1 << 16

// ReadFrom is Read of all of r, which may have no end: what no format fits is
// refused after its first 64 KiB, more than a GiB with ErrLarge.
func ReadFrom(r io.Reader, o Options) ([]*results.Run, error) { return readFrom(r, o, mostRead) }

func readFrom(r io.Reader, o Options, most int64) ([]*results.Run, error) {
	b := bufio.NewReaderSize(r, sniffed)
	head, err := b.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if _, err := pick(head, o.Format); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(b, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > most {
		return nil, ErrLarge
	}
	runs, _, err := Read(text, o)
	return runs, err
}

// Read reads the runs in text. It tells the name of the format as well. The runs
// keep their intervals, which never have histograms.
func Read(text []byte, o Options) (runs []*results.Run, name string, err error) {
	f, err := pick(text, o.Format)
	if err != nil {
		return nil, "", err
	}
	drafts, err := f.read(text, o.Options)
	if err != nil {
		return nil, f.Name, fmt.Errorf("import as %s: %w", f.Name, err)
	}
	for i, d := range drafts {
		d.Fact("machine", o.Machine)
		if d.Header.Label == "" {
			d.Header.Label = label(d, o)
		}
		run, err := d.Run()
		if err != nil {
			return nil, f.Name, fmt.Errorf("import as %s: %w", f.Name, err)
		}
		run.Source = o.File
		runs = append(runs, run)
		drafts[i] = nil
	}
	if len(runs) == 0 {
		return nil, f.Name, fmt.Errorf("import as %s: %w", f.Name, foreign.ErrNoFigures)
	}
	return runs, f.Name, nil
}

// label names a run that its file doesn't name: by the kernel, else by the file.
func label(d *foreign.Draft, o Options) string {
	if o.Label != "" {
		return o.Label
	}
	if release := d.Header.Host["kernel.release"]; release != "" {
		return release
	}
	base := filepath.Base(o.File)
	if base == "." || base == "-" {
		return d.Header.Tool
	}
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// pick finds the format of text.
func pick(text []byte, name string) (Format, error) {
	formats := Formats()
	if name != "" {
		if i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == name }); i >= 0 {
			return formats[i], nil
		}
		return Format{}, fmt.Errorf("%w %q", ErrFormat, name)
	}
	if bytes.HasPrefix(bytes.TrimSpace(text[:min(len(text), 64)]), []byte(`{"type":"run"`)) {
		return Format{}, ErrRunLog
	}
	head := text[:min(len(text), sniffed)]
	for _, f := range formats {
		if f.sniff(head) {
			return f, nil
		}
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return Format{}, errors.New("the file is empty")
	}
	return Format{}, ErrFormat
}

// sniffAll accepts a text that holds all of the marks.
func sniffAll(marks ...string) func([]byte) bool {
	return func(head []byte) bool {
		for _, mark := range marks {
			if !bytes.Contains(head, []byte(mark)) {
				return false
			}
		}
		return true
	}
}

// sniffAny accepts a text that holds any of the marks.
func sniffAny(marks ...string) func([]byte) bool {
	return func(head []byte) bool {
		for _, mark := range marks {
			if bytes.Contains(head, []byte(mark)) {
				return true
			}
		}
		return false
	}
}

// sniffTable accepts a text with a table of the RTH family, header or not.
func sniffTable(head []byte) bool {
	return sniffAny("lat min|", "RTS|", "RTD|")(head)
}
