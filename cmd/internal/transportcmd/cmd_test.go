package transportcmd

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"worstcase/cmd/internal/cli"
	"worstcase/loadgen"
	"worstcase/results"
	"worstcase/sampler"
	"worstcase/session"
	"worstcase/transport"
)

func TestMain(m *testing.M) {
	sampler.Main(transport.Loops(Transports())...)
	transport.BrokerMain(Transports())
	loadgen.Main()
	testscript.Main(m, map[string]func(){"transport": func() { cli.Run("transport", Run) }})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata", Setup: func(e *testscript.Env) error {
		// Brokers and their sockets are made below it.
		e.Setenv("TMPDIR", os.TempDir())
		return nil
	}})
}

// Every middleware carries every message, whole and in order, to two
// subscribers, as its ends and its broker do in a measurement.
func TestMiddlewares(t *testing.T) {
	for _, tr := range middlewares() {
		for _, size := range []int{16, 1 << 20} {
			t.Run(tr.Name()+"/"+transport.SizeName(size), func(t *testing.T) {
				if err := tr.Check(); err != nil {
					t.Skip(err)
				}
				broker, err := tr.Broker(transport.Options{Size: 100})
				if err != nil {
					t.Fatal(err)
				}
				if broker != nil {
					broker.Stop()
				}
				end := measureEnough(t, transport.Config{Transport: tr, Size: size, Rate: 50, Subscribers: 2}, broker != nil)
				want := map[string]float64{
					"lost": 0, "corrupt": 0, "duplicates": 0, "reordered": 0, "not_sent": 0, "received": 2 * end.After["published"],
				}
				got := map[string]float64{}
				for key := range want {
					got[key] = end.After[key]
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("figures (-want +got):\n%s", diff)
				}
				if broker != nil && end.After["memory_bytes.broker"] <= 0 {
					t.Errorf("the broker's memory is not told: %v", end.After)
				}
			})
		}
	}
}

// TestBrokersLeaveNothing: brokers end, with what they had on disk, when the
// process that started them closes their input, as it does when it is killed, and
// when the process that keeps them is killed.
func TestBrokersLeaveNothing(t *testing.T) {
	for _, tr := range middlewares() {
		t.Run(tr.Name(), func(t *testing.T) { leaveNothing(t, tr, false) })
		t.Run(tr.Name()+" killed", func(t *testing.T) { leaveNothing(t, tr, true) })
	}
}

// leaveNothing starts a broker, kills its keeper if asked to, and stops it.
func leaveNothing(t *testing.T, tr transport.Transport, kill bool) {
	if err := tr.Check(); err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	b, err := tr.Broker(transport.Options{Size: 100})
	if err != nil {
		t.Fatal(err)
	}
	if b == nil {
		return // it needs none
	}
	if kill {
		syscall.Kill(keeper(t, b.PID), syscall.SIGKILL)
	}
	if err := b.Stop(); (err != nil) != kill {
		t.Errorf("stopped with %v, killed: %v", err, kill)
	}
	for end := time.Now().Add(time.Minute); syscall.Kill(b.PID, 0) != syscall.ESRCH; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %d is still there", b.PID)
		}
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) > 0 {
		t.Errorf("%v stays, %v", left, err)
	}
}

// keeper is our child that a broker's process is, or was started by.
func keeper(t *testing.T, pid int) int {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	var parent int
	fmt.Sscanf(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " %c %d", new(rune), &parent)
	if parent == os.Getpid() {
		return pid
	}
	return parent
}

// measureEnough measures until a message came through, and, where there is a
// broker, its CPU time was seen: a machine with much else to do gets more time.
func measureEnough(t *testing.T, cfg transport.Config, broker bool) *results.End {
	t.Helper()
	for _, cfg.Duration = range []time.Duration{300 * time.Millisecond, 2 * time.Second, 8 * time.Second} {
		end := measure(t, cfg)
		if end.After["published"] > 0 && (!broker || end.After["cpu_percent.broker"] > 0) {
			return end
		}
	}
	t.Fatal("nothing was published in eight seconds, or it cost the broker nothing")
	return nil
}

func measure(t *testing.T, cfg transport.Config) *results.End {
	t.Helper()
	cfg, err := cfg.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	run := cfg.Session()
	run.WarmUp = 50 * time.Millisecond
	end, err := session.Run(ctx, run, transport.NewSource(cfg, func(s string) { t.Log(s) }))
	if err != nil {
		t.Fatal(err)
	}
	return end
}

func TestCells(t *testing.T) {
	tests := []struct {
		name string
		args string
		want string
	}{
		{"one", "shm", "shm+futex 16B 100 1"},
		{"product", "unix,tcp -s 16B,1M -f 10,100", "unix 16B 10 1|unix 16B 100 1|unix 1M 10 1|unix 1M 100 1|tcp 16B 10 1|tcp 16B 100 1|tcp 1M 10 1|tcp 1M 100 1"},
		{"notifiers are shm's", "shm,pipe --notifier futex,poll50", "shm+futex 16B 100 1|shm+poll50 16B 100 1|pipe 16B 100 1"},
		{"as fast as possible", "pipe -f -1 --subscribers 1,2", "pipe 16B -1 1|pipe 16B -1 2"},
		{"named twice", "pipe,kernel,pipe -s 1K --subscribers 3", "pipe 1K 100 3|shm+futex 1K 100 3|unix 1K 100 3|seqpacket 1K 100 3|vmsplice 1K 100 3|mq 1K 100 3|tcp 1K 100 3|udp 1K 100 3"},
		{"report", "shm --preset apollo", "shm+futex 64K 10 1|shm+futex 64K 100 1|shm+futex 1M 10 1|shm+futex 10M 10 1"},
		{"presets overlap", "shm --preset sizes,rates", "shm+futex 16B 100 1|shm+futex 1K 100 1|shm+futex 64K 100 1|shm+futex 256K 100 1|shm+futex 1M 100 1|shm+futex 5M 100 1|shm+futex 10M 100 1|shm+futex 1M 10 1|shm+futex 1M 20 1|shm+futex 1M 50 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o, _, err := parse(strings.Fields(test.args))
			if err != nil {
				t.Fatal(err)
			}
			cells, err := o.cells(&cli.Env{Stderr: os.Stderr})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range cells {
				got = append(got, strings.Join([]string{name(c), transport.SizeName(c.Size), transport.RateName(c.Rate), string(rune('0' + c.Subscribers))}, " "))
			}
			if diff := cmp.Diff(strings.Split(test.want, "|"), got); diff != "" {
				t.Errorf("cells (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	for _, args := range []string{
		"", "shm tcp", "shm -s 0", "shm -f 0", "shm -f 2000000", "shm --subscribers 0", "shm --notifier bell",
		"shm --policy idle", "shm -P 100", "shm --policy other -P 5", "shm --drop block", "shm -c 4096",
		"shm --preset apollo -s 1K", "shm -T 0.5", "shm --payload stones", "shm --depth",
		"shm --depth 0", "shm --publishers 0",
	} {
		t.Run(args, func(t *testing.T) {
			_, _, err := parse(strings.Fields(args))
			if cli.Status(err) != cli.StatusUsage {
				t.Errorf("error %v, want one of usage", err)
			}
		})
	}
}
