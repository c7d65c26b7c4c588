package transportcmd

import (
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/loadflag"
	"worstcase/host"
	"worstcase/loadgen"
	"worstcase/rtsched"
	"worstcase/transport"
	"worstcase/transport/shm"
)

// options is the command line, parsed.
type options struct {
	measure  cli.Measure
	names    string
	config   transport.Config // what all cells share
	grid     grid
	load     loadflag.Flags
	loads    []loadgen.Config
	presets  []string
	markdown bool
	list     bool
	help     bool
}

// A flagValues holds the flags that need more than a look.
type flagValues struct {
	sizes, rates, subscribers, notifiers, presets string
	policy, drop, dmaLatency, payload             string
	cpus                                          cli.CPUList
}

// parse turns arguments into options; every error is a usage error.
func parse(args []string) (*options, *pflag.FlagSet, error) {
	o := &options{}
	var v flagValues
	fs := cli.Flags("transport")
	fs.StringVarP(&v.sizes, "sizes", "s", "16B", "payload `sizes` in bytes, or with a unit: 16B,64K,1M,10M")
	fs.StringVarP(&v.rates, "rates", "f", "100", "messages a second: `rates` such as 10,100; -1 is as fast as possible")
	fs.StringVar(&v.subscribers, "subscribers", "1", "`numbers` of subscribers, a process each, that get every message: 1,2,5,10")
	fs.IntVar(&o.config.Publishers, "publishers", 1, "number of publishers, a process each")
	fs.StringVar(&v.presets, "preset", "", "apollo, sizes, rates, or several: the cells of the CyberRT `report`")
	fs.BoolVar(&o.list, "list", false, "list the transports, their versions, and what is missing")
	shared := pflag.NewFlagSet("", pflag.ContinueOnError)
	o.measure.Register(shared)
	shared.VisitAll(func(f *pflag.Flag) {
		if f.Shorthand == "s" { // the sizes'; statistics have no letter here
			f.Shorthand = ""
		}
		fs.AddFlag(f)
	})
	fs.StringVar(&v.notifiers, "notifier", "futex", "how a subscriber of shm learns of a message, or several: futex,\neventfd, spin, spin-futex, poll50")
	fs.IntVar(&o.config.Depth, "depth", 10, "messages that may be queued for a subscriber")
	fs.BoolVar(&o.config.BestEffort, "best-effort", false, "drop messages rather than wait for a subscriber")
	fs.StringVar(&v.drop, "drop", shm.DropNewest.String(), "what shm drops: drop-newest or drop-oldest")
	fs.BoolVar(&o.config.NoTouch, "no-touch", false, "neither fill nor read the payload, and mark the table so")
	fs.StringVar(&v.payload, "payload", "bytes", "how the payload is filled and read: bytes, or words, one 32-bit integer after\nthe other as in a repeated field")
	fs.BoolVar(&o.config.RoundTrip, "round-trip", false, "send every message back as well; prints a table with the trip and half of it")
	fs.StringVar(&o.config.URL, "url", "", "use a broker that runs already: nats://, tcp:// (MQTT), redis://, unix://")
	fs.VarP(&v.cpus, "cpus", "c", "CPUs of the publishers and then the subscribers, in turn; default: the last two")
	fs.IntVarP(&o.config.Priority, "priority", "P", 98, "real-time priority, 1 to 99")
	fs.StringVar(&v.policy, "policy", string(rtsched.FIFO), "fifo, rr or other (not real-time, marked in every table)")
	fs.StringVar(&v.dmaLatency, "dma-latency", "0", "hold /dev/cpu_dma_latency at so many `us`, or keep it as it is")
	fs.BoolVar(&o.config.AllowThrottle, "allow-throttle", false, "let spinning threads take more than 90 % of each second")
	o.load.Register(fs)
	fs.BoolVar(&o.markdown, "markdown", false, "print the table of several cells as Markdown")
	err := fs.Parse(args)
	if err != nil {
		return nil, fs, cli.Usage(err)
	}
	if o.help, _ = fs.GetBool("help"); o.help || o.list {
		return o, fs, nil
	}
	if fs.NArg() != 1 {
		return nil, fs, cli.Usagef("name one transport, or several with commas between them; transport --list shows them")
	}
	o.names = fs.Arg(0)
	if err = o.measure.Check(); err != nil {
		return nil, fs, err
	}
	if o.loads, err = o.load.Loads(); err != nil {
		return nil, fs, err
	}
	return o, fs, o.take(v, fs)
}

// take checks the flags' values and puts them into Config and grid.
func (o *options) take(v flagValues, fs *pflag.FlagSet) error {
	var err error
	c := &o.config
	if c.Policy, err = rtsched.ParsePolicy(v.policy); err != nil {
		return cli.Usage(err)
	}
	if c.Priority < 1 || c.Priority > 99 {
		return cli.Usagef("-P %d: a priority from 1 to 99", c.Priority)
	}
	for name, n := range map[string]int{"depth": c.Depth, "publishers": c.Publishers} {
		if n < 1 { // a Config takes 0 for its default
			return cli.Usagef("--%s %d: at least 1", name, n)
		}
	}
	if fs.Changed("priority") && !c.Policy.Fixed() {
		return cli.Usagef("-P and --policy %s: only fifo and rr have priorities", v.policy)
	}
	if c.Drop, err = shm.ParsePolicy(v.drop); err != nil || c.Drop == shm.Block {
		return cli.Usagef("--drop %s: drop-newest or drop-oldest", v.drop)
	}
	if c.Words = v.payload == "words"; !c.Words && v.payload != "bytes" {
		return cli.Usagef("--payload %s: bytes or words", v.payload)
	}
	if v.dmaLatency == "keep" {
		c.KeepIdle = true
	} else if us, err := strconv.ParseUint(v.dmaLatency, 10, 31); err == nil {
		c.DMALatency = time.Duration(us) * time.Microsecond
	} else {
		return cli.Usagef("--dma-latency %s: a number of us, or keep", v.dmaLatency)
	}
	if err := v.cpus.CheckOnline(); err != nil {
		return err
	}
	if c.CPUs = v.cpus; len(c.CPUs) == 0 {
		if c.CPUs, err = defaultCPUs(); err != nil {
			return err
		}
	}
	if err := o.grid.parse(v); err != nil {
		return cli.Usage(err)
	}
	if v.presets != "" {
		o.presets = strings.Split(v.presets, ",")
		for _, flag := range []string{"sizes", "rates"} {
			if fs.Changed(flag) {
				return cli.Usagef("--preset and --%s: a preset has sizes and rates of its own", flag)
			}
		}
	}
	return nil
}

// defaultCPUs are two of their own, isolated ones where there are, else the last
// ones on which the process may run.
func defaultCPUs() ([]int, error) {
	allowed, err := rtsched.AllowedCPUs()
	if err != nil {
		return nil, err
	}
	if isolated, err := host.IsolatedCPUs(); err == nil && len(isolated) >= 2 {
		return isolated[:2], nil
	}
	return allowed[max(0, len(allowed)-2):], nil
}

// A grid is the cells as the product of its lists.
type grid struct {
	sizes       []int
	rates       []float64
	subscribers []int
	notifiers   []shm.Notifier
}

func (g *grid) parse(v flagValues) error {
	for s := range strings.SplitSeq(v.sizes, ",") {
		n, err := transport.ParseSize(s)
		if err != nil {
			return err
		}
		g.sizes = append(g.sizes, n)
	}
	for s := range strings.SplitSeq(v.rates, ",") {
		hz, err := strconv.ParseFloat(s, 64)
		if err != nil || hz != -1 && (hz < 0.1 || hz > 1e6) {
			return cli.Usagef("-f %s: 0.1 to 1000000 messages a second, or -1", s)
		}
		g.rates = append(g.rates, hz)
	}
	for s := range strings.SplitSeq(v.subscribers, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > 32 {
			return cli.Usagef("--subscribers %s: 1 to 32", s)
		}
		g.subscribers = append(g.subscribers, n)
	}
	for s := range strings.SplitSeq(v.notifiers, ",") {
		n, err := shm.ParseNotifier(s)
		if err != nil {
			return err
		}
		g.notifiers = append(g.notifiers, n)
	}
	return nil
}

// setDuration is how long each cell of a set takes where -T says nothing.
const setDuration = 10 * time.Second
