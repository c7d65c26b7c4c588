package results

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParseFiguresAgrees holds the fast parser against encoding/json.
func TestParseFiguresAgrees(t *testing.T) {
	tests := []struct {
		name, line string
		fast       bool
	}{
		{"written by a Writer", strings.TrimSpace(text(t, script()[5])), true},
		{"empty", strings.TrimSpace(text(t, script()[2])), true},
		{"nothing but the type", `{"type":"interval"}`, true},
		{"part of a second", `{"type":"interval","seconds":0.25}`, true},
		{"imported", `{"type":"interval","average_ns":2.5,"missing":["count"]}`, false},
		{"unknown", `{"type":"interval","moon":1}`, false},
		{"exponent", `{"type":"interval","count":1e3}`, false},
		{"19 digits", `{"type":"interval","sum_ns":1000000000000000001}`, false},
		{"null", `{"type":"interval","histogram":null}`, false},
		{"escape", `{"type":"interval","histogram":"\u0041"}`, false},
		{"leading zero", `{"type":"interval","count":01}`, false},
		{"no comma", `{"type":"interval""count":1}`, false},
		{"cut", `{"type":"interval","count":1`, false},
		{"more", `{"type":"interval","count":1}}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var iv Interval
			if _, _, ok := parseFigures([]byte(tt.line), &iv); ok != tt.fast {
				t.Errorf("parsed fast: %v, want %v", ok, tt.fast)
			}
			agree(t, []byte(tt.line))
		})
	}
}

// agree fails where the fast parser and encoding/json read different things.
func agree(t *testing.T, line []byte) {
	t.Helper()
	got, err := parseInterval(line, new(decoder), true)
	want := new(Interval)
	wantErr := want.UnmarshalJSON(line)
	if (err == nil) != (wantErr == nil) {
		t.Errorf("%s: error %v, encoding/json says %v", line, err, wantErr)
	} else if err == nil {
		if diff := cmp.Diff(want, got, same); diff != "" {
			t.Errorf("%s (-encoding/json +got):\n%s", line, diff)
		}
	}
}
