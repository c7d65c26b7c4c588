package transport

import (
	"fmt"
	"strconv"
)

// SizeName writes a size as options take it: 16B, 64K, 10M.
func SizeName(n int) string {
	for _, u := range []struct {
		bytes int
		name  string
	}{{1 << 30, "G"}, {1 << 20, "M"}, {1 << 10, "K"}} {
		if n > 0 && n%u.bytes == 0 {
			return strconv.Itoa(n/u.bytes) + u.name
		}
	}
	return strconv.Itoa(n) + "B"
}

// ParseSize reads a size: a number of bytes, or one with the unit B, K, M or G.
func ParseSize(s string) (int, error) {
	units := map[byte]int{'B': 1, 'K': 1 << 10, 'M': 1 << 20, 'G': 1 << 30}
	digits, unit := s, 1
	if s != "" {
		if u, ok := units[s[len(s)-1]&^0x20]; ok {
			digits, unit = s[:len(s)-1], u
		}
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > 1<<30/unit {
		return 0, fmt.Errorf("%q is no size: 1 to 1G bytes, such as 16B, 64K or 10M", s)
	}
	return n * unit, nil
}

// RateName writes a rate as options take it.
func RateName(hz float64) string {
	if hz < 0 {
		return "-1"
	}
	return strconv.FormatFloat(hz, 'f', -1, 64)
}
