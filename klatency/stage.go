package klatency

// A Stage is a part of the way from the moment a thread should have woken to
// the moment it reads the clock in user space. Every stage lies between two
// recorded events; Unknown is what no pair of events covers.
type Stage int

// The stages, in the order in which an ordinary wake-up meets them.
const (
	// Interrupt: the due time to the entry of the timer interrupt, while no
	// handler ran: interrupts were off, the hardware or a hypervisor was late.
	Interrupt Stage = iota
	// Timer: the entry of the timer interrupt to the call of our timer's handler.
	Timer
	// Handler: the call of our timer's handler to the end of the interrupt.
	Handler
	// IRQ: the handlers of other interrupts.
	IRQ
	// Softirq: softirqs.
	Softirq
	// Idle: the way out of an idle state, after the wake-up.
	Idle
	// RunQueue: the thread is awake and another one has the CPU.
	RunQueue
	// Switch: no other thread wants the CPU, and the scheduler takes it from the
	// idle thread, to the decision for ours.
	Switch
	// Return: from that decision to the sample: the switch of contexts, the end
	// of the system call, the return to user space.
	Return
	// Stopped: the thread was stopped by a signal, or blocked on something that
	// isn't its timer.
	Stopped
	// Unknown: not covered by events.
	Unknown
	// Stages is their number.
	Stages
)

// String returns the name used in tables.
func (s Stage) String() string {
	return [...]string{
		"interrupt", "timer", "wake-up", "irqs", "softirqs", "idle exit", "run queue",
		"switch", "return", "stopped", "unknown",
	}[s]
}

// Key returns the name used in run logs; values are in ns.
func (s Stage) Key() string {
	return [...]string{
		"interrupt_ns", "timer_ns", "wakeup_ns", "irqs_ns", "softirqs_ns", "idle_exit_ns", "run_queue_ns",
		"switch_ns", "return_ns", "stopped_ns", "unknown_ns",
	}[s]
}

// Durations are the ns that one wake-up spent in each stage.
type Durations [Stages]int64

// Total is the sum of all stages in ns.
func (d *Durations) Total() (ns int64) {
	for _, v := range d {
		ns += v
	}
	return ns
}
