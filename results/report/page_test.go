package report_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"worstcase/results"
	"worstcase/results/report"
)

var pictures = flag.String("pictures", "", "write pictures of the pages into this folder")

// area finds the i-th plot of the page.
const area = `document.querySelectorAll(".area")[0]`

// show writes a page into a file and opens it.
func (b *browser) show(p report.Page) {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), "report.html")
	if err := os.WriteFile(path, []byte(write(b.t, p)), 0o644); err != nil {
		b.t.Fatal(err)
	}
	b.load(path)
}

// openPage opens a page in a browser of its own.
func openPage(t *testing.T, p report.Page) *browser {
	t.Helper()
	b := open(t)
	b.show(p)
	return b
}

// quiet checks that the page asked for nothing but itself and complained of
// nothing.
func quiet(t *testing.T, b *browser) {
	t.Helper()
	pages := 0
	for _, raw := range b.seen("Network.requestWillBeSent") {
		var e struct{ Request struct{ URL string } }
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		switch url := e.Request.URL; {
		case strings.HasPrefix(url, "file://") && strings.HasSuffix(url, "/report.html"):
			pages++
		case strings.HasPrefix(url, "data:"):
		default:
			t.Errorf("the page asked for %s", url)
		}
	}
	if pages != 1 {
		t.Errorf("%d requests for the page itself were seen, want 1", pages)
	}
	for _, kind := range []string{"Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"} {
		for _, e := range b.seen(kind) {
			t.Errorf("%s: %s", kind, e)
		}
	}
}

// coloured counts the dots of a plot's canvas whose colour is near r, g, b.
func coloured(b *browser, plot, r, g, bl int) (n int) {
	b.t.Helper()
	text, _ := json.Marshal([]int{plot, r, g, bl})
	b.eval(`(([plot, r, g, b]) => {
		const c = document.querySelectorAll(".area")[plot].querySelector("canvas");
		const copy = Object.assign(document.createElement("canvas"), {width: c.width, height: c.height}).getContext("2d", {willReadFrequently: true});
		copy.drawImage(c, 0, 0);
		const d = copy.getImageData(0, 0, c.width, c.height).data;
		let n = 0;
		for (let i = 0; i < d.length; i += 4) if (d[i+3] > 200 && Math.abs(d[i]-r) + Math.abs(d[i+1]-g) + Math.abs(d[i+2]-b) < 30) n++;
		return n;
	})(`+string(text)+`)`, &n)
	return n
}

type span struct{ Min, Max float64 }

func scale(b *browser, axis string) (s span) {
	b.t.Helper()
	b.eval(`(({min, max}) => ({Min: min, Max: max}))(`+area+`.uPlot.scales.`+axis+`)`, &s)
	return s
}

func TestPageInBrowser(t *testing.T) {
	b := openPage(t, fourRuns())
	if *pictures != "" {
		b.picture(filepath.Join(*pictures, "four-runs.png"))
	}
	var plots int
	b.eval(`document.querySelectorAll(".area canvas").length`, &plots)
	if plots != 3+4 {
		t.Fatalf("%d plots, want a histogram, percentiles, a timeline and four heat maps", plots)
	}
	for i := range 3 {
		if n := coloured(b, i, 0x00, 0x72, 0xb2); n < 200 {
			t.Errorf("plot %d has %d dots of the first run's colour", i, n)
		}
	}
	for i := 3; i < plots; i++ {
		if n := coloured(b, i, 0x06, 0x1f, 0x3d); n < 200 {
			t.Errorf("heat map %d has %d dots of the fullest cells' colour", i, n)
		}
	}

	t.Run("a click on a name hides its curve, another shows it", func(t *testing.T) {
		before := coloured(b, 0, 0x00, 0x72, 0xb2)
		at := struct{ X, Y float64 }{}
		b.eval(`((e) => (e.scrollIntoView({block: "center"}), (({left, top}) => ({X: left + 40, Y: top + 8}))(e.getBoundingClientRect())))(document.querySelector(".legend button"))`, &at)
		click := func() {
			b.mouse("mousePressed", at.X, at.Y, 1)
			b.mouse("mouseReleased", at.X, at.Y, 1)
		}
		click()
		if n := coloured(b, 0, 0x00, 0x72, 0xb2); n != 0 {
			t.Errorf("hidden, the curve has %d dots of %d", n, before)
		}
		if n := coloured(b, 0, 0xd5, 0x5e, 0x00); n < 200 {
			t.Errorf("the second curve has %d dots", n)
		}
		click()
		if n := coloured(b, 0, 0x00, 0x72, 0xb2); n < before/2 {
			t.Errorf("shown again, the curve has %d dots, before %d", n, before)
		}
	})

	t.Run("dragging zooms, a double click shows all again", func(t *testing.T) {
		x, y := scale(b, "x"), scale(b, "y")
		box := struct{ X, Y, W, H float64 }{}
		b.eval(`((e) => (e.scrollIntoView({block: "center"}), (({left, top, width, height}) => ({X: left, Y: top, W: width, H: height}))(e.querySelector(".u-over").getBoundingClientRect())))(`+area+`)`, &box)
		b.mouse("mouseMoved", box.X+0.2*box.W, box.Y+0.2*box.H, 0)
		b.mouse("mousePressed", box.X+0.2*box.W, box.Y+0.2*box.H, 1)
		b.mouse("mouseMoved", box.X+0.5*box.W, box.Y+0.6*box.H, 1)
		b.mouse("mouseReleased", box.X+0.5*box.W, box.Y+0.6*box.H, 1)
		if got := scale(b, "x"); !(got.Min > x.Min && got.Max < x.Max) {
			t.Errorf("zoomed, x spans %v of %v", got, x)
		}
		if got := scale(b, "y"); !(got.Min > y.Min && got.Max < y.Max) {
			t.Errorf("zoomed, y spans %v of %v", got, y)
		}
		if n := coloured(b, 0, 0x00, 0x72, 0xb2); n < 100 {
			t.Errorf("zoomed, the curve has %d dots", n)
		}
		if *pictures != "" {
			b.picture(filepath.Join(*pictures, "zoomed.png"))
		}
		for clicks := 1; clicks <= 2; clicks++ {
			b.mouse("mousePressed", box.X+0.5*box.W, box.Y+0.5*box.H, clicks)
			b.mouse("mouseReleased", box.X+0.5*box.W, box.Y+0.5*box.H, clicks)
		}
		if got := scale(b, "x"); got != x {
			t.Errorf("after a double click x spans %v, not %v", got, x)
		}
		if got := scale(b, "y"); got != y {
			t.Errorf("after a double click y spans %v, not %v", got, y)
		}
	})

	t.Run("the cursor reads the curves", func(t *testing.T) {
		box := struct{ X, Y, W, H float64 }{}
		b.eval(`(({left, top, width, height}) => ({X: left, Y: top, W: width, H: height}))(`+area+`.querySelector(".u-over").getBoundingClientRect())`, &box)
		b.mouse("mouseMoved", box.X+0.25*box.W, box.Y+0.5*box.H, 0)
		var read, value string
		b.eval(`document.querySelector(".cursor").textContent`, &read)
		b.eval(`document.querySelector(".legend .value").textContent`, &value)
		if !strings.HasSuffix(read, " µs") || !strings.HasSuffix(value, " /µs") {
			t.Errorf("the cursor reads %q and %q", read, value)
		}
	})
	quiet(t, b)
}

// TestPageOfManySamples draws a run of 10^9 samples beside one of coarse cells:
// no labels of the percentiles' axis touch, and both histograms have their lines.
func TestPageOfManySamples(t *testing.T) {
	made := func(label string, step int64) *results.Run {
		v := &results.Interval{At: 1e9, Seconds: 1}
		v.Histogram = new(results.Histogram)
		n := int64(1) << 22
		for k := range int64(40) {
			v.Histogram.RecordN(5_000+k*step, n)
			v.Count += n
			n = max(1, n*3/4)
		}
		v.Histogram.RecordN(5_000, 1_000_000_000)
		v.Count += 1_000_000_000
		v.Min, v.Max = 5_000, 5_000+39*step
		if label == "coarse" { // one in a thousand above the range of its histogram
			v.Histogram.RecordN(results.Highest+1, 1_000_000)
			v.Count, v.Max = v.Count+1_000_000, 90_000_000
		}
		return records(t, &results.Header{Tool: "latency", Label: label, Series: []results.SeriesInfo{{}}}, v)
	}
	b := openPage(t, report.Page{Runs: []*results.Run{made("many", 101), made("coarse", 25_000)}})
	if *pictures != "" {
		b.picture(filepath.Join(*pictures, "many-samples.png"))
	}
	for name, colour := range map[string][3]int{"many": {0x00, 0x72, 0xb2}, "coarse": {0xd5, 0x5e, 0x00}} {
		if n := coloured(b, 0, colour[0], colour[1], colour[2]); n < 200 {
			t.Errorf("the histogram of %s has %d dots", name, n)
		}
	}
	var drawn int
	b.eval(`((y) => y.slice(y.indexOf(null), -1).filter((v) => v !== null).length + (y.at(-1) === 90000 ? 0 : 1000))(document.querySelectorAll(".area")[1].uPlot.data[2])`, &drawn)
	if drawn != 0 {
		t.Errorf("%d points join the last percentile known to the maximum", drawn)
	}
	var labels []struct {
		Text     string
		From, To float64
	}
	b.eval(`((u) => {
		u.ctx.font = u.axes[0].font[0];
		return u.axes[0]._splits.map((v, i) => {
			const at = u.valToPos(v, "x", true), half = u.ctx.measureText(u.axes[0]._values[i]).width / 2;
			return {Text: u.axes[0]._values[i], From: at - half, To: at + half};
		}).filter((l) => l.Text);
	})(document.querySelectorAll(".area")[1].uPlot)`, &labels)
	if len(labels) < 5 {
		t.Errorf("%d labels: %v", len(labels), labels)
	}
	var width float64
	b.eval(`document.querySelectorAll(".area")[1].querySelector("canvas").width`, &width)
	for i := range labels {
		if labels[i].To > width {
			t.Errorf("%s is cut off at the edge", labels[i].Text)
		}
		if i > 0 && labels[i].From <= labels[i-1].To {
			t.Errorf("%s touches %s", labels[i].Text, labels[i-1].Text)
		}
	}
	quiet(t, b)
}
