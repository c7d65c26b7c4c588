package latencycmd

const help = `latency measures how late periodic threads wake up.

A thread for each measured CPU sleeps until an absolute date, one period after
the other, and compares the clock with the date when it runs. The difference is
the latency. A period that passes while the thread is late is an overrun.

  RTD| a line a second: minimum, average and maximum of that second; overruns,
       and page faults plus involuntary switches of the measuring thread (msw; a
       thread that waits to run counts none) since the start; best and worst so far
  RTS| the same for the whole run, and its time

usage: latency [options]

`

const examples = `
Examples:
  latency -p 100                      measure until Ctrl-C
  latency -p 100 -T 60 -o before.run  one minute, kept in a run log for ` + "`results`" + `
  latency -p 100 -T 60 --max 150us    accept or reject: status 3 above 150 us
  latency -a -T 1h -q --label 6.12-rt all CPUs, summary only
  latency -T 10 -h -s -g hist.dat     histogram, statistics, gnuplot file

Exit status: 0 good; 1 failed to measure; 2 usage; 3 a limit was exceeded;
4 not supported or not permitted here; 5 the figures contradict themselves.
`
