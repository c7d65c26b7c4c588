package loadgen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Kind is one sort of load, made by processes of this binary.
type Kind struct {
	Name string
	// Stresses says what the kind disturbs, and Needs what it can't do without,
	// "" for nothing: for people.
	Stresses string
	Needs    string
	// Counter names the kernel's counter that the kind drives up: a line of
	// /proc/interrupts, a field of /proc/stat or /proc/vmstat, or a tracepoint.
	Counter string
	// Memory is set for kinds that fill what memory the load was given, and Disk
	// likewise for the disk.
	Memory, Disk bool
	// Parts run side by side in each process of the kind.
	Parts []Part
}

// A Part is what some threads, or child processes, of a kind do.
type Part struct {
	// Name is "" for the only part of a kind.
	Name string
	// Unit of the rate, such as fork/s.
	Unit string
	// Scale turns counts into the unit; 0 means 1.
	Scale float64
	// Lanes is the number of counters that the part wants on this many CPUs; nil
	// means one.
	Lanes func(cpus int) int
	// start makes the threads or children and returns when they run.
	start func(w *worker, lanes []*uint32) error
}

// Kinds returns all kinds, in the order in which they are documented.
func Kinds() []Kind {
	return []Kind{
		cpuKind(), cacheKind(), memoryKind(), forkKind(), execKind(), threadKind(), schedKind(),
		futexKind(), timerKind(), signalKind(), syscallKind(), ioKind(), dirKind(), netKind(), netnsKind(),
		pipeKind(), pollKind(), ipiKind(), priorityKind(), irqKind(), clockKind(),
	}
}

// A Spec asks for Count processes of a kind, or of one part of it. Its text is
// kind[/part][:count], such as cpu:2 or memory/map; the count "cpus" means one
// process for each CPU of the load, and none means one.
type Spec struct {
	Kind, Part string
	// Count of processes; PerCPU for one a CPU.
	Count int
}

// PerCPU as a Spec's count means one process for each CPU.
const PerCPU = -1

// ParseSpec reads the text of a Spec.
func ParseSpec(text string) (Spec, error) {
	name, count, counted := strings.Cut(text, ":")
	s := Spec{Count: 1}
	s.Kind, s.Part, _ = strings.Cut(name, "/")
	if _, err := s.find(); err != nil {
		return Spec{}, err
	}
	if !counted {
		return s, nil
	}
	if count == "cpus" {
		s.Count = PerCPU
		return s, nil
	}
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > maxWorkers {
		return Spec{}, fmt.Errorf("load %q: the count must be 1 to %d, or cpus", text, maxWorkers)
	}
	s.Count = n
	return s, nil
}

// String returns the text of s.
func (s Spec) String() string {
	text := s.Kind
	if s.Part != "" {
		text += "/" + s.Part
	}
	switch s.Count {
	case 0, 1:
	case PerCPU:
		text += ":cpus"
	default:
		text += ":" + strconv.Itoa(s.Count)
	}
	return text
}

// find returns the kind with the parts that s asks for.
func (s Spec) find() (Kind, error) {
	kinds := Kinds()
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == s.Kind })
	if i < 0 {
		return Kind{}, fmt.Errorf("no load is called %q (%s)", s.Kind, strings.Join(names(kinds), ", "))
	}
	k := kinds[i]
	if s.Part == "" {
		return k, nil
	}
	p := slices.IndexFunc(k.Parts, func(p Part) bool { return p.Name == s.Part })
	if p < 0 {
		return Kind{}, fmt.Errorf("load %s has no part %q", s.Kind, s.Part)
	}
	k.Parts = k.Parts[p : p+1]
	return k, nil
}

func names(kinds []Kind) []string {
	list := make([]string, len(kinds))
	for i, k := range kinds {
		list[i] = k.Name
	}
	return list
}

// label is what a part's rate is called: fork, or memory/map.
func (k Kind) label(p Part) string {
	if p.Name == "" {
		return k.Name
	}
	return k.Name + "/" + p.Name
}

func (p Part) lanes(cpus int) int {
	if p.Lanes == nil {
		return 1
	}
	return p.Lanes(cpus)
}

// eachCPU is the number of lanes of parts that run a thread on each CPU, up to
// a number that still shows contention and spares big machines.
func eachCPU(cpus int) int { return min(max(cpus, 1), 16) }
