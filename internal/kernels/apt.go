package kernels

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// download brings the newest package of a kernel and unpacks it into folder,
// without installing anything. Package lists of other suites and architectures
// are kept in the cache, apart from the machine's own; the archive is that of
// the machine's own sources.
func download(name, cache, folder string) error {
	work, err := os.MkdirTemp(cache, "download-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	apt, err := aptFor(name, work)
	if err != nil {
		return err
	}
	// A list that is out of step, as the security list of small architectures
	// often is, makes update fail though the others are good.
	_, updated := apt.run("apt-get", "update")
	_, flavour, _ := strings.Cut(name, "-")
	depends, err := apt.run("apt-cache", "depends", "linux-image-"+flavour)
	if err != nil {
		return fmt.Errorf("%w (update: %v)", err, updated)
	}
	pkg := ""
	for line := range strings.Lines(depends) {
		if _, dep, ok := strings.Cut(line, "Depends: linux-image"); ok && pkg == "" {
			pkg = "linux-image" + strings.TrimSpace(dep)
		}
	}
	if pkg == "" {
		return fmt.Errorf("find the package of linux-image-%s: it depends on none", flavour)
	}
	if _, err := apt.run("apt-get", "download", pkg); err != nil {
		return err
	}
	debs, err := filepath.Glob(filepath.Join(work, pkg+"_*.deb"))
	if err != nil || len(debs) != 1 {
		return fmt.Errorf("find the downloaded package %s: %d files", pkg, len(debs))
	}
	root := filepath.Join(work, "root")
	if err := run("dpkg", "-x", debs[0], root); err != nil {
		return err
	}
	if strings.HasSuffix(name, "amd64") {
		if err := plainImage(filepath.Join(root, "boot")); err != nil {
			return err
		}
	}
	os.RemoveAll(folder)
	return os.Rename(root, folder)
}

// An apt speaks to the package manager with lists and sources of its own.
type apt struct {
	dir     string
	options []string
}

func aptFor(name, dir string) (*apt, error) {
	arch := "amd64"
	switch {
	case strings.HasSuffix(name, "arm64"):
		arch = "arm64"
	case strings.HasSuffix(name, "armmp"):
		arch = "armhf"
	}
	suites := "bookworm bookworm-updates"
	if strings.HasPrefix(name, "6.12-") {
		suites = "bookworm-backports"
	}
	targets, err := exec.Command("apt-get", "indextargets", "--format", "$(REPO_URI)").Output()
	if err != nil {
		return nil, fmt.Errorf("ask apt-get for the archive's address: %w", err)
	}
	var archive, security string
	for uri := range strings.Lines(string(targets)) {
		switch uri = strings.TrimSpace(uri); {
		case strings.Contains(uri, "security"):
			security = uri
		case archive == "":
			archive = uri
		}
	}
	if archive == "" {
		return nil, fmt.Errorf("find a Debian archive: apt-get has no sources")
	}
	const stanza = "Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n"
	sources := fmt.Sprintf(stanza, archive, suites)
	if security != "" && strings.HasPrefix(name, "6.1-") {
		sources += fmt.Sprintf(stanza, security, "bookworm-security")
	}
	for _, d := range []string{"lists/partial", "parts"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "parts", "kernels.sources"), []byte(sources), 0o644); err != nil {
		return nil, err
	}
	return &apt{dir, []string{
		"-qq", "-oAPT::Architecture=" + arch, "-oAPT::Architectures=" + arch, "-oAPT::Sandbox::User=root",
		"-oDir::State::Lists=" + filepath.Join(dir, "lists"), "-oDir::State::status=/dev/null",
		"-oDir::Etc::SourceParts=" + filepath.Join(dir, "parts"), "-oDir::Etc::SourceList=/dev/null",
		"-oDir::Cache::pkgcache=", "-oDir::Cache::srcpkgcache=",
	}}, nil
}

// run runs one of apt's commands in the private folder.
func (a *apt) run(tool string, args ...string) (string, error) {
	cmd := exec.Command(tool, append(a.options[:len(a.options):len(a.options)], args...)...)
	cmd.Dir = a.dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", tool, strings.Join(args, " "), err, lastLine(errs.String()))
	}
	return out.String(), nil
}

// run runs a command that says nothing when all is well.
func run(tool string, args ...string) error {
	if out, err := exec.Command(tool, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", tool, strings.Join(args, " "), err, lastLine(string(out)))
	}
	return nil
}

// lastLine is the last line of an output, which usually says what is wrong.
func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// lock takes a lock file, waiting for whoever has it.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}
