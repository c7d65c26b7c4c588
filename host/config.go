package host

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"slices"
	"strings"
)

// kernelConfig sets kernel.config: the options that are set, one CONFIG_X=y a
// line, sorted.
func (r Reader) kernelConfig(f facts) {
	options := r.config()
	lines := make([]string, 0, len(options))
	for name, value := range options {
		lines = append(lines, name+"="+value)
	}
	slices.Sort(lines)
	f.set("kernel.config", strings.Join(lines, "\n"))
}

// config returns the set options of the kernel that runs: from /proc/config.gz
// (CONFIG_IKCONFIG_PROC), else from where distributions install it. It is
// empty when there is none.
func (r Reader) config() map[string]string {
	release := r.text("proc/sys/kernel/osrelease")
	names := []string{"proc/config.gz"}
	if release != "" {
		names = append(names,
			"boot/config-"+release,
			"lib/modules/"+release+"/config",
			"usr/lib/modules/"+release+"/config",
			"lib/modules/"+release+"/build/.config")
	}
	for _, name := range names {
		file, err := os.Open(r.path(name))
		if err != nil {
			continue
		}
		options := parseConfig(file, strings.HasSuffix(name, ".gz"))
		file.Close()
		if len(options) > 0 {
			return options
		}
	}
	return nil
}

// parseConfig reads a .config file. "# CONFIG_X is not set" is the same as no
// line. What cannot be read to its end is worth nothing and returns nil.
func parseConfig(in io.Reader, compressed bool) map[string]string {
	if compressed {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil
		}
		in = z
	}
	options := map[string]string{}
	lines := bufio.NewScanner(io.LimitReader(in, largest))
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), "="); ok && strings.HasPrefix(name, "CONFIG_") {
			options[name] = value
		}
	}
	if lines.Err() != nil {
		return nil
	}
	return options
}
