package transport

import "worstcase/results"

// figures tells what the cell cost, lost and reached. Keys that end in a role's
// name are that role's share.
func (t *tally) figures(s *Source) results.Figures {
	f := results.Figures{}
	published := t.published(s, wordMessages)
	f["published"] = float64(published)
	f["not_sent"] = float64(t.published(s, wordDropped))
	t.subscriberFigures(s, f, published)
	t.costFigures(f)
	t.dropFigures(s, f)
	seconds := float64(t.stopped-t.from) / 1e9
	if t.to > 0 {
		seconds = min(seconds, float64(t.to-t.from)/1e9)
	}
	if seconds > 0 {
		f["rate_hz"] = float64(t.publishedAtTheEnd) / seconds / float64(s.cfg.Publishers)
	}
	if slots := t.slots(s); slots > 0 && float64(published) < 0.99*float64(slots) {
		f["saturated"] = 1
	}
	return f
}

func (t *tally) subscriberFigures(s *Source, f results.Figures, published int64) {
	var received, worst int64
	for i := range s.cfg.Subscribers {
		n := t.count(s, i, wordMessages)
		received += n
		worst = max(worst, published-n)
		for word, key := range map[int]string{
			wordDuplicates: "duplicates", wordReordered: "reordered", wordCorrupt: "corrupt", wordLate: "late",
		} {
			f[key] += float64(t.count(s, i, word))
		}
	}
	f["received"] = float64(received)
	f["lost"] = float64(published*int64(s.cfg.Subscribers) - received)
	if published > 0 {
		f["loss_percent"] = 100 * f["lost"] / float64(published*int64(s.cfg.Subscribers))
	}
}

func (t *tally) costFigures(f results.Figures) {
	var memory, switches int64
	var cpu float64
	for _, r := range t.roles {
		percent := r.begin.percent(r.end)
		f["cpu_percent."+r.name] = percent
		f["memory_bytes."+r.name] = float64(t.memory[r.name])
		cpu += percent
		memory += t.memory[r.name]
		switches += r.end.switches - r.begin.switches
	}
	f["cpu_percent"] = cpu
	f["memory_bytes"] = float64(memory)
	if f["received"] > 0 {
		f["switches_per_message"] = float64(switches) / f["received"]
	}
}

// dropFigures tells the causes that the ends found.
func (t *tally) dropFigures(s *Source, f results.Figures) {
	for i := range s.cfg.Publishers + s.cfg.Publishers*s.cfg.Subscribers {
		page := s.board.page(i)
		drops := map[string]int64{}
		if page.text(&drops) {
			for cause, n := range drops {
				if n > 0 {
					f["drops."+cause] += float64(n)
				}
			}
		}
	}
}
