package loadgen

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
)

// A journal says what a supervisor has made on the machine, so that somebody
// else can take it away. It is written before anything is made, so that it may
// name what doesn't exist.
type journal struct {
	path string
	// PID and Start (clock ticks since boot, /proc/PID/stat) name the supervisor.
	PID   int    `json:"pid"`
	Start uint64 `json:"start"`
	// Groups are the directories of the load's cgroup, one a hierarchy.
	Groups []string `json:"groups,omitempty"`
	// Restore holds files of the kernel with what must be written to them, in this
	// order, once the cgroup is gone.
	Restore []setting `json:"restore,omitempty"`
}

type setting struct {
	File  string `json:"file"`
	Value string `json:"value"`
}

const (
	// prefix begins the names of cgroups and journals.
	prefix = "worstcase-load-"
	// tag is the environment variable that every worker carries.
	tag = "WORSTCASE_LOAD"
)

// stateDir is where journals lie: memory that a boot empties, where there is such.
func (m machine) stateDir() string {
	if os.Geteuid() == 0 && unix.Access(filepath.Join(m.root, "run"), unix.W_OK) == nil {
		return filepath.Join(m.root, "run/worstcase")
	}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" && unix.Access(dir, unix.W_OK) == nil {
		return filepath.Join(dir, "worstcase")
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("worstcase-%d", os.Geteuid()))
}

// newJournal starts the journal of the calling process and saves it.
func newJournal(m machine) (*journal, error) {
	p, err := m.process(os.Getpid())
	if err != nil {
		return nil, err
	}
	j := &journal{PID: os.Getpid(), Start: p.start}
	j.path = filepath.Join(m.stateDir(), j.name())
	return j, j.begin()
}

// begin saves the journal for the first time, again where another load's end has
// removed the empty directory meanwhile.
func (j *journal) begin() error {
	err := j.make()
	for again := 0; errors.Is(err, fs.ErrNotExist) && again < 1000; again++ {
		err = j.make()
	}
	return err
}

func (j *journal) make() error {
	dir := filepath.Dir(j.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return remedy.Hint(fmt.Errorf("make a directory for the load's journal: %w", err),
			"let XDG_RUNTIME_DIR or TMPDIR name a directory that may be written")
	}
	if err := owned(dir); err != nil {
		return err
	}
	return j.save()
}

// owned refuses a directory that another user could have prepared.
func owned(dir string) error {
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return fmt.Errorf("look at %s: %w", dir, err)
	}
	if st.Uid != uint32(os.Geteuid()) || st.Mode&unix.S_IFMT != unix.S_IFDIR || st.Mode&0o022 != 0 {
		return fmt.Errorf("keep a journal in %s: it is not a directory of this user alone", dir)
	}
	return nil
}

// name is what the journal, the cgroup and the workers' tag are called.
func (j *journal) name() string { return fmt.Sprintf("%s%d-%d", prefix, j.PID, j.Start) }

// save replaces the journal as a whole.
func (j *journal) save() error {
	b, err := json.Marshal(j)
	if err != nil {
		return err
	}
	next := j.path + ".new"
	err = os.WriteFile(next, b, 0o600)
	if err == nil {
		err = os.Rename(next, j.path)
	}
	if err != nil {
		return fmt.Errorf("write the load's journal: %w", err)
	}
	return nil
}

// notedByOthers is what the journals of other loads will write to file.
func (j *journal) notedByOthers(file string) string {
	journals, err := filepath.Glob(filepath.Join(filepath.Dir(j.path), prefix+"*"))
	if err != nil {
		return ""
	}
	var values []string
	for _, path := range journals {
		other, err := readJournal(path)
		if err != nil || path == j.path {
			continue
		}
		for _, s := range other.Restore {
			if s.File == file {
				values = append(values, s.Value)
			}
		}
	}
	return strings.Join(values, " ")
}

// readJournal reads the journal at path. Of one cut short by a kill nothing but
// the name is known, and nothing had been made yet.
func readJournal(path string) (*journal, error) {
	j := &journal{path: path}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(b, j) != nil || j.name() != filepath.Base(path) {
		*j = journal{path: path}
		if _, err := fmt.Sscanf(filepath.Base(path), prefix+"%d-%d", &j.PID, &j.Start); err != nil {
			return nil, fmt.Errorf("%s is no journal of a load", path)
		}
	}
	return j, nil
}

// recoverAll takes away what supervisors have left that are no more.
func recoverAll(m machine) error {
	dir := m.stateDir()
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = owned(dir)
	}
	if err != nil {
		return fmt.Errorf("look for leftovers of earlier loads: %w", err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		j, err := readJournal(filepath.Join(dir, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // its owner has just ended
		}
		if err != nil {
			return fmt.Errorf("look for leftovers of earlier loads: %w", err)
		}
		if p, err := m.process(j.PID); err == nil && p.start == j.Start && !p.dead {
			continue
		}
		if err := j.clean(m); err != nil {
			return fmt.Errorf("remove leftovers of an earlier load: %w", err)
		}
	}
	return nil
}

// A process is what tells one process from a later one with the same id.
type process struct {
	start uint64
	dead  bool // a zombie
}

// process reads /proc/PID/stat (proc_pid_stat(5)).
func (m machine) process(pid int) (process, error) {
	b, err := os.ReadFile(filepath.Join(m.root, "proc", fmt.Sprint(pid), "stat"))
	if err != nil {
		return process{}, fmt.Errorf("look at process %d: %w", pid, err)
	}
	// The name, in parentheses, may hold anything: count from its end.
	_, rest, ok := strings.Cut(string(b), ") ")
	for ok && strings.Contains(rest, ") ") {
		_, rest, _ = strings.Cut(rest, ") ")
	}
	f := strings.Fields(rest)
	if len(f) < 20 {
		return process{}, fmt.Errorf("look at process %d: its stat has %d fields", pid, len(f))
	}
	p := process{dead: f[0] == "Z" || f[0] == "X"}
	_, err = fmt.Sscan(f[19], &p.start)
	return p, err
}
