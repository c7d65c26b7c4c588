package importer

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"worstcase/results/foreign"
)

// TestMemory reads files of a megabyte and more: the samples again and again,
// and what is made to unpack to as much as possible.
func TestMemory(t *testing.T) {
	texts := map[string][]byte{}
	for _, file := range sampleFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)+" repeated"] = bytes.Repeat(text, 1+(1<<20)/len(text))
	}
	wide := func(begin, each, end string) []byte {
		var b bytes.Buffer
		b.WriteString(begin)
		for i := 0; b.Len() < 1<<20; i++ {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, each, i)
		}
		b.WriteString(end)
		return b.Bytes()
	}
	header := `{"rt_test_version:": "2.40", "resolution_in_ns": 0, "cmdline:": "cyclictest", "thread": {`
	texts["empty threads"] = wide(header, `"%d":{}`, `}}`)
	texts["threads with a bucket"] = wide(header, `"%[1]d":{"histogram":{"%[1]d":1}}`, `}}`)
	texts["a wide histogram"] = wide(header+`"0":{"histogram":{`, `"%d":1`, `}}}}`)
	texts["members"] = wide(`{"rt_test_version:":"2.40",`, `"%d":1`, `}`)
	texts["columns"] = []byte("# RTLA timerlat histogram\n# Time unit is microseconds (us)\nIndex" + strings.Repeat(" IRQ-1", 1<<18) + "\n")
	texts["cores"] = []byte("Counter Freq:\nCore: " + strings.Repeat("1 ", 1<<19) + "\nMinimum: 1\n")
	texts["dense classes"] = wide(`{"format":{"name":"RT Dataset"},"latency":{"granularity":"us","cores":[[`, "%[1]d", `]]}}`)
	texts["many classes"] = wide(`{"format":{"name":"RT Dataset"},"latency":{"granularity":"us","cores":[`, "[1,%d]", `]}}`)
	texts["short rows"] = bytes.Repeat([]byte("RTD|1|1|1|1|1|1\n"), 1<<16)
	texts["short runs"] = bytes.Repeat([]byte("RTS|1|1|1|1|1 x\n"), 1<<16)
	texts["threads"] = wide("T: 0 (1) P:8 I:1 C: 1 Min: 1 Act: 1 Avg: 1 Max: 1\n", "\nT:%d (1) C: 1 Min: 1 Act: 1 Avg: 1 Max: 1", "\n")
	texts["nested"] = bytes.Repeat([]byte(`{"cpu":{"histogram":{"count":`), 1<<15)
	texts["elements"] = []byte("<rteval>" + strings.Repeat("<a>", 1<<18))
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			o := Options{Options: foreign.Options{Unit: time.Microsecond}}
			runs, err := measured(t, text, o)
			t.Logf("%d bytes, %d runs, %v, error %v", len(text), len(runs), time.Since(begin), err)
		})
	}
}
