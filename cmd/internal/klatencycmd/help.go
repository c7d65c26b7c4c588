package klatencycmd

const help = `klatency measures how late the kernel itself wakes a periodic thread.

eBPF programs at the kernel's tracepoints see when the thread's timer should
have expired, when its handler was called, and when the thread was switched in;
no module is needed. The way back to user space is not in the figures: what
latency measures of the same thread is longer.

--backend timerlat measures with the kernel's own tracer instead, which has a
thread and a timer of its own on each CPU. It can tell several latencies of the
same wake-up (-t 2,1,0), and what the timer's interrupt met (--stack).

  RTD| a line a second: minimum, average and maximum of that second; overruns
       since the start; best and worst so far
  RTS| the same for the whole run, and its time

usage: klatency [options]
       klatency noise [options]      what the machine takes from a CPU; see its --help

`

const examples = `
Examples:
  klatency -T 10                    until the thread is switched in
  klatency -t 2 -T 10               until its timer's handler is called
  klatency -T 60 --stages           what every stage of the way took
  klatency -T 60 --spikes 10        the worst wake-ups, and who was to blame
  klatency --backend timerlat -t 2,1 -T 60   both, by the kernel's tracer
  klatency -T 60 -o before.run      keep a run log for ` + "`results`" + `

Exit status: 0 good; 1 failed to measure; 2 usage; 3 a limit was exceeded;
4 not supported or not permitted here; 5 the figures contradict themselves.
`
