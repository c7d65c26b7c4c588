package results

import (
	"encoding/json"
	"io"
)

// A Document is a whole run in one JSON object, with the names of the run log.
type Document struct {
	Run    *Header `json:"run"`
	Series []Total `json:"series"`
	Spikes []Spike `json:"spikes,omitempty"`
	After  Figures `json:"after,omitempty"`
	Gates  []Gate  `json:"gates,omitempty"`
	// Verdict is missing when the run was cut short.
	Verdict   Verdict  `json:"verdict,omitempty"`
	Reason    string   `json:"reason,omitempty"`
	Seconds   float64  `json:"seconds"`
	Truncated bool     `json:"truncated,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
	Error     string   `json:"error,omitempty"`
}

// Document returns the run as --json prints it. It shares the run's memory.
func (r *Run) Document() Document {
	d := Document{
		Run:       &r.Header,
		Series:    r.Totals(),
		Spikes:    r.Spikes,
		Seconds:   r.Seconds(),
		Truncated: r.Truncated(),
		Warnings:  r.Warnings,
	}
	if e := r.End; e != nil {
		d.After, d.Gates, d.Verdict = e.After, e.Gates, e.Verdict
		d.Reason, d.Error = e.Reason, e.Error
		d.Warnings = append(e.Warnings[:len(e.Warnings):len(e.Warnings)], r.Warnings...)
	}
	return d
}

// WriteDocument writes one run as an object, several as an array of them, in
// one write with a newline.
func WriteDocument(w io.Writer, runs ...*Run) error {
	var v any
	if len(runs) == 1 {
		v = runs[0].Document()
	} else {
		list := make([]Document, len(runs))
		for i, r := range runs {
			list[i] = r.Document()
		}
		v = list
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
