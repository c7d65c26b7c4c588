// ring: what two C processes reach that share a ring of 1024 slots and spin.
// Usage: ring COUNT PERIOD_NS; a period of 0 sends as fast as the ring takes.
// Prints messages a second and the median of (receive - send) in ns.
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct ring {
	_Alignas(128) atomic_uint tail;
	_Alignas(128) atomic_uint head;
	_Alignas(128) struct { uint64_t seq; int64_t sent; char rest[48]; } slot[1024];
};
static int64_t now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000LL + t.tv_nsec; }
static void pin(int cpu) { cpu_set_t s; CPU_ZERO(&s); CPU_SET(cpu, &s); sched_setaffinity(0, sizeof s, &s); }
static int compare(const void *a, const void *b) { int64_t x = *(int64_t *)a, y = *(int64_t *)b; return (x > y) - (x < y); }

int main(int argc, char **argv) {
	int64_t n = argc > 1 ? atoll(argv[1]) : 1000000, period = argc > 2 ? atoll(argv[2]) : 0;
	struct ring *r = mmap(0, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int64_t *late = calloc(n, sizeof *late), start = 0, first = now() + 100000000;
	if (fork() == 0) {
		pin(0);
		for (int64_t i = 0; i < n; i++) {
			int64_t due = first + i * period;
			struct timespec t = { due / 1000000000, due % 1000000000 };
			if (period || i == 0) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, 0);
			while (atomic_load(&r->tail) - atomic_load(&r->head) == 1024) ;
			unsigned at = atomic_load(&r->tail);
			r->slot[at % 1024].seq = i;
			r->slot[at % 1024].sent = now();
			atomic_store(&r->tail, at + 1);
		}
		_exit(0);
	}
	pin(1);
	for (int64_t i = 0; i < n; i++) {
		unsigned at = atomic_load(&r->head);
		while (atomic_load(&r->tail) == at) ;
		int64_t t = now();
		if (i == 0) start = t;
		late[i] = t - r->slot[at % 1024].sent;
		atomic_store(&r->head, at + 1);
	}
	double seconds = (now() - start) / 1e9;
	qsort(late, n, sizeof *late, compare);
	printf("{\"per_second\": %.0f, \"p50_ns\": %lld}\n", n / seconds, (long long)late[n / 2]);
	return wait(0) < 0;
}
