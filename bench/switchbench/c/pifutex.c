// A hand-over by PI futexes, for comparison: a periodic waker releases the lock
// for which the waiter waits; two locks take turns. Arguments: period in ns,
// samples, CPU, priority. It prints samples, minimum and average in ns.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Alignas(64) uint32_t locks[2][16];
static _Alignas(64) int64_t stamp;
static long samples, period;
static int64_t minimum = INT64_MAX, sum;
static pthread_barrier_t ready;

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int swap(uint32_t *word, uint32_t old, uint32_t new)
{
	return __atomic_compare_exchange_n(word, &old, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static void lock(uint32_t *word, uint32_t tid)
{
	if (!swap(word, 0, tid))
		syscall(SYS_futex, word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0);
}

static void unlock(uint32_t *word, uint32_t tid)
{
	if (!swap(word, tid, 0))
		syscall(SYS_futex, word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0);
}

static void *waker(void *arg)
{
	uint32_t tid = gettid();
	lock(locks[0], tid);
	pthread_barrier_wait(&ready);
	int64_t due = now();
	for (long i = 0; i < samples; i++) {
		due += period;
		struct timespec t = { due / 1000000000, due % 1000000000 };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		lock(locks[(i + 1) & 1], tid);
		stamp = now();
		unlock(locks[i & 1], tid);
	}
	return arg;
}

static void *waiter(void *arg)
{
	uint32_t tid = gettid();
	pthread_barrier_wait(&ready);
	for (long i = 0; i < samples; i++) {
		lock(locks[i & 1], tid);
		int64_t latency = now() - stamp;
		unlock(locks[i & 1], tid);
		sum += latency;
		if (latency < minimum)
			minimum = latency;
	}
	return arg;
}

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	period = atol(argv[1]);
	samples = atol(argv[2]);
	mlockall(MCL_CURRENT | MCL_FUTURE);
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(atoi(argv[3]), &set);
	struct sched_param p = { .sched_priority = atoi(argv[4]) };
	pthread_attr_t a;
	pthread_attr_init(&a);
	pthread_attr_setaffinity_np(&a, sizeof set, &set);
	pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&a, SCHED_FIFO);
	pthread_attr_setschedparam(&a, &p);
	pthread_barrier_init(&ready, NULL, 2);
	pthread_t threads[2];
	if (pthread_create(&threads[0], &a, waker, NULL) || pthread_create(&threads[1], &a, waiter, NULL))
		return 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("%ld %lld %lld\n", samples, (long long)minimum, (long long)(sum / samples));
	return 0;
}
