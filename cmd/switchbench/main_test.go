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
	testscript.Main(m, map[string]func(){"switchbench": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: *update,
		Cmds:          clitest.Commands(),
		Setup: func(env *testscript.Env) error {
			path, err := exec.LookPath("switchbench")
			if err != nil {
				return err
			}
			env.Setenv("SWITCHBENCH", path)
			return os.Chmod(filepath.Dir(env.WorkDir), 0o755)
		},
	})
}
