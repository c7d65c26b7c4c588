package results

import (
	"encoding/json"
	"testing"
)

func TestMissingJSON(t *testing.T) {
	for _, tc := range []struct {
		name string
		set  Missing
		want string
	}{
		{"none", 0, `null`},
		{"first and last", NoCount | NoLost, `["count","lost"]`},
		{"percentiles", NoPercentiles, `["p50_ns","p90_ns","p99_ns","p99_9_ns","p99_99_ns","p99_999_ns"]`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := json.Marshal(tc.set)
			if err != nil || string(got) != tc.want {
				t.Fatalf("Marshal = %s, %v; want %s", got, err, tc.want)
			}
			var back Missing
			if err := json.Unmarshal(got, &back); err != nil || back != tc.set {
				t.Errorf("Unmarshal(%s) = %v, %v; want %v", got, back, err, tc.set)
			}
		})
	}
}

func TestMissingIgnoresUnknownNames(t *testing.T) {
	var m Missing
	if err := json.Unmarshal([]byte(`["max_ns","a figure of next year"]`), &m); err != nil || m != NoMax {
		t.Errorf("got %v, %v; want %v", m, err, NoMax)
	}
}

func TestMeanOfImport(t *testing.T) {
	if got := (&Tally{Missing: NoCount, Average: 7438}).Mean(); got != 7438 {
		t.Errorf("Mean without a count = %v, want the file's 7438", got)
	}
	if got := (&Tally{Count: 4, Sum: 10}).Mean(); got != 2.5 {
		t.Errorf("Mean = %v, want 2.5", got)
	}
}
