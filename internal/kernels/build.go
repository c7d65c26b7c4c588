package kernels

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Build makes a static program of a main package for a kernel's architecture
// and returns its path. It lasts as long as the test.
func Build(t testing.TB, k *Kernel, pkg string) string {
	t.Helper()
	return made(t, k, "go build "+pkg, "build", pkg)
}

// BuildTest makes a static test binary of a package. Its test data is not in
// it: put its folder into the guest, and the binary's -test.* arguments into
// the command.
func BuildTest(t testing.TB, k *Kernel, pkg string) string {
	t.Helper()
	return made(t, k, "go test -c "+pkg, "test", "-c", pkg)
}

func made(t testing.TB, k *Kernel, what string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := compile(t.Context(), k, path, args...); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return path
}

// Installed adds a program of this machine to the files of a guest, and the
// shared libraries that it needs. It skips the test when the program is not
// installed, or not one of the kernel's architecture.
func Installed(t testing.TB, k *Kernel, files map[string]string, program string) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	if runtime.GOARCH != k.Arch() {
		t.Skipf("%s is a program of another architecture than %s", program, k.Name)
	}
	files["/bin/"+filepath.Base(path)] = path
	out, err := exec.Command("ldd", path).Output()
	if err != nil {
		return // a static program
	}
	for _, word := range strings.Fields(string(out)) {
		if strings.HasPrefix(word, "/") {
			files[word] = word
		}
	}
}

func compile(ctx context.Context, k *Kernel, path string, args ...string) error {
	verb := args[0]
	full := append([]string{verb, "-trimpath", "-ldflags=-s -w", "-o", path}, args[1:]...)
	cmd := exec.CommandContext(ctx, "go", full...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+k.Arch())
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
