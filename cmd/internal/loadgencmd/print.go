package loadgencmd

import (
	"fmt"
	"io"
	"strings"

	"worstcase/loadgen"
)

// printRates prints a line for each rate.
func printRates(w io.Writer, when string, rates map[string]loadgen.Rate) error {
	for _, kind := range sorted(rates) {
		r := rates[kind]
		if _, err := fmt.Fprintf(w, "%s  %-16s %12.0f %s\n", when, kind, r.Rate, r.Unit); err != nil {
			return err
		}
	}
	return nil
}

// list prints all kinds and profiles.
func list(w io.Writer) error {
	profiles, err := loadgen.Profiles()
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("kinds:\n")
	for _, k := range loadgen.Kinds() {
		fmt.Fprintf(&b, "  %-9s %s\n", k.Name, k.Stresses)
		if k.Parts[0].Name != "" {
			b.WriteString("            parts:")
			for _, p := range k.Parts {
				fmt.Fprintf(&b, " %s/%s", k.Name, p.Name)
			}
			b.WriteByte('\n')
		}
		if k.Needs != "" {
			fmt.Fprintf(&b, "            needs %s\n", k.Needs)
		}
	}
	b.WriteString("\nprofiles:\n")
	for _, p := range profiles {
		fmt.Fprintf(&b, "  %-10s %s\n", p.Name, p.About)
		if len(p.Kinds) > 0 {
			fmt.Fprintf(&b, "             %s\n", strings.Join(p.Kinds, " "))
		}
	}
	_, err = io.WriteString(w, b.String())
	return err
}
