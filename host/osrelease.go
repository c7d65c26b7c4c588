package host

import (
	"strconv"
	"strings"
)

// operatingSystem sets the facts of os-release(5).
func (r Reader) operatingSystem(f facts) {
	lines := r.lines("etc/os-release")
	if lines == nil {
		lines = r.lines("usr/lib/os-release")
	}
	for _, line := range lines {
		name, value, _ := fields(line, "=")
		switch name {
		case "PRETTY_NAME", "ID", "VERSION_ID":
			f.set("os."+strings.ToLower(name), unquote(value))
		}
	}
}

// unquote removes the quotes that a shell would.
func unquote(s string) string {
	if strings.HasPrefix(s, `'`) {
		return strings.Trim(s, `'`)
	}
	if u, err := strconv.Unquote(s); err == nil {
		return u
	}
	return s
}
