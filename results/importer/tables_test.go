package importer

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"worstcase/results"
	"worstcase/results/foreign"
)

// TestMailingList reads the tables of 2005 as they were joined by hand, and as
// the mail has them, with quote marks and wrapped headers.
func TestMailingList(t *testing.T) {
	joined := []figuresOf{
		{"switchbench", "iPipe 1.0-00", 5158, 5169, 10038, -1, 0},
		{"switchbench", "iPipe 1.0-01", 5145, 5154, 10166, -1, 0},
		{"klatency", "1.0-00", 2953, 5974, 19147, 0, 725},
		{"klatency", "1.0-01", 3035, 8705, 20705, 0, 594},
		{"latency", "1.0-00", 3575, 7438, 24474, 0, 650},
		{"latency", "1.0-01", 3553, 10125, 23970, 0, 581},
		{"latency", "RTAI 3.0r5", 23120, 31838, 70520, -1, 746},
		{"latency", "Xenomai", 50560, 98976, 199040, 0, 585},
		{"latency", "Xenomai (*)", 44160, 96215, 200640, 0, 593},
	}
	asSent := append(append([]figuresOf{}, joined[6:]...), joined[:6]...)
	for file, want := range map[string][]figuresOf{
		"testdata/mailing-list-2005.txt":         joined,
		"testdata/mailing-list-2005-as-sent.txt": asSent,
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"as is":         string(text),
			"with CR LF":    strings.ReplaceAll(string(text), "\n", "\r\n"),
			"quoted":        "> " + strings.ReplaceAll(string(text), "\n", "\n> "),
			"quoted, tight": ">" + strings.ReplaceAll(string(text), "\n", "\n>"),
		} {
			t.Run(file+" "+name, func(t *testing.T) {
				if diff := cmp.Diff(want, figures(mustRead(t, text, Options{}))); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			})
		}
	}
}

func TestFootnote(t *testing.T) {
	text, err := os.ReadFile("testdata/mailing-list-2005-as-sent.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range mustRead(t, string(text), Options{}) {
		want := ""
		if strings.Contains(r.Label, "(*)") {
			want = "CONFIG_XENO_OPT_PERVASIVE is not set; CONFIG_XENO_HW_PERIODIC_TIMER is not set"
		}
		if got := r.ConfigText("note"); got != want {
			t.Errorf("note of %s is %q, want %q", r.Label, got, want)
		}
	}
}

func TestTables(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		options    foreign.Options
		want       []figuresOf
	}{
		{
			name: "interrupted on a terminal",
			text: "== Sampling period: 100 us\n== All results in microseconds\n" +
				"RTT|  00:00:01  (periodic user-mode task, 100 us period, priority 99)\n" +
				"RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n" +
				"RTD|      3.985|      6.527|   1221.263|      15|     0|      3.985|   1221.263\n" +
				"^C---|-----------|-----------|-----------|--------|------|-------------------------\n" +
				"RTS|      3.985|      6.527|   1221.263|      15|     0|    00:00:01/00:00:01\n",
			want: []figuresOf{{"latency", "x", 3985, 6527, 1221263, 15, 1}},
		},
		{
			name: "two runs, the first without its end",
			text: "RTT|  00:00:01  (periodic user-mode task, 100 us period, priority 99)\n" +
				"RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n" +
				"RTD|      3.985|      6.527|   1221.263|      15|     0|      3.985|   1221.263\n" +
				"RTD|      3.885|      6.527|   1000.263|      18|     0|      3.885|   1221.263\n" +
				"RTT|  00:00:01  (in-kernel periodic task, 100 us period, priority 99)\n" +
				"RTD|      1.000|      2.000|      3.000|       0|     0|      1.000|      3.000\n" +
				"---|-----------|-----------|-----------|--------|------|-------------------------\n" +
				"RTS|      1.000|      2.000|      3.000|       0|     0|    00:00:02/00:01:00\n",
			want: []figuresOf{{"latency", "x", 3885, -1, 1221263, 18, 2}, {"latency", "x", 1000, 2000, 3000, 0, 2}},
		},
		{
			name: "klatency of Xenomai 2.0",
			text: "RTH|----klat min|----klat avg|----klat max|   overrun|---klat best|--klat worst\n" +
				"RTD|        2953|        5974|       19147|         0|        2953|       19147\n" +
				"RTS|        2953|        5974|       19147|         0|    00:12:05\n",
			want: []figuresOf{{"klatency", "x", 2953, 5974, 19147, 0, 725}},
		},
		{
			name: "Xenomai 2.4, in us by its decimal points",
			text: "RTH|-----lat min|-----lat avg|-----lat max|-overrun|----lat best|---lat worst\n" +
				"RTD|      -1.250|       2.500|      19.147|       0|      -1.250|      19.147\n" +
				"RTS|      -1.250|       2.500|      19.147|       0|    00:00:10/00:00:10\n",
			want: []figuresOf{{"latency", "x", -1250, 2500, 19147, 0, 10}},
		},
		{
			name: "two CPUs",
			text: "RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n" +
				"RTD|      1.000|      2.000|      9.000|       1|     0|      1.000|      9.000 CPU0\n" +
				"RTD|      3.000|      4.000|      5.000|       0|     0|      3.000|      5.000 CPU1\n" +
				"---|-----------|-----------|-----------|--------|------|-------------------------\n" +
				"RTS|      1.000|      2.000|      9.000|       1|     0|    00:00:01/00:00:01 CPU0\n" +
				"RTS|      3.000|      4.000|      5.000|       0|     0|    00:00:01/00:00:01 CPU1\n",
			want: []figuresOf{{"latency", "x", 1000, 2000, 9000, 1, 1}, {"latency", "x", 3000, 4000, 5000, 0, 1}},
		},
		{
			name: "RTAI, which has no end and negative latencies",
			text: "# period = 1000000 (ns)\nRTAI Testsuite - KERNEL latency (all data in nanoseconds)\n" +
				"RTH|    lat min|    ovl min|    lat avg|    lat max|    ovl max|   overruns\n" +
				"RTD|     -35125|     -35125|     -10767|      19762|      19762|          0\n" +
				"RTD|     -35087|     -35125|     -10587|      24400|      24400|          2\n",
			want: []figuresOf{{"rtai", "x", -35125, -1, 24400, 2, 2}},
		},
		{
			name: "a line that was cut off",
			text: "RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n" +
				"RTD|      3.985|      6.527|   1221.263|      15|     0|      3.985|   1221.263\n" +
				"RTD|      1.5",
			want: []figuresOf{{"latency", "x", 3985, -1, 1221263, 15, 1}},
		},
		{
			name:    "whole figures of a text whose unit is given",
			text:    "RTH|-----lat min|-----lat avg|-----lat max|-overrun|----lat best|---lat worst\nRTS|           2|           5|          19|       0|    00:12:05\n",
			options: foreign.Options{Unit: time.Microsecond},
			want:    []figuresOf{{"latency", "x", 2000, 5000, 19000, 0, 725}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := figures(mustRead(t, tc.text, Options{Options: tc.options, File: "x.txt"}))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestHistogramOfSwitch reads the histogram that stands behind its row.
func TestHistogramOfSwitch(t *testing.T) {
	runs := mustRead(t, "== Sampling period: 100 us\nRTH|     lat min|     lat avg|     lat max|        lost\n"+
		"RTD|        5158|        5269|        7038|           2\n"+
		"---|--range-|---samples\nHSD|  5 -  6 |          90\nHSD|  7 -  8 |          10\n", Options{})
	total := runs[0].Totals()[0]
	if len(runs) != 1 || total.Count != 100 || total.Lost != 2 || total.Missing.Has(results.NoP99) {
		t.Errorf("%d runs, %+v", len(runs), total)
	}
}
