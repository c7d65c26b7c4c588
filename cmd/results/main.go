// Command results reads what was measured, and says which is better and how
// sure that is.
//
//	results show before.run
//	results table 6.12.run 6.12-rt.run
//	results compare before*.run -- after*.run
//	results compare --by kernel.release runs/
//	results plan --resolve 5% before*.run
//	results plot before.run after.run -o both.svg
//	results report before/ after/ -o report.html
//	results import mail.txt -o lists.run
//	results export before.run --to osadl -o before.json
//
// It reads run logs, folders of them, standard input (-), and other tools'
// outputs.
package main

import (
	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/resultscmd"
)

func main() { cli.Run("results", resultscmd.Run) }
