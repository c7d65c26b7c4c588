// Package host reads what a later reader of a result needs to know about the
// machine that made it, and what changed on that machine meanwhile.
//
// Everything is read from files, under a root that is a value, so that the
// facts of any machine can be taken from a copy of its files. A fact whose
// file is missing, unreadable or empty is left out, never recorded as an empty
// string: an absent key means that nobody knows.
//
// All calls read a few hundred small files and take some milliseconds. None
// needs privilege, but without it some facts are absent: the sizes of the
// kernel (/proc/iomem), the preemption mode chosen at boot
// (/sys/kernel/debug), the SMI counter (/dev/cpu/N/msr).
package host

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"worstcase/results"
)

// A Reader reads the files of one machine. The zero Reader reads those of the
// machine it runs on.
type Reader struct {
	// Root is the folder that stands for /.
	Root string
}

// Facts returns all that is known about the machine, by dotted key.
func (r Reader) Facts() results.Facts {
	f := facts{}
	r.kernel(f)
	r.kernelConfig(f)
	r.kernelSizes(f)
	r.modules(f)
	r.cokernels(f)
	r.operatingSystem(f)
	r.cpu(f)
	r.frequency(f)
	r.idle(f)
	r.memory(f)
	r.storage(f)
	r.clock(f)
	r.scheduler(f)
	r.mitigations(f)
	r.board(f)
	r.hypervisor(f)
	return results.Facts(f)
}

// facts collects values and drops the empty ones.
type facts results.Facts

func (f facts) set(key, value string) {
	if value = strings.TrimSpace(value); value != "" {
		f[key] = value
	}
}

func (f facts) setInt(key string, value int64) { f[key] = strconv.FormatInt(value, 10) }

// largest is the most that is read of any file: a /proc/config.gz has 200 kB,
// a System.map 8 MB.
const largest = 16 << 20

func (r Reader) path(name string) string {
	if r.Root == "" {
		return "/" + name
	}
	return filepath.Join(r.Root, name)
}

// text returns the content of a file without surrounding white space and
// without the NULs that end the strings of a device tree. It is empty when the
// file is missing or unreadable.
func (r Reader) text(name string) string {
	f, err := os.Open(r.path(name))
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, largest))
	if err != nil {
		return ""
	}
	return strings.Trim(string(b), "\x00 \t\r\n")
}

// lines returns the lines of a file, none when it is missing.
func (r Reader) lines(name string) []string {
	s := r.text(name)
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

// number returns the integer that a file holds.
func (r Reader) number(name string) (int64, bool) {
	n, err := strconv.ParseInt(r.text(name), 10, 64)
	return n, err == nil
}

// exists tells whether there is such a file or folder.
func (r Reader) exists(name string) bool {
	_, err := os.Stat(r.path(name))
	return err == nil
}

// glob returns the names that match, relative to the root, in lexical order.
func (r Reader) glob(pattern string) []string {
	// The only error is a malformed pattern; all of them are constants.
	found, _ := filepath.Glob(r.path(pattern))
	for i, name := range found {
		found[i] = strings.TrimPrefix(strings.TrimPrefix(name, r.Root), "/")
	}
	return found
}

// link returns the last element of what a symbolic link points to.
func (r Reader) link(name string) string {
	target, err := os.Readlink(r.path(name))
	if err != nil {
		return ""
	}
	return filepath.Base(target)
}

// fields splits a line of the form "key<sep>value" and trims both.
func fields(line, sep string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(line, sep)
	return strings.TrimSpace(key), strings.TrimSpace(value), ok
}
