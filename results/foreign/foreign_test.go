package foreign

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"worstcase/results"
)

func TestLines(t *testing.T) {
	lines := Lines{Rest: []byte("a\r\n> > b |c\n>>>d\n^C---|\n\n  indented > not a quote\nlast")}
	var got []string
	for line, ok := lines.Next(); ok; line, ok = lines.Next() {
		got = append(got, string(line))
	}
	want := []string{"a", " b |c", "d", "---|", "", "  indented > not a quote", "last"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestArgv(t *testing.T) {
	argv := ParseArgv("/usr/bin/cyclictest -mqN -Sp 80 -i250 --histogram=400 --duration 2s -a0-1")
	if got := argv.Program(); got != "cyclictest" {
		t.Errorf("program %q", got)
	}
	for _, tc := range []struct {
		short byte
		long  string
		want  string
	}{
		{'p', "prio", "80"},
		{'i', "interval", "250"},
		{'h', "histogram", "400"},
		{'D', "duration", "2s"},
		{'a', "affinity", "0-1"},
		{'l', "loops", ""},
	} {
		if got := argv.Value(tc.short, tc.long); got != tc.want {
			t.Errorf("-%c is %q, want %q", tc.short, got, tc.want)
		}
	}
	if !argv.Has('N', "nsecs") || !argv.Has('m', "mlockall") || argv.Has('a', "x") && argv.Has('0', "x") || argv.Has('b', "breaktrace") {
		t.Error("options without values are mistaken")
	}
	if n, ok := argv.Int('i', "interval"); n != 250 || !ok {
		t.Errorf("-i is %d, %v", n, ok)
	}
	if _, ok := argv.Int('a', "affinity"); ok {
		t.Error("0-1 is taken for a number")
	}
	if ParseArgv("").Program() != "" {
		t.Error("an empty command line has a program")
	}
}

func TestNumbers(t *testing.T) {
	for _, tc := range []struct {
		name string
		got  func() (int64, error)
		want int64
		bad  bool
	}{
		{"us", func() (int64, error) { return ParseTime([]byte("3.985"), time.Microsecond) }, 3985, false},
		{"negative", func() (int64, error) { return ParseTime([]byte("-1.25"), time.Microsecond) }, -1250, false},
		{"nan", func() (int64, error) { return ParseTime([]byte("-nan"), time.Microsecond) }, 0, true},
		{"infinite", func() (int64, error) { return ParseTime([]byte("1e300"), time.Microsecond) }, 0, true},
		{"count", func() (int64, error) { return ParseCount([]byte("000120")) }, 120, false},
		{"negative count", func() (int64, error) { return ParseCount([]byte("-1")) }, 0, true},
		{"count too large", func() (int64, error) { return ParseCount([]byte("9223372036854775807")) }, 0, true},
		{"date", func() (int64, error) { return ParseDate([]byte("1796069523.239770541")) }, 1796069523239770541, false},
		{"short date", func() (int64, error) { return ParseDate([]byte("225.57")) }, 225_570_000_000, false},
		{"date of letters", func() (int64, error) { return ParseDate([]byte("225.5x")) }, 0, true},
		{"date too large", func() (int64, error) { return ParseDate([]byte("99999999999")) }, 0, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := tc.got()
			if (err != nil) != tc.bad || !tc.bad && got != tc.want {
				t.Errorf("got %d, %v; want %d", got, err, tc.want)
			}
		})
	}
}

func TestClock(t *testing.T) {
	for text, want := range map[string]float64{"00:12:05": 725, "100:00:00": 360000, "999999999:00:00": 999999999 * 3600} {
		if got, ok := Clock([]byte(text)); !ok || got != want {
			t.Errorf("%s is %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "1:2", "1:2:", "a:b:c", "1:2:3:4", "9999999999:0:0"} {
		if _, ok := Clock([]byte(text)); ok {
			t.Errorf("%q is taken for a time", text)
		}
	}
}

func TestList(t *testing.T) {
	var l List[int]
	if l.First() != nil || l.At(0) != nil {
		t.Error("an empty list has elements")
	}
	first := l.Append(0)
	for i := 1; i < 5000; i++ {
		l.Append(i)
	}
	*first = 7
	sum := 0
	for i, v := range l.All() {
		if i > 0 && *v != i {
			t.Fatalf("element %d is %d", i, *v)
		}
		sum++
	}
	if sum != 5000 || l.Len() != 5000 || *l.First() != 7 || *l.At(4999) != 4999 || l.At(5000) != nil {
		t.Errorf("%d elements, first %d", sum, *l.First())
	}
}

func TestScanner(t *testing.T) {
	s := NewScanner([]byte("{\"command\": \"a \"b\", c\",\n\"nan\": -nan, \"list\": [1, 2.5, null,], \"skip\": {\"x\": [\"}\"]}, \"text\": \"a\\u00e9\\n\", \"n\": 12}"))
	got := map[string]any{}
	s.Object(func(key []byte) {
		switch string(key) {
		case "command":
			got["command"] = s.RestOfLine()
		case "nan":
			got["nan"] = s.Number() == nil
		case "list":
			var list []string
			s.Array(func() { list = append(list, string(s.Number())) })
			got["list"] = list
		case "text":
			got["text"] = s.Text()
		case "n":
			n, ok := s.Count()
			got["n"] = []any{n, ok}
		}
	})
	want := map[string]any{
		"command": `a "b", c`, "nan": true, "list": []string{"1", "2.5", ""}, "text": "aé\n", "n": []any{int64(12), true},
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestScannerRefuses(t *testing.T) {
	for _, text := range []string{"{", `{"a"`, `{"a":`, `{"a":1`, `{"a" 1}`, "[1 2]", `{"a":"`, `{"a":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]`} {
		s := NewScanner([]byte(text))
		s.Object(func([]byte) {})
		if text[0] == '[' {
			s = NewScanner([]byte(text))
			s.Array(func() { s.Number() })
		}
		if s.Err() == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

// TestDraft works out what follows from the figures that a file told.
func TestDraft(t *testing.T) {
	d := NewDraft("tool", "format", 1000)
	s := d.Series(results.Labels{"cpu": "3"})
	s.Count(100)
	s.Min(1200)
	s.Mean(1500)
	s.Max(9000)
	s.Bucket(1000, 1999, 98) // its middle is kept within minimum and maximum
	s.Bucket(5, 1, 7)        // no bucket at all
	run, err := d.Run()
	if err != nil {
		t.Fatal(err)
	}
	total := run.Totals()[0]
	if total.Sum != 150_000 || total.Mean() != 1500 {
		t.Errorf("sum %d, mean %v", total.Sum, total.Mean())
	}
	h := total.Histogram
	if h.Count() != 100 || h.Overflow() != 2 || h.Quantile(0.5) != 1499 {
		t.Errorf("histogram of %d, above %d, median %d", h.Count(), h.Overflow(), h.Quantile(0.5))
	}
	want := results.NoP99 | results.NoP99_9 | results.NoP99_99 | results.NoP99_999 | results.NoMaxAt | results.NoOverruns | results.NoLost
	if total.Missing != want {
		t.Errorf("missing %v, want %v", total.Missing, want)
	}
	if id := d.Find(results.Labels{"cpu": "3"}); id != 0 {
		t.Errorf("found series %d", id)
	}
}

func TestDraftFails(t *testing.T) {
	d := NewDraft("tool", "format", 0)
	for range 1 << 16 {
		d.Interval(results.Interval{})
	}
	if _, err := d.Run(); !errors.Is(err, ErrSize) {
		t.Errorf("a draft of endless intervals gives %v", err)
	}
	d = NewDraft("tool", "format", 0)
	s := d.Series(nil)
	s.Bucket(1, 1, math.MaxInt64)
	s.Bucket(1, 1, math.MaxInt64)
	if _, err := d.Run(); err == nil {
		t.Error("counts beyond 64 bits are taken")
	}
	d = NewDraft("tool", "format", 0)
	d.Fail(ErrUnit)
	d.Fail(ErrSize)
	if _, err := d.Run(); !errors.Is(err, ErrUnit) {
		t.Errorf("the first error is %v", err)
	}
}

// TestLostMean keeps a mean whose sum no 64 bits hold.
func TestLostMean(t *testing.T) {
	d := NewDraft("tool", "format", 0)
	s := d.Series(nil)
	s.Count(MaxFigure - 1)
	s.Mean(5e9)
	run, err := d.Run()
	if err != nil || run.Totals()[0].Mean() != 5e9 {
		t.Errorf("mean %v, %v", run.Totals()[0].Mean(), err)
	}
}
