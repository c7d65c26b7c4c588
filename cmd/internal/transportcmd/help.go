package transportcmd

const help = `transport measures how long messages take from a publisher to subscribers in
other processes.

A publisher sends a message at each date of a fixed schedule; each subscriber
notes when it has it. Four times are kept for every message:

  service    from sending to receiving
  response   from the date at which it was due: a publisher that was held up
             hides nothing
  fill       writing the payload
  read       reading it, and comparing every byte

and with them how late the publisher woke up (wakeup), what was lost and why,
and the CPU time and memory of both ends and of the broker. Sizes are of the
payload; a header of 40 bytes comes on top. Limits (--max and the like) hold for
the service time.

One cell, which is one transport, size, rate and number of subscribers, prints a
line a second, as latency does; several print a table, a row for each. A rate
that was not reached is SAT, not a latency.

usage: transport NAME[,NAME...]|kernel|middlewares|all [options]

`

const examples = `
Examples:
  transport --list                           what there is on this machine
  transport shm -s 16B -f 100 -T 10          one cell, a line a second
  transport all -s 16B,64K,1M,10M -T 5       a table, a row for each cell
  transport shm,unix,tcp --preset apollo     the scenarios of the CyberRT report
  transport shm --notifier futex,poll50 -f 1000 -T 10
  transport shm -s 10M --load middleware --subscribers 1,2,5,10 -T 10 -o t.run

Exit status: 0 good; 1 failed to measure; 2 usage; 3 a limit was exceeded;
4 not supported or not permitted here; 5 the figures contradict themselves.
`
