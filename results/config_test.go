package results

import (
	"encoding/json"
	"testing"
	"time"
)

func TestConfig(t *testing.T) {
	h := &Header{Config: map[string]any{
		ConfigPeriod: 100 * time.Microsecond, ConfigPriority: 99, ConfigPolicy: "SCHED_FIFO", "fraction": 0.5,
	}}
	var again Header
	text, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	for name, h := range map[string]*Header{"live": h, "read": &again} {
		for key, want := range map[string]int64{ConfigPeriod: 100_000, ConfigPriority: 99} {
			if n, ok := h.ConfigInt(key); n != want || !ok {
				t.Errorf("%s: %s is %d, %v, want %d", name, key, n, ok, want)
			}
		}
		for _, key := range []string{ConfigDuration, ConfigPolicy, "fraction"} {
			if n, ok := h.ConfigInt(key); ok {
				t.Errorf("%s: %s is the number %d", name, key, n)
			}
		}
		if s := h.ConfigText(ConfigPolicy); s != "SCHED_FIFO" {
			t.Errorf("%s: policy is %q", name, s)
		}
		if s := h.ConfigText(ConfigPriority); s != "" {
			t.Errorf("%s: the text of a number is %q", name, s)
		}
	}
}
