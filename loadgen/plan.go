package loadgen

// A plan is what the tool tells its supervisor: a complete Config and who does
// what in which lanes.
type plan struct {
	Config Config `json:"config"`
	Lanes  int    `json:"lanes"`
	Jobs   []job  `json:"jobs"`
}

// A job is what one worker does.
type job struct {
	Spec Spec `json:"spec"`
	// Command, when not "", is what the worker runs instead of a kind.
	Command string `json:"command,omitempty"`
	// Index counts the workers of one spec.
	Index int `json:"index"`
	// First lane of the worker's.
	First int `json:"first"`
	// Memory and Disk in bytes are what the worker may fill.
	Memory   int64  `json:"memory,omitempty"`
	Disk     int64  `json:"disk,omitempty"`
	Dir      string `json:"dir,omitempty"`
	CPUs     []int  `json:"cpus"`
	Priority int    `json:"priority"`
	// Supervisor is the process that must be the worker's parent.
	Supervisor int `json:"supervisor"`
	// Limits are set where no cgroup sets them.
	Limits *limits `json:"limits,omitempty"`
}

// limits are resource limits of each process of a load without a cgroup.
type limits struct {
	Memory, Disk int64
	Pids         int
}

// label names the job in messages.
func (j job) label() string {
	if j.Command != "" {
		return j.Command
	}
	return Spec{Kind: j.Spec.Kind, Part: j.Spec.Part}.String()
}

// commandLabel is what the rate of commands is called.
const commandLabel = "command"

// newPlan hands out lanes to the workers of a complete Config.
func newPlan(c Config) plan {
	p := plan{Config: c}
	base := job{Memory: c.share(), Disk: c.diskShare(), Dir: c.Dir, CPUs: c.CPUs, Priority: c.Priority}
	for _, s := range c.Kinds {
		for i := range s.Count {
			j := base
			j.Spec, j.Index, j.First = s, i, p.Lanes
			p.Jobs = append(p.Jobs, j)
			p.Lanes += j.width()
		}
	}
	for i, command := range c.Commands {
		j := base
		j.Command, j.Index, j.First = command, i, p.Lanes
		p.Jobs = append(p.Jobs, j)
		p.Lanes++
	}
	return p
}

// width is the number of the job's lanes.
func (j job) width() int {
	if j.Command != "" {
		return 1
	}
	k, err := j.Spec.find()
	if err != nil {
		return 0
	}
	n := 0
	for _, p := range k.Parts {
		n += p.lanes(len(j.CPUs))
	}
	return n
}

// gauges returns one gauge for each rate of the load.
func (p plan) gauges(l *lanes) []*gauge {
	var list []*gauge
	byLabel := map[string]*gauge{}
	find := func(label, unit string, scale float64) *gauge {
		g := byLabel[label]
		if g == nil {
			if scale == 0 {
				scale = 1
			}
			g = &gauge{label: label, unit: unit, scale: scale}
			byLabel[label] = g
			list = append(list, g)
		}
		return g
	}
	for _, j := range p.Jobs {
		if j.Command != "" {
			find(commandLabel, "run/s", 1).add(l.slice(j.First, 1))
			continue
		}
		k, err := j.Spec.find()
		if err != nil {
			continue
		}
		at := j.First
		for _, part := range k.Parts {
			n := part.lanes(len(j.CPUs))
			find(k.label(part), part.Unit, part.Scale).add(l.slice(at, n))
			at += n
		}
	}
	return list
}
