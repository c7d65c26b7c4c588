package worstcase_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// example is a line of a manual: a tab, the command, and words of explanation
// after two blanks.
var example = regexp.MustCompile(`(?m)^//\t(.+)$`)

// TestManuals takes every example of the commands' manuals and asks the command
// for help with these arguments: options that it doesn't know are errors.
func TestManuals(t *testing.T) {
	manuals, err := filepath.Glob("cmd/*/main.go")
	if err != nil || len(manuals) == 0 {
		t.Fatalf("no manuals: %v", err)
	}
	bin := t.TempDir()
	for _, manual := range manuals {
		name := filepath.Base(filepath.Dir(manual))
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(manual)
			if err != nil {
				t.Fatal(err)
			}
			program := filepath.Join(bin, name)
			if out, err := exec.Command("go", "build", "-o", program, "./cmd/"+name).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			examples := example.FindAllStringSubmatch(string(text), -1)
			if len(examples) == 0 {
				t.Error("the manual has no examples")
			}
			for _, e := range examples {
				askForHelp(t, program, e[1])
			}
		})
	}
}

func askForHelp(t *testing.T, program, line string) {
	t.Helper()
	line, _, _ = strings.Cut(line, "  ")
	_, arguments, _ := strings.Cut(line, " ")
	// The shell takes quotes apart; a "--" ends the options.
	before, after, dashes := strings.Cut(arguments, " -- ")
	command := program + " " + before + " --help"
	if dashes {
		command += " -- " + after
	}
	if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", line, err, out)
	}
}
