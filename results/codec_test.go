package results

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
)

// second is a histogram like that of one second of latency -p 100.
func second(seed uint64) *Histogram {
	r := rand.New(rand.NewPCG(seed, 1))
	h := new(Histogram)
	for range 10_000 {
		v := 5_000 + int64(1_500*math.Abs(r.NormFloat64()))
		if r.IntN(200) == 0 {
			v += int64(20_000 * r.ExpFloat64())
		}
		h.Record(v)
	}
	return h
}

func TestCodecIsHdrHistogram(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	single := new(Histogram)
	single.RecordN(3, 1<<40)
	single.Record(5) // one empty bucket between
	wide := new(Histogram)
	for range 50_000 {
		wide.Record(min(int64(math.Exp(r.Float64()*29)), Highest))
	}
	wide.Record(Highest)
	for name, h := range map[string]*Histogram{"empty": {}, "single": single, "wide": wide, "second": second(1)} {
		t.Run(name, func(t *testing.T) {
			text, err := h.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			ref, err := hdrhistogram.Decode(text)
			if err != nil {
				t.Fatalf("hdrhistogram-go: %v", err)
			}
			got := new(Histogram)
			for _, b := range ref.Distribution() {
				got.RecordN(min(b.From, Highest), b.Count)
			}
			if diff := cmp.Diff(buckets(h), buckets(got)); diff != "" {
				t.Errorf("as hdrhistogram-go reads it (-want +got):\n%s", diff)
			}

			theirs, err := ref.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
			if err != nil {
				t.Fatal(err)
			}
			back := second(2) // must be replaced
			if err := back.UnmarshalText(theirs); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(buckets(h), buckets(back)); diff != "" {
				t.Errorf("as hdrhistogram-go writes it (-want +got):\n%s", diff)
			}
			for _, q := range []float64{0.5, 0.9, 0.99, 0.999, 1} {
				if want := ref.ValueAtQuantile(q * 100); h.Count() > 1000 && h.Quantile(q) != want {
					t.Errorf("Quantile(%v) = %d, hdrhistogram-go says %d", q, h.Quantile(q), want)
				}
			}
		})
	}
}

func buckets(h *Histogram) (list []Bucket) {
	for b := range h.All() {
		list = append(list, b)
	}
	return list
}

func TestDecodeOtherPrecision(t *testing.T) {
	tests := []struct {
		name         string
		low, high    int64
		digits       int
		values       []int64
		tolerance    float64
		wantOverflow int64
	}{
		{"two digits", 1, 1_000_000_000, 2, []int64{1, 100, 5_000, 23_970, 999_999_999}, 0.01, 0},
		{"one digit", 1, 1_000_000, 1, []int64{1, 15, 100, 999_999}, 0.1, 0},
		{"five digits", 1, 100_000_000, 5, []int64{1, 123_456, 99_999_999}, 0.001, 0},
		{"microsecond unit", 1000, Highest, 3, []int64{5_000, 1_234_567, 3_000_000_000_000}, 0.1, 0},
		{"a day", 1, 24 * Highest, 3, []int64{10, Highest / 2, 2 * Highest, 20 * Highest}, 0.001, 2},
		{"everything", 1, math.MaxInt64, 3, []int64{10, math.MaxInt64}, 0.001, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ref := hdrhistogram.New(tt.low, tt.high, tt.digits)
			for _, v := range tt.values {
				if err := ref.RecordValue(v); err != nil {
					t.Fatal(err)
				}
			}
			text, err := ref.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
			if err != nil {
				t.Fatal(err)
			}
			var h Histogram
			if err := h.UnmarshalText(text); err != nil {
				t.Fatal(err)
			}
			if h.Overflow() != tt.wantOverflow || h.Count() != int64(len(tt.values)) {
				t.Errorf("count %d overflow %d, want %d and %d", h.Count(), h.Overflow(), len(tt.values), tt.wantOverflow)
			}
			got := buckets(&h)
			for i, b := range got {
				v := float64(tt.values[i])
				if float64(b.High) < v*(1-tt.tolerance)-1 || float64(b.Low) > v*(1+tt.tolerance)+1 {
					t.Errorf("%v came back in [%d, %d]", v, b.Low, b.High)
				}
			}
		})
	}
}

// pack makes a text of a header and counts, for histograms no library writes.
func pack(figures, lowest, highest int64, length int, counts []byte) []byte {
	be := binary.BigEndian
	head := be.AppendUint32(nil, headerCookie)
	head = be.AppendUint32(head, uint32(length))
	head = be.AppendUint32(head, 0)
	head = be.AppendUint32(head, uint32(figures))
	head = be.AppendUint64(head, uint64(lowest))
	head = be.AppendUint64(head, uint64(highest))
	head = be.AppendUint64(head, 0)
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write(append(head, counts...))
	w.Close()
	out := be.AppendUint32(nil, envelopeCookie)
	out = be.AppendUint32(out, uint32(z.Len()))
	return []byte(base64.StdEncoding.EncodeToString(append(out, z.Bytes()...)))
}

func TestDecodeHostile(t *testing.T) {
	good, _ := second(1).MarshalText()
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 1
	one := appendZigZag(nil, 1)
	lots := append(appendZigZag(nil, math.MaxInt64), one...)
	tests := []struct {
		name string
		text []byte
		want string
	}{
		{"empty", nil, "unexpected EOF"},
		{"not base64", []byte("%%%"), "illegal base64"},
		{"cut short", good[:len(good)/2&^3], "unexpected EOF"},
		{"a bit flipped", flipped, ""},
		{"another cookie", []byte("AAAAAAAAAAA="), "cookie"},
		{"no header", []byte(base64.StdEncoding.EncodeToString([]byte("\x1c\x84\x93\x14\x00\x00\x00\x00"))), "unexpected EOF"},
		{"negative digits", pack(-1, 1, 100, 1, one), "digits"},
		{"nine digits", pack(9, 1, 100, 1, one), "digits"},
		{"no layout", pack(5, math.MaxInt64, 100, 1, one), "layout"},
		{"shorter than announced", pack(3, 1, 100, 2, one), "EOF"},
		{"longer than announced", pack(3, 1, 100, 1, append(one, one...)), "more data"},
		{"huge announcement", pack(3, 1, 100, math.MaxInt32, one), "at most"},
		{"run past the end", pack(3, 1, 100, 3, append(appendZigZag(nil, -2049), one...)), "buckets"},
		{"longest run", pack(3, 1, 100, 9, appendZigZag(nil, math.MinInt64)), "buckets"},
		{"count past the end", pack(3, 1, 100, 3, append(appendZigZag(nil, -2048), one...)), "buckets"},
		{"value cut", pack(3, 1, 100, 1, []byte{0x80}), "EOF"},
		{"sum too large", pack(3, 1, 100, len(lots), lots), "64 bits"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := second(2)
			err := h.UnmarshalText(tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if h.Count() != 0 || len(buckets(h)) != 0 {
				t.Errorf("%d samples left after an error", h.Count())
			}
		})
	}
}

func TestZigZag(t *testing.T) {
	for _, v := range []int64{0, 1, -1, 63, 64, -64, -65, 1 << 20, math.MaxInt64, math.MinInt64, 1 << 55, 1<<56 - 1, 1 << 62} {
		b := appendZigZag(nil, v)
		if got, n := zigZag(append(b, 1)); got != v || n != len(b) {
			t.Errorf("%d came back as %d, %d of %d bytes", v, got, n, len(b))
		}
		if _, n := zigZag(b[:len(b)-1]); n != 0 {
			t.Errorf("%d without its last byte: %d bytes, want 0", v, n)
		}
	}
}

func FuzzHistogram(f *testing.F) {
	for _, h := range []*Histogram{{}, second(1)} {
		text, _ := h.MarshalText()
		f.Add(text)
	}
	f.Add(pack(2, 1000, Highest*100, 2, []byte{2, 4}))
	f.Add(pack(0, 0, math.MaxInt64, 1, []byte{2}))
	f.Fuzz(func(t *testing.T, text []byte) {
		var h, back Histogram
		if h.UnmarshalText(text) != nil {
			return
		}
		sum := h.Underflow() + h.Overflow()
		for b := range h.All() {
			if b.Count <= 0 {
				t.Fatalf("bucket %v", b)
			}
			sum += b.Count
		}
		if sum != h.Count() {
			t.Fatalf("count %d, buckets hold %d", h.Count(), sum)
		}
		again, _ := h.MarshalText()
		if err := back.UnmarshalText(again); err != nil {
			t.Fatalf("own text: %v", err)
		}
		if diff := cmp.Diff(buckets(&h), buckets(&back)); diff != "" {
			t.Fatalf("own text (-want +got):\n%s", diff)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	h := second(1)
	var e encoder
	var text []byte
	b.ReportAllocs()
	for b.Loop() {
		text = e.append(text[:0], h)
	}
	b.ReportMetric(float64(len(text)), "bytes")
}

func BenchmarkDecodeAdd(b *testing.B) {
	text, _ := second(1).MarshalText()
	b.Run("reused", func(b *testing.B) {
		var d decoder
		var sum, one Histogram
		b.ReportAllocs()
		for b.Loop() {
			if err := d.decode(&one, text); err != nil {
				b.Fatal(err)
			}
			sum.Add(&one)
		}
	})
	b.Run("hdrhistogram-go", func(b *testing.B) {
		sum := hdrhistogram.New(1, Highest, 3)
		b.ReportAllocs()
		for b.Loop() {
			one, err := hdrhistogram.Decode(text)
			if err != nil {
				b.Fatal(err)
			}
			sum.Merge(one)
		}
	})
}
