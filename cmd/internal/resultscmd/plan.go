package resultscmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/internal/remedy"
	"worstcase/results"
	"worstcase/results/compare"
	"worstcase/results/render"
)

// A planning is the plan subcommand's options.
type planning struct {
	output
	resolve string
	claim   float64
	period  cli.Duration
	alpha   float64
	seed    uint64
}

func planCommand() subcommand {
	return subcommand{
		name: "plan", args: "--resolve 5% RUN… | --claim 1e-9 [--period 100us] [RUN…]",
		about: "tell from earlier runs how many more, and how long",
		flags: func(fs *pflag.FlagSet) func(context.Context, *cli.Env, []string) error {
			p := planning{period: cli.Duration{Unit: time.Microsecond}}
			fs.StringVar(&p.resolve, "resolve", "", "the difference to see: 5%, 1us, or the larger of both (5%,1us)")
			fs.Float64Var(&p.claim, "claim", 0, "the probability, per period, of a latency above the worst one, to claim at 95 %")
			fs.Var(p.period.Value(), "period", "sampling period in us or with a unit; default: that of the runs")
			fs.Float64Var(&p.alpha, "alpha", 0.05, "probability of a false claim in the comparison planned for")
			fs.Uint64Var(&p.seed, "seed", 1, "of everything drawn at random")
			p.register(fs)
			return p.run
		},
		help: `
Examples:
  results plan --resolve 5% before-*.run
  results plan --claim 1e-9 --period 100us
  results plan --claim 1e-9 before-1.run
` + statuses,
	}
}

func (p *planning) run(_ context.Context, env *cli.Env, args []string) error {
	if err := p.output.check(); err != nil {
		return err
	}
	switch {
	case p.claim != 0 && p.resolve != "":
		return cli.Usage(errors.New("--resolve and --claim are two questions: ask one"))
	case p.claim != 0:
		return p.planClaim(env, args)
	case p.resolve != "":
		return p.planRuns(env, args)
	}
	return cli.Usage(errors.New("what to plan for is missing: --resolve or --claim"))
}

// planRuns says how many runs see a difference.
func (p *planning) planRuns(env *cli.Env, args []string) error {
	margin, err := compare.ParseMargin(p.resolve)
	if err != nil {
		return cli.Usage(err)
	}
	runs, err := read(env, results.KeepFigures, args)
	if err != nil {
		return err
	}
	blocks, err := readBlocks(args...)
	if err != nil {
		return err
	}
	if len(blocks) != len(runs) {
		blocks = nil // a file or a folder of several runs
	}
	plan, err := compare.MakePlan(runs, blocks, compare.Options{Margin: margin, Alpha: p.alpha, Seed: p.seed})
	if err != nil {
		return remedy.Hint(err, "measure a few times what shall be compared, with -o, and plan from these runs")
	}
	if p.json {
		return writeJSON(env.Stdout, plan)
	}
	return p.table(env.Stdout, planTable(plan))
}

func planTable(plan *compare.Plan) *render.Table {
	t := &render.Table{
		Title: fmt.Sprintf("runs a side to show %s with probability %g, from %d runs", plan.Resolve, plan.Power, plan.Runs),
		Columns: []render.Column{
			render.Words("series"), render.Words("figure"), render.Words("unit"),
			{Title: "median", Precision: 3},
			{Title: "spread", Precision: 3},
		},
		Notes: plan.Notes,
	}
	for _, length := range plan.Lengths {
		t.Columns = append(t.Columns, render.Column{Title: "of " + short(length)})
	}
	for _, r := range plan.Rows {
		scale, unit := 1000.0, "us"
		if r.Unit != "ns" {
			scale, unit = 1, r.Unit
		}
		row := []render.Cell{render.Text(r.Name), render.Text(r.Metric), render.Text(unit), render.Number(r.Median / scale), render.Number(r.Spread / scale)}
		for _, n := range r.Need {
			row = append(row, render.Known(float64(n), n > 0))
		}
		t.Rows = append(t.Rows, row)
	}
	dropEmpty(t)
	return t
}

// planClaim says how long nothing may pass the limit.
func (p *planning) planClaim(env *cli.Env, args []string) error {
	period, block := p.period.Duration, 0.0
	if len(args) > 0 {
		runs, err := read(env, results.KeepFigures, args)
		if err != nil {
			return err
		}
		for _, r := range runs {
			for _, t := range r.Totals() {
				if b := r.Bound(t.ID); b.Blocks > 0 {
					block = max(block, b.BlockSeconds)
				}
			}
			if ns, ok := r.ConfigInt(results.ConfigPeriod); ok && period == 0 {
				period = time.Duration(ns)
			}
		}
	}
	claim, err := compare.MakeClaim(p.claim, period, block)
	if err != nil {
		return cli.Usage(err)
	}
	if p.json {
		return writeJSON(env.Stdout, claim)
	}
	text := claimText(claim, len(args) > 0)
	if p.markdown {
		first, rest, _ := strings.Cut(text, "\n")
		text = first + "\n\n"
		for line := range strings.Lines(rest) {
			text += "- " + strings.TrimSpace(line) + "\n"
		}
	}
	_, err = io.WriteString(env.Stdout, text)
	return err
}

// claimText says it in words; named tells that there were runs to learn from.
func claimText(c compare.Claim, named bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "to claim that fewer than %g of all periods of %s pass a limit (95 %% confidence), none may pass it in\n", c.Probability, short(c.Period))
	fmt.Fprintf(&b, "  %-10s if samples were independent of each other: %.3g samples\n", short(c.IfIndependent), c.Samples)
	if c.Block > 0 {
		fmt.Fprintf(&b, "  %-10s as they depend on each other for %.3g s in the runs named: %.3g blocks of that length\n", short(c.Blocked), c.Block, c.Samples)
	} else if named {
		b.WriteString("the runs named are too short to tell how long samples depend on each other, and what holds then\n")
	} else {
		b.WriteString("name earlier runs to learn how long samples depend on each other, and what holds then\n")
	}
	return b.String()
}

// short writes a duration in its two largest units.
func short(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == math.MaxInt64:
		return "> 292 years"
	case d >= 365*day:
		return fmt.Sprintf("%.3g years", d.Hours()/24/365.25)
	case d >= 3*day:
		return fmt.Sprintf("%.3g days", d.Hours()/24)
	case d >= time.Second:
		d = d.Round(time.Second)
	}
	s := strings.ReplaceAll(d.String(), "µ", "u")
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-2]
		}
	}
	return s
}
