package foreign

import (
	"path"
	"strconv"
	"strings"
)

// Argv is a command line as tools keep it in their output: joined by spaces,
// its quotes lost.
type Argv []string

// ParseArgv splits a command line.
func ParseArgv(line string) Argv { return strings.Fields(line) }

// Program is the name of what was run, without its folder.
func (a Argv) Program() string {
	if len(a) == 0 {
		return ""
	}
	return path.Base(a[0])
}

// Has tells whether an option without value was given, alone ("-N") or among
// others ("-mN"), or by its long name.
func (a Argv) Has(short byte, long string) bool {
	for _, arg := range a {
		if arg == "--"+long {
			return true
		}
		if len(arg) < 2 || arg[0] != '-' || arg[1] == '-' {
			continue
		}
		for i := 1; i < len(arg) && (arg[i] < '0' || arg[i] > '9'); i++ {
			if arg[i] == short {
				return true
			}
		}
	}
	return false
}

// Value is the value of an option, in any of the forms "-p 80", "-p80",
// "-Sp 80", "--priority=80" and "--priority 80"; "" when it was not given.
func (a Argv) Value(short byte, long string) string {
	for i, arg := range a {
		if value, ok := strings.CutPrefix(arg, "--"+long); ok {
			if value == "" && i+1 < len(a) {
				return a[i+1]
			}
			if rest, ok := strings.CutPrefix(value, "="); ok {
				return rest
			}
			continue
		}
		if len(arg) < 2 || arg[0] != '-' || arg[1] == '-' {
			continue
		}
		switch at := strings.IndexByte(arg, short); {
		case at < 1 || strings.ContainsAny(arg[1:at], "0123456789=/"):
		case at+1 < len(arg):
			return arg[at+1:]
		case i+1 < len(a):
			return a[i+1]
		}
	}
	return ""
}

// Int is Value as a whole number; false when it is none.
func (a Argv) Int(short byte, long string) (int64, bool) {
	n, err := strconv.ParseInt(a.Value(short, long), 10, 64)
	return n, err == nil && n >= 0 && n < MaxFigure/1000
}
