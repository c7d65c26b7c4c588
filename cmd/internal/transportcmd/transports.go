package transportcmd

import (
	"fmt"
	"strings"

	"worstcase/cmd/internal/cli"
	"worstcase/internal/remedy"
	"worstcase/results/render"
	"worstcase/transport"
	"worstcase/transport/grpc"
	"worstcase/transport/mqtt"
	"worstcase/transport/nats"
	"worstcase/transport/redis"
	"worstcase/transport/zmq"
)

// Transports are all that this program can measure.
func Transports() []transport.Transport {
	return append(transport.Kernel(), middlewares()...)
}

func middlewares() []transport.Transport {
	return []transport.Transport{
		nats.Transport{}, mqtt.Transport{}, mqtt.Mosquitto{}, zmq.Transport{}, redis.Transport{}, grpc.Transport{},
	}
}

// choose finds transports by a list of names, each also one of the groups all,
// kernel and middlewares. Each comes once, in the order in which it was named.
// A group leaves out what can't be used here, and says so.
func choose(env *cli.Env, names string) ([]transport.Transport, error) {
	groups := map[string][]transport.Transport{
		"all": Transports(), "kernel": transport.Kernel(), "middlewares": middlewares(),
	}
	var chosen []transport.Transport
	add := func(t transport.Transport) {
		if _, ok := transport.Find(chosen, t.Name()); !ok {
			chosen = append(chosen, t)
		}
	}
	for name := range strings.SplitSeq(names, ",") {
		if group, ok := groups[name]; ok {
			for _, t := range group {
				if err := t.Check(); err != nil {
					env.Warn(fmt.Sprintf("%s is left out: %v", t.Name(), err))
					continue
				}
				add(t)
			}
			continue
		}
		t, ok := transport.Find(Transports(), name)
		if !ok {
			return nil, cli.Usage(remedy.Hint(fmt.Errorf("unknown transport %q", name), "transport --list shows those that there are"))
		}
		add(t)
	}
	return chosen, nil
}

// list prints the transports with what they are, or how to get them.
func list(env *cli.Env) error {
	t := render.Table{Columns: []render.Column{render.Words("transport"), render.Words("what runs here")}}
	for _, tr := range Transports() {
		what := tr.Describe()
		if err := tr.Check(); err != nil {
			what = "not here: " + err.Error()
			if hint := remedy.Of(err); hint != "" {
				what += "; " + hint
			}
		}
		t.Add(render.Text(tr.Name()), render.Text(what))
	}
	t.Notes = []string{"shm has the notifiers futex, eventfd, spin, spin-futex and poll50."}
	return t.Text(env.Stdout)
}
