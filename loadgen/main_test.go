package loadgen

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	Main()
	if len(os.Args) > 1 && os.Args[1] == toolArgument {
		runTool()
	}
	os.Exit(m.Run())
}
