// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0

// Counts what takes the CPU from a thread that never gives it up: interrupts,
// softirqs, other threads. What nests is counted once, for the innermost, as
// the osnoise tracer does (Documentation/trace/osnoise-tracer.rst).

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef _Bool bool;

#define MAX_CPUS 4096

struct task_struct {
	int pid;
	char comm[16];
} __attribute__((preserve_access_index));

/* The times and numbers of one source; start is 0 while it does not run. */
struct source {
	u64 count, ns, start;
};

struct cpu {
	u64 interferences;	/* rises before anything else runs; the thread reads it */
	u32 tid;
	u32 unused;
	struct source nmi, irq, softirq, thread;
	struct source slice;	/* of the thread that runs instead */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct cpu);
} cpus SEC(".maps");

struct taker {
	u64 count, ns;
	char comm[16];
};

/* What each thread took, by its id. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u32);
	__type(value, struct taker);
} takers SEC(".maps");

/* Slot + 1 of each CPU with a thread. */
const volatile u16 slot_of_cpu[MAX_CPUS];

static __always_inline struct cpu *here(void)
{
	u32 cpu = bpf_get_smp_processor_id(), i;

	if (cpu >= MAX_CPUS || !(i = slot_of_cpu[cpu]))
		return 0;
	i--;
	return bpf_map_lookup_elem(&cpus, &i);
}

/* Gives a source's time so far to nobody else: what it interrupted goes on later. */
static __always_inline u64 stop(struct source *s)
{
	u64 ns;

	if (!s->start)
		return 0;
	ns = bpf_ktime_get_ns() - s->start;
	s->count++;
	s->ns += ns;
	s->start = 0;
	return ns;
}

static __always_inline void later(struct source *s, u64 ns)
{
	if (s->start)
		s->start += ns;
}

static __always_inline void irq_in(void)
{
	struct cpu *c = here();

	if (!c || c->irq.start)
		return;	/* one within another is the outer one */
	c->interferences++;
	c->irq.start = bpf_ktime_get_ns();
}

static __always_inline void irq_out(void)
{
	struct cpu *c = here();

	if (!c)
		return;
	u64 ns = stop(&c->irq);
	later(&c->softirq, ns);
	later(&c->thread, ns);
	later(&c->slice, ns);
}

SEC("tp_btf/nmi_handler")
int BPF_PROG(noise_nmi, void *handler, __s64 delta_ns)
{
	struct cpu *c = here();

	if (!c)
		return 0;
	c->interferences++;
	c->nmi.count++;
	c->nmi.ns += delta_ns;
	later(&c->irq, delta_ns);
	later(&c->softirq, delta_ns);
	later(&c->thread, delta_ns);
	later(&c->slice, delta_ns);
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(noise_softirq_in)
{
	struct cpu *c = here();

	if (c) {
		c->interferences++;
		c->softirq.start = bpf_ktime_get_ns();
	}
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(noise_softirq_out)
{
	struct cpu *c = here();

	if (!c)
		return 0;
	u64 ns = stop(&c->softirq);
	later(&c->thread, ns);
	later(&c->slice, ns);
	return 0;
}

/* Counts the slice that a thread has just ended. */
static __always_inline void took(struct cpu *c, struct task_struct *prev)
{
	u64 ns = stop(&c->slice);
	u32 pid = prev->pid;

	if (!ns)
		return;
	struct taker *t = bpf_map_lookup_elem(&takers, &pid);
	if (!t) {
		struct taker new = {};
		bpf_probe_read_kernel(new.comm, sizeof(new.comm), prev->comm);
		bpf_map_update_elem(&takers, &pid, &new, BPF_ANY);
		t = bpf_map_lookup_elem(&takers, &pid);
		if (!t)
			return;
	}
	__sync_fetch_and_add(&t->count, 1);
	__sync_fetch_and_add(&t->ns, ns);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(noise_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct cpu *c = here();

	if (!c || !c->tid)
		return 0;
	if (prev->pid == c->tid) {
		c->interferences++;
		c->thread.start = c->slice.start = bpf_ktime_get_ns();
	} else {
		took(c, prev);
		if (next->pid == c->tid)
			stop(&c->thread);
		else
			c->slice.start = bpf_ktime_get_ns();
	}
	return 0;
}

#define IRQ(name)								\
	SEC("tp_btf/" #name "_entry") int BPF_PROG(noise_##name##_in)		\
	{									\
		irq_in();							\
		return 0;							\
	}									\
	SEC("tp_btf/" #name "_exit") int BPF_PROG(noise_##name##_out)		\
	{									\
		irq_out();							\
		return 0;							\
	}
IRQ(irq_handler)
IRQ(local_timer)
IRQ(reschedule)
IRQ(call_function)
IRQ(call_function_single)
IRQ(irq_work)

char _license[] SEC("license") = "GPL";
