// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0

// Records what happens on the CPUs of measured threads between the moment a
// thread should have woken and the moment it sleeps again.
//
// Each measured thread has a slot with a short list of entries. Before the due
// time the list only says in what state the CPU is: an exit removes its entry,
// a switch replaces the switch before it. From the due time on everything is
// appended. When the thread sleeps again, off the path that is measured, the
// whole list goes to user space as one record. All analysis is done there.

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef _Bool bool;

#define MAX_CPUS 4096
#define MAX_ENTRIES 4096	/* of one wake-up; a power of two */
#define RESERVE 16		/* entries kept for the thread's own events */
#define FLOOR 3			/* BEGIN, SWITCH, NAME: what a list always has */
#define TASK_INTERRUPTIBLE 1
#define TASK_DEAD 0x80
#define IDLE_EXIT ((u32)-1)

/* The few fields used of the kernel's structures; libbpf's CO-RE finds them. */
#define CORE __attribute__((preserve_access_index))
struct task_struct {
	int pid;
	int prio;
	int wake_cpu;	/* where it last ran */
	unsigned int policy;
	unsigned int __state;
	char comm[16];
} CORE;
struct task_struct___before_5_14 {
	long state;
} CORE;
struct hrtimer {
	__s64 _softexpires;
} CORE;
struct irqaction;
struct nmiaction;

enum kind {
	BEGIN = 1,	/* at: due time; arg: slot; prio: the thread's state at the due time, when it does not run */
	SWITCH,		/* arg: pid switched in; prio, flag: its priority and policy */
	NAME,		/* at and the rest: comm of the thread switched in */
	IRQ_IN,		/* arg: number */
	IRQ_OUT,
	VECTOR_IN,	/* arg: vector; flag: enum vector */
	VECTOR_OUT,
	SOFTIRQ_IN,	/* arg: softirq */
	SOFTIRQ_OUT,
	IDLE_IN,	/* arg: idle state */
	IDLE_OUT,
	FIRED,		/* at: our timer's handler was called, and it woke the thread */
	WAKING,		/* something else woke the thread, or another CPU did */
	LEFT,		/* the thread was switched out; arg: its state, 0 when preempted */
	MISSED,		/* entries are missing from here to the thread's next own one */
	END,		/* arg: ns in NMIs since BEGIN */
};

enum vector { TIMER = 1, RESCHEDULE, CALL_FUNCTION, CALL_FUNCTION_SINGLE, IRQ_WORK };

struct entry {
	u64 at;
	u32 arg;
	u16 prio;
	u8 flag;
	u8 kind;
};

/* What an ordinary wake-up touches comes first, in few cache lines. */
struct slot {
	u32 tid;
	u32 cpu;
	u64 due;
	u32 n;
	u32 missing;
	u64 in_at;	/* first switched in after due */
	u64 fired_at, fired_due;	/* the last timer that fired on this CPU */
	u64 first;	/* a due time; 0: learn it from the first wake-up */
	u64 period;
	u64 woken_at;	/* when our timer's handler was called */
	u64 remote_fired, remote_waking;	/* woken from another CPU */
	u64 nmi_ns;
	/* Wake-ups that found the ring full: counted, never forgotten. Latencies
	   of the handler and of the switch, in ns. */
	u64 dropped;
	u64 unseen;	/* those of them without the thread's way back */
	u64 handler_sum, handler_min, handler_max;
	u64 switch_sum, switch_min, switch_max;
	struct entry e[MAX_ENTRIES];
};

struct fired {
	u64 at, due;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct slot);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct fired);
} fired_elsewhere SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} wakeups SEC(".maps");

/* Slot + 1 of each CPU with a measured thread. */
const volatile u16 slot_of_cpu[MAX_CPUS];

static __always_inline struct slot *slot_on(u32 cpu)
{
	u32 i;

	if (cpu >= MAX_CPUS || !(i = slot_of_cpu[cpu]))
		return 0;
	i--;
	return bpf_map_lookup_elem(&slots, &i);
}

static __always_inline struct slot *here(void)
{
	return slot_on(bpf_get_smp_processor_id());
}

static __always_inline void append(struct slot *s, u64 at, u8 kind, u8 flag, u16 prio, u32 arg, u32 limit)
{
	u32 n = s->n;

	if (n >= limit) {
		if (s->missing)
			return;
		s->missing = 1;
		kind = MISSED;
	}
	s->n = n + 1;
	struct entry *e = &s->e[n & (MAX_ENTRIES - 1)];
	e->at = at;
	e->arg = arg;
	e->prio = prio;
	e->flag = flag;
	e->kind = kind;
}

static __always_inline void enter(u8 kind, u8 flag, u32 arg)
{
	struct slot *s = here();

	if (s)
		append(s, bpf_ktime_get_ns(), kind, flag, 0, arg, MAX_ENTRIES - RESERVE);
}

static __always_inline void leave(u8 kind, u8 flag, u32 arg)
{
	struct slot *s = here();

	if (!s)
		return;
	u64 now = bpf_ktime_get_ns();
	if (now >= s->due)
		append(s, now, kind, flag, 0, arg, MAX_ENTRIES - RESERVE);
	else if (s->n > FLOOR)
		s->n--;
}

/* A thread's entries may use the reserve, so that a storm cannot hide them. */
static __always_inline void own(struct slot *s, u64 at, u8 kind, u8 flag, u32 arg)
{
	append(s, at, kind, flag, 0, arg, MAX_ENTRIES - 2);
}

static __always_inline void drop(struct slot *s)
{
	u64 h = s->woken_at - s->due, w = s->in_at - s->due;

	if (!s->woken_at || !s->in_at) {
		s->unseen++;
		return;
	}
	if (!s->dropped || h < s->handler_min)
		s->handler_min = h;
	if (!s->dropped || w < s->switch_min)
		s->switch_min = w;
	if (h > s->handler_max)
		s->handler_max = h;
	if (w > s->switch_max)
		s->switch_max = w;
	s->handler_sum += h;
	s->switch_sum += w;
	s->dropped++;
}

/* Begins the window of the next wake-up. */
static __always_inline void begin(struct slot *s, u64 now)
{
	u64 due = s->first;

	if (due && now >= due && s->period)
		due = now + s->period - (now - due) % s->period;
	s->due = due;
	s->woken_at = s->in_at = s->nmi_ns = s->remote_fired = s->remote_waking = 0;
	s->n = s->missing = 0;
	append(s, due, BEGIN, 0, TASK_INTERRUPTIBLE, slot_of_cpu[s->cpu & (MAX_CPUS - 1)] - 1, MAX_ENTRIES);
}

static __always_inline void finish(struct slot *s, u64 now)
{
	u32 n = s->n;

	n &= MAX_ENTRIES - 1;
	s->e[n].at = now;
	s->e[n].arg = s->nmi_ns;
	s->e[n].prio = 0;
	s->e[n].flag = 0;
	s->e[n].kind = END;
	if (s->due && bpf_ringbuf_output(&wakeups, s->e, ((n + 1) & (MAX_ENTRIES - 1)) * sizeof(struct entry), BPF_RB_NO_WAKEUP))
		drop(s);
}

/* The timer fired before the thread was asleep: the next wake-up begins while
   the thread still runs, in the interrupt. */
static __always_inline void begin_awake(struct slot *s, struct task_struct *p)
{
	finish(s, s->fired_at);
	begin(s, s->fired_at);
	s->e[0].prio = 0;
	append(s, s->fired_at, SWITCH, p->policy, p->prio, p->pid, MAX_ENTRIES);
	append(s, 0, NAME, 0, 0, 0, MAX_ENTRIES);
}

static __always_inline u32 state_of(struct task_struct *t)
{
	if (bpf_core_field_exists(t->__state))
		return t->__state;
	return BPF_CORE_READ((struct task_struct___before_5_14 *)t, state);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct slot *s = here();

	if (!s)
		return 0;
	u64 now = bpf_ktime_get_ns();
	u32 limit = MAX_ENTRIES - RESERVE;
	if (next->pid == s->tid) {
		limit = MAX_ENTRIES - 2;
		if (now >= s->due && !s->in_at)
			s->in_at = now;
		if (s->remote_waking) {
			if (s->remote_fired)
				own(s, s->remote_fired, FIRED, 0, 0);
			own(s, s->remote_waking, WAKING, 0, 0);
			s->remote_fired = s->remote_waking = 0;
		}
	} else if (prev->pid == s->tid) {
		u32 state = preempt ? 0 : state_of(prev);
		if ((state & (TASK_INTERRUPTIBLE | TASK_DEAD)) && now >= s->due) {
			finish(s, now);
			begin(s, now);
		} else {
			own(s, now, LEFT, 0, state);
			if (now < s->due)
				s->e[0].prio = state;
		}
	}
	if (now < s->due || !s->due)
		s->n = 1;
	append(s, now, SWITCH, next->policy, next->prio, next->pid, limit);
	u32 n = s->n;
	if (next->pid != s->tid || n < FLOOR) {
		append(s, 0, NAME, 0, 0, 0, limit);
		if (s->n == n + 1)
			bpf_probe_read_kernel(&s->e[n & (MAX_ENTRIES - 1)], 15, next->comm);
	}
	return 0;
}

SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(on_expire, struct hrtimer *timer)
{
	struct slot *s = here();

	if (s) {
		s->fired_due = timer->_softexpires;
		s->fired_at = bpf_ktime_get_ns();
		return 0;
	}
	u32 zero = 0;
	struct fired *f = bpf_map_lookup_elem(&fired_elsewhere, &zero);
	if (f) {
		f->due = timer->_softexpires;
		f->at = bpf_ktime_get_ns();
	}
	return 0;
}

/* Whether a timer due then is the one that the thread of s sleeps on. */
static __always_inline bool ours(struct slot *s, u64 due)
{
	if (!s->first)
		s->first = due;
	return due >= s->first && s->period && (due - s->first) % s->period == 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *p)
{
	struct slot *s = slot_on(p->wake_cpu);

	if (!s || p->pid != s->tid)
		return 0;
	if (bpf_get_smp_processor_id() != s->cpu) {
		u32 zero = 0;
		struct fired *f = bpf_map_lookup_elem(&fired_elsewhere, &zero);
		s->remote_waking = bpf_ktime_get_ns();
		if (f && f->due && ours(s, f->due)) {
			s->woken_at = s->remote_fired = f->at;
			f->due = 0;
		}
	} else if (s->fired_due && ours(s, s->fired_due)) {
		bool awake = s->in_at && s->fired_due > s->due;
		if (awake)
			begin_awake(s, p);
		if (s->due != s->fired_due) {
			s->due = s->fired_due;
			s->e[0].at = s->due;
		}
		s->woken_at = s->fired_at;
		s->fired_due = 0;
		own(s, s->fired_at, FIRED, 0, 0);
		if (awake) {
			s->in_at = s->fired_at;
			append(s, s->fired_at, SWITCH, p->policy, p->prio, p->pid, MAX_ENTRIES - 2);
		}
	} else {
		own(s, bpf_ktime_get_ns(), WAKING, 0, 0);
	}
	return 0;
}

SEC("tp_btf/cpu_idle")
int BPF_PROG(on_idle, unsigned int state)
{
	if (state == IDLE_EXIT)
		leave(IDLE_OUT, 0, 0);
	else
		enter(IDLE_IN, 0, state);
	return 0;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_irq_in, int irq)
{
	enter(IRQ_IN, 0, irq);
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(on_irq_out, int irq)
{
	leave(IRQ_OUT, 0, irq);
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq_in, unsigned int vec)
{
	enter(SOFTIRQ_IN, 0, vec);
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(on_softirq_out, unsigned int vec)
{
	leave(SOFTIRQ_OUT, 0, vec);
	return 0;
}

SEC("tp_btf/nmi_handler")
int BPF_PROG(on_nmi, void *handler, __s64 delta_ns)
{
	struct slot *s = here();

	if (s)
		s->nmi_ns += delta_ns;
	return 0;
}

/* The vectors of x86 that are no device's. */
#define VECTOR(name, flag)							\
	SEC("tp_btf/" #name "_entry") int BPF_PROG(on_##name##_in, int vector)	\
	{									\
		enter(VECTOR_IN, flag, vector);					\
		return 0;							\
	}									\
	SEC("tp_btf/" #name "_exit") int BPF_PROG(on_##name##_out, int vector)	\
	{									\
		leave(VECTOR_OUT, flag, vector);				\
		return 0;							\
	}
VECTOR(local_timer, TIMER)
VECTOR(reschedule, RESCHEDULE)
VECTOR(call_function, CALL_FUNCTION)
VECTOR(call_function_single, CALL_FUNCTION_SINGLE)
VECTOR(irq_work, IRQ_WORK)

char _license[] SEC("license") = "GPL";
