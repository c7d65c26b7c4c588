package loadgencmd

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/loadflag"
	"worstcase/loadgen"
)

// parse turns arguments into options; every error is a usage error.
func parse(args []string) (*options, *pflag.FlagSet, error) {
	o := &options{}
	fs := cli.Flags("loadgen")
	fs.Lookup("help").Shorthand = "" // -h is added below, as help
	duration := cli.Duration{Unit: time.Second}
	var profiles, commands []string
	help := fs.BoolP("usage", "h", false, "show this help")
	fs.Lookup("usage").Hidden = true
	fs.BoolVar(&o.list, "list", false, "list kinds and profiles, what they stress and need")
	fs.StringArrayVar(&profiles, "profile", nil, "run a `profile`, by name or FILE.yaml; may be given several times")
	fs.StringArrayVar(&commands, "exec", nil, "run this shell `command` as a load, again whenever it ends; may be given several times")
	fs.VarP(duration.Value(), "duration", "T", "time in seconds or with a unit (60, 5m, 1h); without it until a signal.\nWith --search: of each measurement (default 3)")
	fs.VarP(&o.limits.CPUs, "cpus", "c", "CPUs of the load (0-3,6); default: all")
	o.limits.Register(fs, "")
	fs.BoolVarP(&o.quiet, "quiet", "q", false, "print the mean rates only")
	fs.BoolVar(&o.search, "search", false, "find the kinds that hurt most on this machine, against latency's p99.99")
	fs.IntVar(&o.rounds, "rounds", 3, "rounds of --search, at least 3")
	fs.StringVar(&o.saveProfile, "save-profile", "", "write the worst load found by --search to `FILE`.yaml")
	if err := fs.Parse(args); err != nil {
		return nil, fs, cli.Usage(err)
	}
	asked, _ := fs.GetBool("help")
	if o.help = asked || *help; o.help || o.list {
		return o, fs, nil
	}
	o.duration = duration.Duration
	if duration.Set && o.duration < time.Second {
		return nil, fs, cli.Usagef("-T %s: at least one second", o.duration)
	}
	if fs.Changed("save-profile") && o.saveProfile == "" {
		return nil, fs, cli.Usage(errors.New("--save-profile: the name of the file is empty"))
	}
	if fs.Changed("rounds") && !o.search {
		return nil, fs, cli.Usage(errors.New("--rounds needs --search"))
	}
	return o, fs, o.take(profiles, commands, fs.Args())
}

// take checks the flags against each other and makes the Config.
func (o *options) take(profiles, commands, kinds []string) error {
	if err := o.limits.CPUs.CheckOnline(); err != nil {
		return err
	}
	if o.search {
		if len(profiles)+len(commands)+len(kinds) > 0 {
			return cli.Usage(errors.New("--search chooses the loads itself"))
		}
		if o.rounds < 3 {
			return cli.Usagef("--rounds %d: at least 3", o.rounds)
		}
		var err error
		o.config, err = o.limits.Apply(loadgen.Config{})
		return err
	}
	if o.saveProfile != "" {
		return cli.Usage(errors.New("--save-profile needs --search"))
	}
	var texts []string
	for _, text := range append(profiles, kinds...) {
		texts = append(texts, strings.Split(text, ",")...)
	}
	if len(texts)+len(commands) == 0 {
		return cli.Usage(errors.New("no load is named: loadgen --list tells what there is"))
	}
	if err := loadflag.CheckCommands("exec", commands); err != nil {
		return err
	}
	config, err := loadgen.Resolve(texts...)
	if err != nil {
		return cli.Usage(err)
	}
	config.Commands = append(config.Commands, commands...)
	o.config, err = o.limits.Apply(config)
	return err
}
