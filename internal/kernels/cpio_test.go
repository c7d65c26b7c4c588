package kernels_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"worstcase/internal/kernels"
)

// TestCpio asks cpio to read an archive.
func TestCpio(t *testing.T) {
	if _, err := exec.LookPath("cpio"); err != nil {
		t.Skip("cpio is not installed")
	}
	var b bytes.Buffer
	kernels.Cpio(t, &b, map[string]string{"/a": "1", "/dir/deep/b": strings.Repeat("x", 1234), "/dir/c": ""})
	cmd := exec.Command("cpio", "-itv", "--quiet")
	cmd.Stdin = &b
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("cpio: %v: %s", err, out)
	}
	var got []string
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		got = append(got, f[0]+" "+f[4]+" "+f[len(f)-1])
	}
	want := "-rw-r----- 1 a,drwxr-xr-x 0 dir,-rw-r----- 0 dir/c,drwxr-xr-x 0 dir/deep,-rw-r----- 1234 dir/deep/b"
	if strings.Join(got, ",") != want {
		t.Errorf("the archive holds\n%q, want\n%q", got, want)
	}
}
