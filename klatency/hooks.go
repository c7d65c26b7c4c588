package klatency

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/link"
)

// A hook is where one of the eBPF programs is attached.
type hook struct {
	program string
	// target is a tracepoint.
	target string
	// stages: only needed to take wake-ups apart.
	stages bool
	// optional: there are kernels and machines without it.
	optional bool
}

// hooks are all of them, in the order in which they are attached: the switch
// begins and ends a wake-up, so it comes last.
var hooks = []hook{
	{program: "on_expire", target: "hrtimer_expire_entry"},
	{program: "on_waking", target: "sched_waking"},
	{program: "on_idle", target: "cpu_idle", stages: true},
	{program: "on_irq_in", target: "irq_handler_entry", stages: true},
	{program: "on_irq_out", target: "irq_handler_exit", stages: true},
	{program: "on_softirq_in", target: "softirq_entry", stages: true},
	{program: "on_softirq_out", target: "softirq_exit", stages: true},
	{program: "on_nmi", target: "nmi_handler", stages: true, optional: true},
	{program: "on_local_timer_in", target: "local_timer_entry", stages: true, optional: true},
	{program: "on_local_timer_out", target: "local_timer_exit", stages: true, optional: true},
	{program: "on_reschedule_in", target: "reschedule_entry", stages: true, optional: true},
	{program: "on_reschedule_out", target: "reschedule_exit", stages: true, optional: true},
	{program: "on_call_function_in", target: "call_function_entry", stages: true, optional: true},
	{program: "on_call_function_out", target: "call_function_exit", stages: true, optional: true},
	{program: "on_call_function_single_in", target: "call_function_single_entry", stages: true, optional: true},
	{program: "on_call_function_single_out", target: "call_function_single_exit", stages: true, optional: true},
	{program: "on_irq_work_in", target: "irq_work_entry", stages: true, optional: true},
	{program: "on_irq_work_out", target: "irq_work_exit", stages: true, optional: true},
	{program: "on_switch", target: "sched_switch"},
}

// choose returns the hooks that are wanted and that this kernel has, and takes
// the programs of the others out of spec.
func choose(spec *ebpf.CollectionSpec, kernel *btf.Spec, stages bool) ([]hook, error) {
	var chosen []hook
	for _, h := range hooks {
		has := h.in(kernel)
		if !has && !h.optional {
			return nil, fmt.Errorf("this kernel has no tracepoint %s: %w", h.target, ebpf.ErrNotSupported)
		}
		if has && (stages || !h.stages) {
			chosen = append(chosen, h)
		} else {
			delete(spec.Programs, h.program)
		}
	}
	return chosen, nil
}

func (h hook) in(kernel *btf.Spec) bool {
	// The kernel's name for the signature of a tracepoint.
	var t *btf.Typedef
	return kernel.TypeByName("btf_trace_"+h.target, &t) == nil
}

// attach starts the programs.
func (t *Tracer) attach(hooks []hook) error {
	for _, h := range hooks {
		l, err := link.AttachTracing(link.TracingOptions{Program: t.loaded.Programs[h.program]})
		if err != nil {
			return fmt.Errorf("attach to %s: %w", h.target, errors.Unwrap(err))
		}
		t.links = append(t.links, l)
	}
	return nil
}

// maxCPUs is what the programs can number.
const maxCPUs = 4096

// slotsOf numbers the CPUs for the programs: slot + 1, 0 for all others.
func slotsOf(cpus []int) (slots [maxCPUs]uint16, err error) {
	for i, cpu := range cpus {
		if cpu < 0 || cpu >= maxCPUs {
			return slots, fmt.Errorf("trace a thread on cpu %d: not pinned to one of cpus 0-%d", cpu, maxCPUs-1)
		}
		if slots[cpu] != 0 {
			return slots, fmt.Errorf("trace two threads on cpu %d: only one can be", cpu)
		}
		slots[cpu] = uint16(i + 1)
	}
	return slots, nil
}
