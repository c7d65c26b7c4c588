// Package sampler runs hot loops in a child process that holds nothing else,
// and brings their samples back through rings in shared memory.
//
// A Go process that prints, allocates and collects garbage can't keep a thread
// on time; one that only runs the loop can. The child is the same binary,
// executed again with its argv[0] and the first argument "sampler-child". So
// Main must be the first line of every main and TestMain.
//
// # The protocol
//
// This is all that an adapter in another language has to do to take part.
//
// The child inherits these descriptors:
//
//	3  shared memory (a sealed memfd), to be mapped whole, shared
//	4  control pipe: one JSON line, the configuration; an empty line once the
//	   threads may go; and its end, at which the child must exit at once
//	5  report pipe: JSON lines from the child
//	6… further files of the loop's own
//
// Its duties, in order:
//
//  1. prctl(PR_SET_PDEATHSIG, SIGKILL) after exec, for exec of a file with
//     capabilities clears an inherited one; then check that getppid() is still
//     the "parent" of the configuration, else exit.
//  2. Own process group (the parent has arranged it): a terminal's Ctrl-C and
//     Ctrl-Z reach only the parent.
//  3. RLIMIT_RTTIME of "cpu_limit_ns" where it is above 0; memory locked where
//     "lock_memory" is true; a thread for each entry of "threads" with its
//     name, CPU, policy and priority, every signal blocked on it.
//  4. Report {"ready":[{"tid":…,"cpu":…,"policy":"SCHED_FIFO","priority":99},…],"columns":["due",…]}
//     with what was read back from the kernel; or {"error":"…","hint":"…","unavailable":true}
//     and exit.
//  5. Each thread sleeps on the futex word go until it is 1. The values first
//     and measured then hold the due time of the first sample and that of the
//     first one after the warm-up: CLOCK_MONOTONIC, ns, the same for all
//     threads and processes of a run.
//  6. Each thread puts its rows into its own ring until the word stop is 1, or
//     it has done all it was asked to. A loop that misses half or more of its
//     periods in each of three seconds ends with an error: it is the watchdog.
//  7. Another, ordinary thread reads the measuring threads' page faults and
//     involuntary switches once a second into their ring's header, ends the
//     measurement with an error when one is no longer on its CPU, and exits
//     the process at the end of the control pipe, when getppid() changes, and
//     when, after go, the word heartbeat has not changed for two seconds while
//     the parent isn't stopped (a parent under SIGSTOP will come back; its
//     samples are counted meanwhile). Before go the parent may take its time:
//     a load that starts under its own weight needs seconds.
//  8. At the end report {"end":[{"reason":"…","error":"…","hint":"…","minor_faults":…},…],"rss_peak_bytes":…,"mallocs":…}
//     and exit with status 0.
//
// # The shared memory
//
// Words have 32 bits and the machine's byte order, and every index and flag is
// one, since 32-bit MIPS has no larger atomic access. Values have 64 bits and
// are only read where a word has published them. The first page is the
// process's:
//
//	word 0  magic 0x57435352     word 4  rows in each ring, a power of two
//	word 1  version 1            word 5  go
//	word 2  threads              word 6  stop
//	word 3  columns of a row     word 7  heartbeat
//	value 8 first                value 9 measured
//
// Then for each thread a header page and its rows, rounded up to whole pages:
//
//	word 0   head: rows written, modulo 2^32     word 48  minor and major faults
//	word 16  tail: rows read, modulo 2^32        word 49  involuntary switches
//	word 32  sequence of the accumulators
//	value 32 rows that met a full ring; then for each column its sum, minimum,
//	         maximum, and the first column of the row that was the maximum
//
// A full ring loses no count, sum, minimum or maximum: rows that find it full
// are added to the accumulators. Their sequence word is odd while they are
// being changed; a reader takes them only between two equal, even readings.
// A row's first column is its due time.
package sampler
