package format

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/golden"
	"worstcase/results"
)

// screen plays what was written to a terminal, and returns the lines that are
// left. It knows what the status line needs: CR, LF and erasing to the end of
// the line; it fails for any other control.
func screen(t *testing.T, written string) []string {
	t.Helper()
	rows, column := [][]byte{nil}, 0
	for i := 0; i < len(written); i++ {
		row := &rows[len(rows)-1]
		switch c := written[i]; {
		case strings.HasPrefix(written[i:], "\x1b[K"):
			*row = (*row)[:min(column, len(*row))]
			i += 2
		case c == '\r':
			column = 0
		case c == '\n':
			rows, column = append(rows, nil), 0
		case c < ' ':
			t.Fatalf("control %q at %d of %q", c, i, written)
		default:
			for len(*row) <= column {
				*row = append(*row, ' ')
			}
			(*row)[column] = c
			column++
		}
	}
	var lines []string
	for _, row := range rows {
		lines = append(lines, string(row))
	}
	return lines
}

// watched runs a script under a status line of some width.
func watched(t *testing.T, width int, records []results.Record) (whole string, during []string) {
	t.Helper()
	var out bytes.Buffer
	s := &status{out: &out, width: func() int { return width }}
	var err error
	if s.printer, err = New(Xenomai3, s, Options{Lines: 21}); err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := s.Put(r); err != nil {
			t.Fatal(err)
		}
		lines := screen(t, out.String())
		during = append(during, lines[len(lines)-1])
	}
	return out.String(), during
}

func TestStatus(t *testing.T) {
	records := script(latency(cpus("0", "3"), map[string]any{results.ConfigDuration: int64(60e9)}))
	whole, during := watched(t, 80, records)
	plain := printed(t, Xenomai3, Options{Lines: 21}, records)
	if got := strings.Join(screen(t, whole), "\n"); got != plain {
		t.Errorf("what stays on the screen:\n%s\nwant\n%s", got, plain)
	}
	golden.Check(t, "testdata/status.txt", strings.Join(during, "\n")+"\n", *update)
	if whole, during := watched(t, 20, records); len(during[3]) != 19 {
		t.Errorf("on 20 columns the status has %d: %q in %q", len(during[3]), during[3], whole)
	}
}

// TestLiveOnFile writes to a file, where nothing but the table may be.
func TestLiveOnFile(t *testing.T) {
	records := script(latency(cpus("0"), nil))
	out, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	putAll(t, out, records)
	got, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	if want := printed(t, Xenomai3, Options{Lines: 21}, records); string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestLiveOnTerminal writes to a terminal, where the status must come and go.
func TestLiveOnTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	master, terminal := openTerminal(t)
	records := script(latency(cpus("0"), nil))
	putAll(t, terminal, records)
	want := printed(t, Xenomai3, Options{Lines: 21}, records)
	written := readTerminal(t, master, strings.Count(want, "\n"))
	if !strings.Contains(written, "so far p99.9") {
		t.Errorf("no status line in %q", written)
	}
	if got := strings.Join(screen(t, written), "\n"); got != want {
		t.Errorf("what stays on the screen:\n%s\nwant\n%s", got, want)
	}
	t.Setenv("TERM", "dumb")
	putAll(t, terminal, records)
	if written := readTerminal(t, master, strings.Count(want, "\n")); strings.Contains(written, "\x1b") {
		t.Errorf("escapes on a dumb terminal: %q", written)
	}
}

func putAll(t *testing.T, out *os.File, records []results.Record) {
	t.Helper()
	sink, err := Live(out, func(w io.Writer) (results.Sink, error) { return New(Xenomai3, w, Options{Lines: 21}) })
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := sink.Put(r); err != nil {
			t.Fatal(err)
		}
	}
}

// openTerminal makes a pseudo-terminal, pty(7).
func openTerminal(t *testing.T) (master, terminal *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	// Fd would make reads uninterruptible.
	raw, err := master.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := raw.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			n, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return master, terminal
}

// readTerminal reads until that many lines have come, and returns them with
// what came along. The terminal ends lines in CR LF.
func readTerminal(t *testing.T, master *os.File, lines int) string {
	t.Helper()
	var all strings.Builder
	b := make([]byte, 4096)
	deadline := time.AfterFunc(10*time.Second, func() { master.Close() })
	defer deadline.Stop()
	for strings.Count(all.String(), "\n") < lines {
		n, err := master.Read(b)
		if err != nil {
			t.Fatalf("read terminal after %q: %v", all.String(), err)
		}
		all.Write(b[:n])
	}
	return all.String()
}
