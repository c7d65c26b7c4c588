package loadgen

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"worstcase/internal/remedy"
)

func TestParseSpec(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Spec
		err  string
	}{
		{"fork", Spec{Kind: "fork", Count: 1}, ""},
		{"cpu:2", Spec{Kind: "cpu", Count: 2}, ""},
		{"memory/map", Spec{Kind: "memory", Part: "map", Count: 1}, ""},
		{"memory/map:cpus", Spec{Kind: "memory", Part: "map", Count: PerCPU}, ""},
		{"", Spec{}, "no load is called"},
		{"forks", Spec{}, "no load is called"},
		{"memory/", Spec{Kind: "memory", Count: 1}, ""},
		{"memory/nothing", Spec{}, "has no part"},
		{"cpu:0", Spec{}, "count must be"},
		{"cpu:-1", Spec{}, "count must be"},
		{"cpu:257", Spec{}, "count must be"},
		{"cpu:", Spec{}, "count must be"},
		{"cpu:2:3", Spec{}, "count must be"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			got, err := ParseSpec(tt.text)
			checkError(t, err, tt.err)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("wrong spec (-want +got):\n%s", diff)
			}
		})
	}
}

func checkError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case err == nil && want != "":
		t.Errorf("no error; want one with %q", want)
	case err != nil && (want == "" || !strings.Contains(err.Error(), want)):
		t.Errorf("error %q; want one with %q", err, want)
	}
}

// FuzzParseSpec: what is read can be written and read again.
func FuzzParseSpec(f *testing.F) {
	for _, text := range []string{"fork", "cpu:2", "memory/map:cpus", "net/:1", "cpu:999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSpec(text)
		if err != nil {
			return
		}
		again, err := ParseSpec(s.String())
		if err != nil || again != s {
			t.Errorf("%q is %+v, its text %q is %+v, %v", text, s, s.String(), again, err)
		}
	})
}

// host makes the files that limits are read from.
func host(t *testing.T, files map[string]string) machine {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return machine{root: root}
}

func TestAvailable(t *testing.T) {
	const meminfo = "MemTotal: 8 kB\nMemAvailable:    1048576 kB\n"
	for name, tt := range map[string]struct {
		files map[string]string
		want  int64
		err   string
	}{
		"no cgroups": {map[string]string{"proc/meminfo": meminfo}, 1 << 30, ""},
		"v1 limit": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/a\n1:cpu:/\n0::/\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "300000000\n",
			"sys/fs/cgroup/memory/a/memory.usage_in_bytes": "100000000\n",
		}, 200_000_000, ""},
		"v1 unlimited": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "100000000\n",
		}, 1 << 30, ""},
		"v2 limit": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/user.slice\n",
			"sys/fs/cgroup/user.slice/memory.max":     "300\n",
			"sys/fs/cgroup/user.slice/memory.current": "400\n",
		}, 0, ""},
		"v2 unlimited": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/user.slice\n",
			"sys/fs/cgroup/user.slice/memory.max":     "max\n",
			"sys/fs/cgroup/user.slice/memory.current": "400\n",
		}, 1 << 30, ""},
		"no meminfo":   {nil, 0, "read available memory"},
		"old meminfo":  {map[string]string{"proc/meminfo": "MemFree: 3 kB\n"}, 0, "no MemAvailable"},
		"torn meminfo": {map[string]string{"proc/meminfo": "MemAvailable: kB\n"}, 0, "MemAvailable"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := host(t, tt.files).available()
			checkError(t, err, tt.err)
			if got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestComplete(t *testing.T) {
	m := host(t, map[string]string{"proc/meminfo": "MemAvailable: 1048576 kB\n", "var/tmp/x": ""})
	cpus, err := allowedCPUs()
	if err != nil {
		t.Fatal(err)
	}
	kind := func(text string) []Spec {
		s, err := ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		return []Spec{s}
	}
	for name, tt := range map[string]struct {
		config Config
		err    string
	}{
		"idle":                 {Config{}, ""},
		"each kind":            {Config{Kinds: kind("cpu:3")}, ""},
		"a command":            {Config{Commands: []string{"true"}}, ""},
		"would swap":           {Config{Kinds: kind("cpu"), Memory: 1 << 30}, "would swap"},
		"too little memory":    {Config{Kinds: kind("memory:2"), Memory: 40 << 20}, "need 64 MiB"},
		"too little free":      {Config{Kinds: kind("cpu:17")}, "a quarter of the 1024 MiB that are available: they need 272 MiB"},
		"too few pids":         {Config{Kinds: kind("cpu:2"), Pids: 19}, "they need 20"},
		"too many":             {Config{Kinds: append(kind("cpu:200"), kind("fork:200")...)}, "256 is the most"},
		"no such cpu":          {Config{CPUs: []int{9999}}, "offline or not allowed"},
		"negative":             {Config{Memory: -1}, "negative"},
		"weight":               {Config{Weight: 10001}, "weight"},
		"i/o weight":           {Config{IOWeight: 1001}, "i/o weight"},
		"priority":             {Config{Priority: 99}, "priority 99"},
		"no such kind":         {Config{Kinds: []Spec{{Kind: "x"}}}, "no load is called"},
		"disk":                 {Config{Kinds: kind("io"), Dir: t.TempDir()}, ""},
		"no such directory":    {Config{Kinds: kind("io"), Dir: "/nonexistent"}, "no such file"},
		"a file":               {Config{Kinds: kind("io"), Dir: "config_test.go"}, "is no directory"},
		"more disk than there": {Config{Kinds: kind("io"), Dir: t.TempDir(), Disk: 1 << 60}, "MiB free"},
		"too little disk":      {Config{Kinds: kind("io"), Disk: 1 << 20}, "needs 4 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tt.config.complete(m)
			checkError(t, err, tt.err)
			if err != nil {
				return
			}
			if got.Memory != 1<<28 || got.Disk != 256<<20 || got.Pids != 4096 || got.Priority != 10 {
				t.Errorf("wrong defaults: %+v", got)
			}
			if diff := cmp.Diff(cpus, got.CPUs); diff != "" {
				t.Errorf("wrong CPUs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDiskThatIsMissingIsUnavailable(t *testing.T) {
	err := hasRoom("/proc", 1, true)
	if err == nil {
		t.Fatal("found room in /proc")
	}
	c := Config{Kinds: []Spec{{Kind: "io", Count: 1}}, Dir: "/proc", Disk: defaultDisk}
	if _, err := c.boundDisk(machine{root: "/"}); !errors.Is(err, remedy.ErrUnavailable) || remedy.Of(err) == "" {
		t.Errorf("got %v, want what is unavailable, with a remedy", err)
	}
}

func TestPlanGivesEveryThreadItsLane(t *testing.T) {
	c := Config{CPUs: []int{0, 1, 5}, Commands: []string{"a", "b"}}
	for _, k := range Kinds() {
		c.Kinds = append(c.Kinds, Spec{Kind: k.Name, Count: 2})
	}
	p := newPlan(c)
	next := 0
	for _, j := range p.Jobs {
		if j.First != next {
			t.Errorf("%s begins at lane %d, want %d", j.label(), j.First, next)
		}
		next += j.width()
	}
	if p.Lanes != next {
		t.Errorf("%d lanes, want %d", p.Lanes, next)
	}
	l, err := openLanes(nil, p.Lanes)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	seen := map[*uint32]string{}
	for _, g := range p.gauges(l) {
		if g.unit == "" || g.scale == 0 {
			t.Errorf("rate %s has unit %q, scale %v", g.label, g.unit, g.scale)
		}
		for _, lane := range g.lanes {
			if seen[lane] != "" {
				t.Errorf("%s and %s share a lane", seen[lane], g.label)
			}
			seen[lane] = g.label
			*lane++
		}
		if got, want := g.advance(), float64(len(g.lanes))*g.scale; got != want {
			t.Errorf("%s counted %v, want %v", g.label, got, want)
		}
	}
	if len(seen) != p.Lanes {
		t.Errorf("%d of %d lanes are read", len(seen), p.Lanes)
	}
}

func TestGaugeSurvivesAWrap(t *testing.T) {
	lane := ^uint32(0) - 2
	g := &gauge{scale: 1}
	g.add([]*uint32{&lane})
	g.advance()
	lane += 10
	if got := g.advance(); got != 10 {
		t.Errorf("counted %v, want 10", got)
	}
}
