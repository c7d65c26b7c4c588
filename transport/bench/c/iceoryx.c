// iceoryx: service time over iceoryx's C binding with a wait set, as a
// publisher and a subscriber process of this program. iox-roudi must run.
// Usage: iceoryx COUNT PERIOD_NS. Prints the median of (receive - send) in ns.
#define _GNU_SOURCE
#include <iceoryx_binding_c/enums.h>
#include <iceoryx_binding_c/publisher.h>
#include <iceoryx_binding_c/runtime.h>
#include <iceoryx_binding_c/subscriber.h>
#include <iceoryx_binding_c/types.h>
#include <iceoryx_binding_c/wait_set.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000LL + t.tv_nsec; }
static void pin(int cpu) { cpu_set_t s; CPU_ZERO(&s); CPU_SET(cpu, &s); sched_setaffinity(0, sizeof s, &s); }
static int compare(const void *a, const void *b) { int64_t x = *(int64_t *)a, y = *(int64_t *)b; return (x > y) - (x < y); }

static void publish(int64_t n, int64_t period) {
	iox_pub_storage_t storage;
	iox_runtime_init("bench-publisher");
	iox_pub_t pub = iox_pub_init(&storage, "bench", "latency", "message", NULL);
	while (!iox_pub_has_subscribers(pub)) usleep(1000);
	pin(0);
	for (int64_t i = 0, first = now() + 10000000; i < n; i++) {
		int64_t due = first + i * period;
		struct timespec t = { due / 1000000000, due % 1000000000 };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, 0);
		int64_t *payload;
		if (iox_pub_loan_chunk(pub, (void **)&payload, 16) != AllocationResult_SUCCESS) exit(1);
		payload[0] = now();
		iox_pub_publish_chunk(pub, payload);
	}
	sleep(1);
	iox_pub_deinit(pub);
	_exit(0);
}

int main(int argc, char **argv) {
	int64_t n = argc > 1 ? atoll(argv[1]) : 1000, period = argc > 2 ? atoll(argv[2]) : 1000000, got = 0;
	int64_t *late = calloc(n, sizeof *late);
	iox_sub_storage_t storage;
	iox_ws_storage_t waits;
	iox_notification_info_t events[4];
	uint64_t missed;
	if (fork() == 0) publish(n, period);
	iox_runtime_init("bench-subscriber");
	iox_sub_t sub = iox_sub_init(&storage, "bench", "latency", "message", NULL);
	iox_ws_t ws = iox_ws_init(&waits);
	iox_ws_attach_subscriber_state(ws, sub, SubscriberState_HAS_DATA, 0, NULL);
	pin(1);
	while (got < n) {
		const int64_t *payload;
		iox_ws_wait(ws, events, 4, &missed);
		while (got < n && iox_sub_take_chunk(sub, (const void **)&payload) == ChunkReceiveResult_SUCCESS) {
			late[got++] = now() - payload[0];
			iox_sub_release_chunk(sub, payload);
		}
	}
	qsort(late, n, sizeof *late, compare);
	printf("{\"p50_ns\": %lld}\n", (long long)late[n / 2]);
	fflush(stdout);
	wait(0);
	_exit(0);
}
