package loadgencmd

import (
	"fmt"
	"io"

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
	fmt.Fprintln(w, "kinds:")
	for _, k := range loadgen.Kinds() {
		fmt.Fprintf(w, "  %-9s %s\n", k.Name, k.Stresses)
		if k.Parts[0].Name != "" {
			fmt.Fprint(w, "            parts:")
			for _, p := range k.Parts {
				fmt.Fprintf(w, " %s/%s", k.Name, p.Name)
			}
			fmt.Fprintln(w)
		}
		if k.Needs != "" {
			fmt.Fprintf(w, "            needs %s\n", k.Needs)
		}
	}
	profiles, err := loadgen.Profiles()
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "\nprofiles:")
	for _, p := range profiles {
		fmt.Fprintf(w, "  %-10s %s\n", p.Name, p.About)
		if len(p.Kinds) > 0 {
			fmt.Fprint(w, "            ")
			for _, k := range p.Kinds {
				fmt.Fprintf(w, " %s", k)
			}
			fmt.Fprintln(w)
		}
	}
	return nil
}
