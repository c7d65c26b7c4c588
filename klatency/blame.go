package klatency

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Blame says who was to blame for a wake-up: the culprit that took most time
// beyond what its stage typically takes. It returns "" for a wake-up that is
// less than twice as long as a typical one, or of which no culprit took a third
// beyond the ordinary: then nobody is.
func (d *Division) Blame(typical *Durations) string {
	total := d.Total()
	excess := total - typical.Total()
	if excess < typical.Total() {
		return ""
	}
	type sum struct {
		name   string
		ns     int64
		stages [Stages]bool
	}
	var sums []sum
	for _, share := range d.Shares {
		text := d.name(share.Culprit)
		i := slices.IndexFunc(sums, func(s sum) bool { return s.name == text })
		if i < 0 {
			i = len(sums)
			sums = append(sums, sum{name: text})
		}
		sums[i].ns += share.Nanoseconds
		sums[i].stages[share.Stage] = true
	}
	for i := range sums {
		for stage, is := range sums[i].stages {
			if is {
				sums[i].ns -= typical[stage]
			}
		}
	}
	if d.NMI > 0 {
		sums = append(sums, sum{name: "non-maskable interrupts", ns: d.NMI})
	}
	if len(sums) == 0 {
		return ""
	}
	worst := slices.MaxFunc(sums, func(a, b sum) int { return cmp.Compare(a.ns, b.ns) })
	if worst.ns < excess/3 {
		return ""
	}
	return worst.name
}

// name says in words what a culprit is.
func (d *Division) name(c Culprit) string {
	switch c.Stage {
	case Interrupt:
		switch {
		case c.pid == 0:
			return "interrupt late on an idle CPU (hypervisor, firmware or idle state)"
		case c.frame == softirqIn:
			return "interrupts off in " + softirqName(c.number)
		}
		return "interrupts off, or a hypervisor gap, in " + c.thread()
	case Timer, Handler:
		return "timer interrupts"
	case IRQ:
		if c.frame == irqIn {
			return irqName(c.number)
		}
		return vectorName(c.vector)
	case Softirq:
		return softirqName(c.number)
	case Idle:
		return fmt.Sprintf("idle exit (state %d)", c.number)
	case RunQueue:
		if c.prio > d.prio {
			return "preemption off in " + c.thread()
		}
		return c.thread()
	case Switch:
		return "scheduler"
	case Return:
		return "own switch and return"
	case Stopped:
		return "stopped by a signal, or blocked"
	}
	return Unknown.String()
}

// thread is such as "thread hog (pid 812, SCHED_FIFO 99)".
func (c Culprit) thread() string {
	if c.pid == 0 {
		return "the idle thread"
	}
	return fmt.Sprintf("thread %s (pid %d, %s)", c.comm, c.pid, priority(c.policy, c.prio))
}

// priority says in user's terms what the kernel's policy and prio are: prio is
// 99 - priority for real-time threads, 120 + nice for ordinary ones
// (include/linux/sched/prio.h).
func priority(policy uint8, prio uint16) string {
	const fifo, rr, batch, idle, deadline = 1, 2, 3, 5, 6
	names := map[uint8]string{fifo: "SCHED_FIFO", rr: "SCHED_RR", batch: "SCHED_BATCH", idle: "SCHED_IDLE", deadline: "SCHED_DEADLINE"}
	policyName, ok := names[policy]
	if !ok {
		policyName = "SCHED_OTHER"
	}
	switch {
	case policy == deadline:
		return policyName
	case policy == fifo || policy == rr:
		return fmt.Sprintf("%s %d", policyName, 99-int(prio))
	case prio < 100:
		return fmt.Sprintf("%s boosted to priority %d", policyName, 99-int(prio))
	}
	return fmt.Sprintf("%s nice %d", policyName, int(prio)-120)
}

// softirqName follows include/linux/interrupt.h.
func softirqName(n uint32) string {
	names := [...]string{"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"}
	if int(n) < len(names) {
		return "softirq " + names[n]
	}
	return fmt.Sprintf("softirq %d", n)
}

func vectorName(v uint8) string {
	switch v {
	case vectorTimer:
		return "timer interrupts"
	case vectorReschedule:
		return "reschedule interrupts"
	case vectorCallFunction, vectorCallFunctionSingle:
		return "function call interrupts"
	case vectorIRQWork:
		return "IRQ work interrupts"
	}
	return "other interrupts"
}

// irqName is such as "irq 34 eth0", from /sys/kernel/irq/34/actions
// (Documentation/ABI/testing/sysfs-kernel-irq).
func irqName(n uint32) string {
	actions, err := os.ReadFile(fmt.Sprintf("/sys/kernel/irq/%d/actions", n))
	if text := strings.TrimSpace(string(actions)); err == nil && text != "" {
		return fmt.Sprintf("irq %d %s", n, text)
	}
	return fmt.Sprintf("irq %d", n)
}
