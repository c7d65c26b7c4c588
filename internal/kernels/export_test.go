package kernels

import "testing"

// Try is Run for a guest that is meant to fail.
func Try(t *testing.T, g *Guest, commands ...Command) ([]Result, error) {
	return g.run(t.Context(), t.TempDir(), commands)
}

// Cpio returns an archive of files by path.
func Cpio(t *testing.T, w interface{ Write([]byte) (int, error) }, files map[string]string) {
	t.Helper()
	a := archive{}
	for path, text := range files {
		a[path] = entry{mode: modeFile | 0o640, data: []byte(text)}
	}
	if err := a.writeTo(w); err != nil {
		t.Fatal(err)
	}
}
