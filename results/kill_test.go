package results

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// killedEnv holds the log's path in a child that is to be killed.
const killedEnv = "RESULTS_TEST_KILLED_LOG"

// TestKilledChild is the child of TestKilled: it writes intervals for ever, and
// tells after each how many there are.
func TestKilledChild(t *testing.T) {
	path := os.Getenv(killedEnv)
	if path == "" {
		return // an ordinary test run
	}
	w, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	w.SyncEvery = time.Millisecond
	if err := w.Put(&Header{Series: []SeriesInfo{{ID: 0}}}); err != nil {
		t.Fatal(err)
	}
	for i := int64(1); ; i++ {
		if err := w.Put(&Interval{At: i * 1e9, Seconds: 1, Tally: tally(i*1e9, i, 5000)}); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Println("put", i); err != nil {
			return // the parent is gone
		}
	}
}

// TestKilled kills a writing process at twenty moments. All that Put took must
// be in the log.
func TestKilled(t *testing.T) {
	for n := range 20 {
		path := filepath.Join(t.TempDir(), "a.run")
		put := killWriter(t, path, int64(1+n*n))
		for name, keep := range keeps() {
			runs, err := Read(keep, path)
			if err != nil {
				t.Fatal(err)
			}
			count := runs[0].Totals()[0].Count
			if !runs[0].Truncated() || count < 2*put || runs[0].Seconds() != float64(count/2) {
				t.Errorf("keeping %s: truncated %v, %d samples in %v s, at least %d were put", name, runs[0].Truncated(), count, runs[0].Seconds(), 2*put)
			}
		}
		w, err := Create(path, true)
		if err != nil {
			t.Fatalf("the log of a killed process: %v", err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// killWriter runs the child until it has put n intervals, kills it, and returns
// how many it told of.
func killWriter(t *testing.T, path string, n int64) (put int64) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledChild$", "-test.timeout=20s")
	cmd.Env = append(os.Environ(), killedEnv+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for put < n {
		if _, err := fmt.Fscanf(lines, "put %d\n", &put); err != nil {
			t.Fatalf("after %d intervals: %v", put, err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for {
		var told int64
		if _, err := fmt.Fscanf(lines, "put %d\n", &told); err != nil {
			break
		}
		put = told
	}
	io.Copy(io.Discard, lines)
	cmd.Wait() // killed
	return put
}
