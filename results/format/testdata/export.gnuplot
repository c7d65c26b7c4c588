# 00:00:02 (periodic user-mode task, 100 us period, priority 99) CPU0
# ----lat min|----lat avg|----lat max|-overrun|---msw|
#       3.000|      5.059|     19.295|       0|     0|
# Linux board 6.12.0-rt1 #1 SMP PREEMPT_RT x86_64 GNU/Linux
# Kernel parameters: quiet isolcpus=1
3 1
3.5 778
4.5 463
5.5 283
6.5 194
7.5 116
8.5 66
9.5 56
10.5 15
11.5 11
12.5 12
13.5 6
14.5 6
15.5 3
16.5 2
17.5 1
18.5 1
19.5 4
20 1


# 00:00:02 (periodic user-mode task, 100 us period, priority 99) CPU1
# ----lat min|----lat avg|----lat max|-overrun|---msw|
#       3.000|      5.050|     17.050|       2|     0|
# Linux board 6.12.0-rt1 #1 SMP PREEMPT_RT x86_64 GNU/Linux
# Kernel parameters: quiet isolcpus=1
3 1
3.5 748
4.5 510
5.5 288
6.5 187
7.5 100
8.5 61
9.5 36
10.5 34
11.5 15
12.5 15
13.5 10
14.5 4
15.5 2
16.5 3
17.5 2
18 1
