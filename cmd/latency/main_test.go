package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"worstcase/cmd/internal/cli/clitest"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"latency": main})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: *update,
		Cmds:          clitest.Commands(),
		Condition: func(name string) (bool, error) {
			_, err := os.Stat("/sys/fs/cgroup/cpu/cpu.rt_runtime_us")
			return name == "rtgroup" && err == nil, nil
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("LATENCY", lookPath("latency"))
			return os.Chmod(filepath.Dir(env.WorkDir), 0o755)
		},
	})
}

func lookPath(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return name
	}
	return path
}
