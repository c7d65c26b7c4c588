package results

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// full is a Tally in which no field is zero, found by reflection: a field that
// is added later and forgotten in the JSON or in Add fails a test.
func full(t *testing.T) Tally {
	t.Helper()
	var tally Tally
	v := reflect.ValueOf(&tally).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Interface().(type) {
		case int64:
			f.SetInt(int64(i + 1))
		case float64:
			f.SetFloat(2.5)
		case *Histogram, Missing:
		default:
			t.Fatalf("a field of type %v: teach it to this test", f.Type())
		}
	}
	tally.Histogram = second(1)
	tally.Count = tally.Histogram.Count()
	return tally
}

func TestEveryFieldIsWritten(t *testing.T) {
	want := &Interval{Series: 1, At: 2, Seconds: 3, Tally: full(t)}
	want.Sum = 0 // an average stands for it
	line, err := appendRecord(nil, want, new(encoder))
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseRecord(line)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("%s\n(-want +got):\n%s", hideHistograms(string(line)), diff)
	}
}

func TestEveryFieldIsAdded(t *testing.T) {
	want := full(t)
	var sum Tally
	sum.Add(&want)
	if diff := cmp.Diff(want, sum, same); diff != "" {
		t.Errorf("nothing + t (-want +got):\n%s", diff)
	}
	twice := reflect.ValueOf(&sum).Elem()
	sum.Add(&want)
	for i := range twice.NumField() {
		switch name := twice.Type().Field(i).Name; name {
		case "Min", "Max", "MaxAt", "Average", "Missing", "Histogram":
		default:
			if got, one := twice.Field(i).Int(), reflect.ValueOf(want).Field(i).Int(); got != 2*one {
				t.Errorf("%s of t + t is %d, want %d", name, got, 2*one)
			}
		}
	}
}
