package resultscmd

import (
	"worstcase/results/render"
)

// A listingDocument is a table in JSON. What nobody recorded is left out.
type listingDocument struct {
	Title string        `json:"title,omitempty"`
	Rows  []rowDocument `json:"rows"`
	Notes []string      `json:"notes,omitempty"`
}

type rowDocument struct {
	Label    string   `json:"label"`
	Min      *float64 `json:"min_ns,omitempty"`
	Mean     *float64 `json:"mean_ns,omitempty"`
	Max      *float64 `json:"max_ns,omitempty"`
	Overruns *float64 `json:"overruns,omitempty"`
	Lost     *float64 `json:"lost,omitempty"`
	Seconds  float64  `json:"seconds,omitempty"`
}

func documents(lists []*render.Listing) []listingDocument {
	docs := make([]listingDocument, len(lists))
	for i, l := range lists {
		docs[i] = listingDocument{Title: l.Title, Rows: []rowDocument{}, Notes: l.Notes}
		for k := range l.Rows {
			r := &l.Rows[k]
			doc := rowDocument{Label: r.Label, Min: number(r.Min), Mean: number(r.Mean), Max: number(r.Max), Seconds: r.Time.Seconds()}
			if l.Counter == render.Lost {
				doc.Lost = number(r.Count)
			} else {
				doc.Overruns = number(r.Count)
			}
			docs[i].Rows = append(docs[i].Rows, doc)
		}
	}
	return docs
}

func number(c render.Cell) *float64 {
	if v, ok := c.Value(); ok {
		return &v
	}
	return nil
}
