package loadflag

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Size is a flag's value in bytes, such as 512M: the suffixes K, M, G and T
// stand for powers of 1024.
type Size int64

// Set parses s.
func (v *Size) Set(s string) error {
	number, unit := strings.TrimSuffix(strings.TrimSuffix(s, "B"), "i"), 1.0
	if i := len(number) - 1; i > 0 {
		if power := strings.IndexByte("KMGT", number[i]&^0x20); power >= 0 {
			number, unit = number[:i], math.Pow(1024, float64(power+1))
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n*unit >= 1) || n*unit > math.MaxInt64/2 {
		return fmt.Errorf("%q is no size: a number with K, M, G or T, such as 512M", s)
	}
	*v = Size(n * unit)
	return nil
}

// String is the size in the largest unit that divides it.
func (v *Size) String() string {
	n, unit := int64(*v), ""
	for _, u := range []string{"K", "M", "G", "T"} {
		if n == 0 || n%1024 != 0 {
			break
		}
		n, unit = n/1024, u
	}
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10) + unit
}

// Type names the value in the help.
func (v *Size) Type() string { return "size" }

// A Percent is a flag's value such as 150%; it holds 1.5.
type Percent float64

// Set parses s.
func (v *Percent) Set(s string) error {
	n, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err != nil || !(n >= 1) || n > 1e6 {
		return fmt.Errorf("%q is no share: a percentage of one CPU, such as 150%%", s)
	}
	*v = Percent(n / 100)
	return nil
}

// String is the percentage.
func (v *Percent) String() string {
	if *v == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*v)*100, 'g', -1, 64) + "%"
}

// Type names the value in the help.
func (v *Percent) Type() string { return "percent" }

// A number is a flag's value from 1 to most; 0 stands for none given.
type number struct {
	value *int
	most  int
}

// Set parses s.
func (v number) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > v.most {
		return fmt.Errorf("%q is no number from 1 to %d", s, v.most)
	}
	*v.value = n
	return nil
}

// String is the number.
func (v number) String() string {
	if v.value == nil || *v.value == 0 {
		return ""
	}
	return strconv.Itoa(*v.value)
}

// Type names the value in the help.
func (v number) Type() string { return "int" }
