package loadgen

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// A Profile is a load with a name. Its file is YAML:
//
//	name: rt-tests
//	about: hackbench, arithmetic on every CPU, and disk writes and reads
//	kinds: ["sched:2", "cpu:cpus", io]
//	commands: ["stress-ng --matrix 2"]
//
// where kinds are as ParseSpec reads them; unknown keys are errors.
type Profile struct {
	Name     string   `yaml:"name"`
	About    string   `yaml:"about,omitempty"`
	Kinds    []string `yaml:"kinds,omitempty,flow"`
	Commands []string `yaml:"commands,omitempty,flow"`
}

//go:embed profiles/*.yaml
var profileFiles embed.FS

// Profiles returns the profiles of this package: idle first, worst last.
func Profiles() ([]Profile, error) {
	paths, err := fs.Glob(profileFiles, "profiles/*.yaml")
	if err != nil {
		return nil, err
	}
	var list []Profile
	for _, path := range paths {
		b, err := profileFiles.ReadFile(path)
		if err != nil {
			return nil, err
		}
		p, err := ParseProfile(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, p)
	}
	rank := func(p Profile) int { return strings.Index("idle xenomai rt-tests rteval middleware worst", p.Name) }
	slices.SortFunc(list, func(a, b Profile) int { return rank(a) - rank(b) })
	return list, nil
}

// OpenProfile returns the profile of that name, or reads the file of that name
// when it ends in .yaml or .yml or holds a slash.
func OpenProfile(name string) (Profile, error) {
	if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") || strings.Contains(name, "/") {
		b, err := os.ReadFile(name)
		if err != nil {
			return Profile{}, fmt.Errorf("read profile: %w", err)
		}
		p, err := ParseProfile(b)
		if err != nil {
			return Profile{}, fmt.Errorf("profile %s: %w", name, err)
		}
		return p, nil
	}
	list, err := Profiles()
	if err != nil {
		return Profile{}, err
	}
	var known []string
	for _, p := range list {
		if p.Name == name {
			return p, nil
		}
		known = append(known, p.Name)
	}
	return Profile{}, fmt.Errorf("no profile is called %q (%s)", name, strings.Join(known, ", "))
}

// ParseProfile reads a profile. Errors name line and column.
func ParseProfile(text []byte) (Profile, error) {
	var p Profile
	d := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict())
	if err := d.Decode(&p); err != nil {
		return Profile{}, fmt.Errorf("%s", strings.TrimSpace(yaml.FormatError(err, false, false)))
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return Profile{}, errors.New("more than one document: a file is one profile")
	}
	if p.Name == "" || strings.ContainsAny(p.Name, "\n,") {
		return Profile{}, fmt.Errorf("name: %q is no name", p.Name)
	}
	for _, c := range p.Commands {
		if strings.TrimSpace(c) == "" {
			return Profile{}, errors.New("commands: one is empty")
		}
	}
	if _, err := p.Specs(); err != nil {
		return Profile{}, err
	}
	return p, nil
}

// Specs are the profile's kinds.
func (p Profile) Specs() ([]Spec, error) {
	var list []Spec
	for _, text := range p.Kinds {
		s, err := ParseSpec(text)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// Format returns the profile's file.
func (p Profile) Format() ([]byte, error) {
	b, err := yaml.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write profile %s: %w", p.Name, err)
	}
	return b, nil
}

// Resolve turns texts, each a profile, a file of one, or a Spec, into one Config
// in which all run together. Its name is made of theirs.
func Resolve(texts ...string) (Config, error) {
	var c Config
	var called []string
	for _, text := range texts {
		p, err := resolve(text)
		if err != nil {
			return Config{}, err
		}
		specs, err := p.Specs()
		if err != nil {
			return Config{}, err
		}
		c.Kinds = append(c.Kinds, specs...)
		c.Commands = append(c.Commands, p.Commands...)
		called = append(called, p.Name)
	}
	c.Name = strings.Join(called, ",")
	return c, nil
}

// resolve makes a profile of a Spec as well.
func resolve(text string) (Profile, error) {
	name, _, _ := strings.Cut(text, ":")
	kind, _, _ := strings.Cut(name, "/")
	isFile := strings.HasSuffix(text, ".yaml") || strings.HasSuffix(text, ".yml")
	if _, err := (Spec{Kind: kind}).find(); err == nil && !isFile {
		_, err := ParseSpec(text)
		return Profile{Name: text, Kinds: []string{text}}, err
	}
	p, err := OpenProfile(text)
	if err != nil && !isFile && !strings.Contains(text, "/") {
		return p, fmt.Errorf("no load is called %q: kinds are %s; %w", text, strings.Join(names(Kinds()), ", "), err)
	}
	return p, err
}
