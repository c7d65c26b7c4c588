package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"worstcase/results"
)

// errNoHistogram is what exports that are histograms fail with.
var errNoHistogram = errors.New("the run has no histogram")

// osadlClasses bounds the latency classes that WriteOSADL writes, one a
// microsecond; higher samples are only in the maxima, as OSADL has it.
const osadlClasses = 10_000

// An osadlDataset is the document, its members in the order of the format's
// description.
type osadlDataset struct {
	Format     osadlFormat     `json:"format"`
	Timestamps osadlTimestamps `json:"timestamps"`
	System     osadlSystem     `json:"system"`
	Processor  osadlProcessor  `json:"processor"`
	Kernel     osadlKernel     `json:"kernel"`
	Condition  osadlCondition  `json:"condition"`
	Latency    osadlLatency    `json:"latency"`
}

type osadlFormat struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type osadlTimestamps struct {
	Origin  string `json:"origin,omitempty"`
	Dataset string `json:"dataset,omitempty"`
}

type osadlSystem struct {
	Hostname string `json:"hostname"`
}

type osadlProcessor struct {
	Family string `json:"family"`
	Vendor string `json:"vendor"`
	Type   string `json:"type"`
	Clock  string `json:"clock,omitempty"` // MHz
}

type osadlKernel struct {
	Version string   `json:"version"`
	Patches []string `json:"patches"`
	Config  []string `json:"config"`
	Cmdline string   `json:"cmdline"`
}

type osadlCondition struct {
	Load       string `json:"load"`
	Cycles     int64  `json:"cycles,omitempty"`
	Interval   int64  `json:"interval,omitempty"` // us
	Cyclictest string `json:"cyclictest"`
}

type osadlLatency struct {
	Granularity string    `json:"granularity"`
	Maxima      []int64   `json:"maxima"`
	Cores       [][]int64 `json:"cores"`
}

// WriteOSADL writes a run as an OSADL RT Dataset 1.0: latencies in classes of
// 1 us, with a column for each series after that of the classes' numbers.
func WriteOSADL(w io.Writer, r *results.Run) error {
	latency, err := osadlClassesOf(r.Totals())
	if err != nil {
		return err
	}
	doc := osadlDataset{
		Format:    osadlFormat{"RT Dataset", "1.0"},
		System:    osadlSystem{r.Host["kernel.hostname"]},
		Processor: osadlProcessor{Family: r.Host["kernel.machine"], Vendor: r.Host["cpu.vendor"], Type: r.Host["cpu.model"]},
		Kernel: osadlKernel{
			Version: r.Host["kernel.release"], Patches: []string{},
			Config: osadlConfig(r.Host["kernel.config"]), Cmdline: r.Host["kernel.cmdline"],
		},
		Condition: osadlConditionOf(r),
		Latency:   latency,
	}
	if !r.Started.IsZero() {
		end := r.Started.Add(time.Duration(r.Seconds() * 1e9))
		doc.Timestamps = osadlTimestamps{r.Started.Format(time.RFC3339), end.Format(time.RFC3339)}
	}
	if khz, err := strconv.ParseInt(r.Host["cpu.max_khz"], 10, 64); err == nil {
		doc.Processor.Clock = strconv.FormatInt(khz/1000, 10)
	}
	text, err := json.MarshalIndent(doc, "", "    ")
	if err != nil {
		return fmt.Errorf("write OSADL dataset: %w", err)
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// osadlConfig are the lines of a kernel configuration.
func osadlConfig(config string) []string {
	lines := []string{}
	for line := range strings.SplitSeq(config, "\n") {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

func osadlConditionOf(r *results.Run) osadlCondition {
	c := osadlCondition{Load: r.ConfigText(results.ConfigLoad), Cyclictest: r.ConfigText(results.ConfigCommand)}
	if c.Load == "" {
		c.Load = "idle"
	}
	// The format has one number of cycles for all cores. Where they differ it is
	// left out: readers take what a core lacks for samples above the last class.
	for i, t := range r.Totals() {
		n := t.Samples()
		if t.Missing.Has(results.NoCount) || i > 0 && n != c.Cycles {
			c.Cycles = 0
			break
		}
		c.Cycles = n
	}
	if ns, ok := r.ConfigInt(results.ConfigPeriod); ok {
		c.Interval = ns / 1000
	}
	return c
}

// osadlClassesOf counts the samples of each series by whole microseconds.
func osadlClassesOf(totals []results.Total) (osadlLatency, error) {
	classes := int64(0)
	for i := range totals {
		if totals[i].Histogram == nil {
			return osadlLatency{}, errNoHistogram
		}
		for b := range totals[i].Histogram.All() {
			classes = max(classes, min(b.High/1000+1, osadlClasses))
		}
	}
	numbers := make([]int64, classes)
	for i := range numbers {
		numbers[i] = int64(i)
	}
	l := osadlLatency{Granularity: "microseconds", Maxima: []int64{}, Cores: [][]int64{numbers}}
	for i := range totals {
		t := &totals[i]
		core := make([]int64, classes)
		for b := range t.Histogram.All() {
			if class := b.High / 1000; class < classes {
				core[class] += b.Count
			}
		}
		l.Cores = append(l.Cores, core)
		if !t.Missing.Has(results.NoMax) {
			l.Maxima = append(l.Maxima, t.Max/1000)
		}
	}
	return l, nil
}
