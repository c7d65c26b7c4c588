package loadgen

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProfiles(t *testing.T) {
	list, err := Profiles()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range list {
		got = append(got, p.Name)
		if p.About == "" {
			t.Errorf("profile %s doesn't say what it is about", p.Name)
		}
		if _, err := Resolve(p.Name); err != nil {
			t.Error(err)
		}
		for _, s := range mustSpecs(t, p) {
			if s.Kind == priorityName {
				t.Errorf("profile %s is real-time without being asked", p.Name)
			}
		}
	}
	want := []string{"idle", "xenomai", "rt-tests", "rteval", "middleware", "worst"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wrong profiles (-want +got):\n%s", diff)
	}
}

func mustSpecs(t *testing.T, p Profile) []Spec {
	t.Helper()
	list, err := p.Specs()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestParseProfile(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want Profile
		err  string
	}{
		"whole": {
			"name: a\nabout: b\nkinds: [fork, \"cpu:2\"]\ncommands: [\"true\"]\n",
			Profile{Name: "a", About: "b", Kinds: []string{"fork", "cpu:2"}, Commands: []string{"true"}},
			"",
		},
		"least":       {"name: a", Profile{Name: "a"}, ""},
		"empty":       {"", Profile{}, "EOF"},
		"no name":     {"kinds: [fork]", Profile{}, "name"},
		"unknown key": {"name: a\nkind: [fork]", Profile{}, "[2:1]"},
		"wrong kind":  {"name: a\nkinds: [forks]", Profile{}, "no load is called"},
		"no list":     {"name: a\nkinds: fork", Profile{}, "[2:8]"},
		"no YAML":     {"name: [", Profile{}, "[1:7]"},
		"no command":  {"name: a\ncommands: [\"\"]", Profile{}, "commands: one is empty"},
		"twice":       {"name: a\nname: b", Profile{}, "[2:1]"},
		"two":         {"name: a\n---\nname: b\n", Profile{}, "more than one document"},
		"two, torn":   {"name: a\n---\n[", Profile{}, "[3:1]"},
		"marked":      {"---\nname: a\n", Profile{Name: "a"}, ""},
		"comments":    {"name: a\n# found by search\n", Profile{Name: "a"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseProfile([]byte(tt.text))
			checkError(t, err, tt.err)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("wrong profile (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzParseProfile: what is read can be written and read again.
func FuzzParseProfile(f *testing.F) {
	files, err := filepath.Glob("profiles/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := ParseProfile(text)
		if err != nil {
			return
		}
		if _, err := p.Format(); err != nil {
			t.Error(err)
		}
	})
}

func TestFormatProfile(t *testing.T) {
	p := Profile{Name: "worst", About: "p99.99 of 3.1 us: as found", Kinds: []string{"memory:cpus", "fork"}}
	b, err := p.Format()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseProfile(b)
	if err != nil {
		t.Fatalf("%v in\n%s", err, b)
	}
	if diff := cmp.Diff(p, got); diff != "" {
		t.Errorf("wrong profile (-want +got):\n%s", diff)
	}
}

func TestResolve(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, []byte("name: mine\nkinds: [pipe]\ncommands: [\"true\"]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		texts []string
		want  Config
		err   string
	}{
		"kinds": {[]string{"fork:2", "cache/line"}, Config{
			Name: "fork:2,cache/line", Kinds: []Spec{{Kind: "fork", Count: 2}, {Kind: "cache", Part: "line", Count: 1}},
		}, ""},
		"idle": {[]string{"idle"}, Config{Name: "idle"}, ""},
		"file and kind": {[]string{file, "fork"}, Config{
			Name: "mine,fork", Kinds: []Spec{{Kind: "pipe", Count: 1}, {Kind: "fork", Count: 1}}, Commands: []string{"true"},
		}, ""},
		"neither":     {[]string{"nothing"}, Config{}, "no load is called"},
		"wrong count": {[]string{"cpu:many"}, Config{}, "count must be"},
		"wrong part":  {[]string{"cpu/many"}, Config{}, "has no part"},
		"no file":     {[]string{"./nothing"}, Config{}, "no such file"},
		"empty":       {[]string{""}, Config{}, "no load is called"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Resolve(tt.texts...)
			checkError(t, err, tt.err)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("wrong config (-want +got):\n%s", diff)
			}
		})
	}
}
