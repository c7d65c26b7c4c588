// Package loadgen makes the loads under which a machine shows its worst
// latency, keeps them in a cgroup, measures what they did, and takes every
// trace of them away.
//
// A load is a set of kinds, such as fork or net (see Kinds). Each kind runs in
// processes of the same binary, the workers; nothing is started from outside
// but what Config.Commands names. Three sorts of process take part:
//
//	the tool ── control pipe, report pipe ──▶ supervisor ── hold pipe ──▶ workers, in the cgroup
//	   └──────────────── lanes: a counter for each thread, in shared memory ─────┘
//
// The tool keeps the write end of the control pipe. When it closes, because the
// tool stopped the load, was killed or panicked, the supervisor kills the cgroup
// and removes it: a killed tool can't clean up, so somebody must outlive it.
// Before it makes anything, the supervisor writes down in a journal what it is
// about to make; a tool whose supervisor was killed reads the journal and cleans
// up itself, and when both were killed the next start of any load does. Workers
// never end by themselves: SIGKILL is the only way, so that there is one.
//
// A worker is held on a pipe until it is inside its cgroup, dies with its
// supervisor (PR_SET_PDEATHSIG), and counts what it achieves in its lanes, from
// which the tool computes rates.
//
// Main must be the first line of main and TestMain of every program that makes
// loads: it is what supervisors and workers run.
package loadgen
