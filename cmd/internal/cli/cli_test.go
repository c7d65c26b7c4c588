package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestFinish(t *testing.T) {
	full := errors.New("write out: no space left")
	tests := []struct {
		name   string
		err    error
		status int
		text   string
	}{
		{"a signal before the run", fmt.Errorf("wait: %w", context.Canceled), StatusFailed, "x: wait: interrupted\n"},
		{"the same failure twice", errors.Join(full, full), StatusFailed, "x: write out: no space left\n"},
		{"usage", Usagef("-p 0"), StatusUsage, "x: -p 0\nhint: x --help tells the options\n"},
		{"a verdict", No(""), StatusNo, ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			var text strings.Builder
			status := Finish(&Env{Name: "x", Stderr: &text}, tc.err)
			if status != tc.status || text.String() != tc.text {
				t.Errorf("status %d, text %q; want %d, %q", status, text.String(), tc.status, tc.text)
			}
		})
	}
}
