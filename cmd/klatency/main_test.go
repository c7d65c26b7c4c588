package main

import (
	"flag"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/cli/clitest"
	"worstcase/cmd/internal/resultscmd"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"klatency": main,
		"results":  func() { cli.Run("results", resultscmd.Run) },
	})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: *update,
		Cmds:          clitest.Commands(),
	})
}
