package main

import (
	"flag"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"worstcase/cmd/internal/cli/clitest"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"klatency": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: *update,
		Cmds:          clitest.Commands(),
	})
}
