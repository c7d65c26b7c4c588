package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

var update = flag.Bool("update", false, "write the golden parts of the scripts anew")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"loadgen": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Condition: func(name string) (bool, error) {
			switch name {
			case "root":
				return os.Geteuid() == 0, nil
			case "cgroups":
				return unix.Access("/sys/fs/cgroup/cpu", unix.W_OK) == nil || unix.Access("/sys/fs/cgroup/cgroup.procs", unix.W_OK) == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"noload": noLoad, "sees": sees},
	})
}

// noLoad asserts that within two seconds no worker with the script's mark in its
// environment is left, and no cgroup of theirs.
func noLoad(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: noload")
	}
	var left []string
	for start := time.Now(); time.Since(start) < 2*time.Second; time.Sleep(10 * time.Millisecond) {
		if left = marked(ts); len(left) == 0 {
			return
		}
	}
	ts.Fatalf("after two seconds there are still %s", strings.Join(left, ", "))
}

// marked returns the processes that have the script's work directory in their
// environment, but for this one.
func marked(ts *testscript.TestScript) []string {
	var left []string
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	ts.Check(err)
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(b), "WORK="+ts.Getenv("WORK")+"\x00") {
			left = append(left, filepath.Base(filepath.Dir(file)))
		}
	}
	return left
}

// sees waits until the file holds the text: that a background command has come
// so far.
func sees(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sees file text")
	}
	for start := time.Now(); time.Since(start) < 20*time.Second; time.Sleep(10 * time.Millisecond) {
		b, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && strings.Contains(string(b), args[1]) {
			return
		}
	}
	ts.Fatalf("%s does not come to hold %q", args[0], args[1])
}
