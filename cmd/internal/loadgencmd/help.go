package loadgencmd

const help = `loadgen makes the loads under which a machine shows its worst latency.

A load is made of kinds (cpu, fork, net…), each a few processes of this program
in a cgroup of their own, or of a profile, a named set of kinds. Once a second
loadgen prints what each kind achieved; when it ends, however it ends, nothing of
the load stays behind. The measuring tools make the same loads with --load. A
count is a number of processes, or cpus for one on each CPU.

usage: loadgen [options] [kind[/part][:count]…]

`

const examples = `
Examples:
  loadgen --list                              kinds and profiles
  loadgen --profile xenomai -T 60             the classic
  loadgen cpu:2 fork:1 cache net -c 0 -T 10   kinds with counts, on CPU 0
  loadgen memory --quota 50% --memory 1G      within limits
  loadgen --exec 'stress-ng --matrix 2' -T 60 any command as the load
  loadgen --search --save-profile worst.yaml  what hurts most here?
  latency -T 60 --load worst.yaml             and how much

Exit status: 0 good; 1 the load failed; 2 usage; 4 not supported or not
permitted here.
`
