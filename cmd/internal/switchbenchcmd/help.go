package switchbenchcmd

const help = `switchbench measures what it costs to switch from one thread to another.

A waker signals a waiter once a period. A sample is the time from the waker's
clock just before it signals to the waiter's clock when it runs. By default both
share a CPU and the waiter is below the waker, as in Xenomai's switchbench: so
the waker's way to sleep is in the figure. With --waiter above the waiter takes
the CPU at once. --ping-pong measures round trips, with no timer in them, and
--threads rings in which a token goes round, as lmbench's lat_ctx does.

  RTD| the whole run: minimum, average, maximum, and the pulses that the waiter
       missed. These are in no other figure

Several mechanisms, spaces, or rings give a table with a row for each run.

usage: switchbench [options]

`

const examples = `
Examples:
  switchbench -p 100 -n 100000                   Xenomai's table
  switchbench --mechanism all -T 20              every mechanism, a row each
  switchbench --mechanism pipe --ping-pong       round trips over two pipes
  switchbench --mechanism futex --cpus 0,1       waker and waiter on two CPUs
  switchbench --threads 2..64 --working-set 0,64K,1M --space both

Exit status: 0 good; 1 failed to measure; 2 usage; 3 a limit was exceeded;
4 not supported or not permitted here; 5 the figures contradict themselves.
`
