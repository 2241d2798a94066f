/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * servants.h - programs that serve until they are told to end, and say then whether they noticed a tracer
 *
 * Each one does in a circle what an attached tracer could spoil: it waits in calls that fail with EINTR if anything
 * stops them, takes signals, looks at its flags, makes processes and threads. In between it works in a recursion, so
 * that it is found running. It exits with 0, or with the number of what it has seen.
 */
#ifndef STACKPROOF_SERVANTS_H
#define STACKPROOF_SERVANTS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SERVANT_FLAG 0x100

/* Shared with who tells it to end. */
struct service {
	atomic_bool over;
	atomic_uint rounds;
};

static volatile unsigned int servant_sum;

static __attribute__((noinline)) unsigned int servant_work(unsigned int depth)
{
	unsigned int sum = depth;

	for (unsigned int i = 0; i < 4; i++)
		sum += depth ? servant_work(depth - 1) : i;
	servant_sum += sum;
	return sum;
}

static int serve_work(struct service *service)
{
	(void)service;
	servant_work(5);
	return 0;
}

/* Nothing comes: the time is up each time, and no earlier. */
static int serve_epoll(struct service *service)
{
	static int epoll = -1;
	struct epoll_event event;
	struct timespec begin, end;

	if (epoll < 0)
		epoll = epoll_create1(0);
	servant_work(6);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	if (epoll_wait(epoll, &event, 1, 2))
		return errno == EINTR ? 1 : 2;
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec < 1900000 ? 3
												: 0;
}

static int serve_sleep(struct service *service)
{
	const struct timespec time = { .tv_nsec = 500000 };

	servant_work(6);
	return clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL) ? 1 : 0;
}

static int serve_futex(struct service *service)
{
	const struct timespec time = { .tv_nsec = 500000 };
	static unsigned int word;

	servant_work(6);
	if (!syscall(SYS_futex, &word, FUTEX_WAIT, 0, &time, NULL, 0))
		return 1;
	return errno == ETIMEDOUT ? 0 : 2;
}

/* A socket with a time-out is one of those whose calls are not restarted. */
static int serve_read(struct service *service)
{
	const struct timeval time = { .tv_usec = 1000 };
	static int ends[2] = { -1, -1 };
	char byte;

	if (ends[0] < 0 && (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) ||
			    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time))))
		return 1;
	servant_work(8);
	if (recv(ends[0], &byte, 1, 0) != -1)
		return 2;
	return errno == EAGAIN ? 0 : 3;
}

/* These are others, and each of them fails in a way of its own. */
static int serve_splice(struct service *service)
{
	const struct timeval time = { .tv_usec = 1000 };
	static int ends[2] = { -1, -1 }, tube[2];
	struct sockaddr_un nowhere = { .sun_family = AF_UNIX };
	static int listener;

	if (ends[0] < 0) {
		listener = socket(AF_UNIX, SOCK_STREAM, 0);
		if (listener < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || pipe(tube) ||
		    bind(listener, (struct sockaddr *)&nowhere, sizeof(sa_family_t)) ||
		    listen(listener, 1) ||
		    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)) ||
		    setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)))
			return 1;
	}
	servant_work(5);
	if (splice(ends[0], NULL, tube[1], NULL, 1, 0) != -1 || errno != EAGAIN)
		return 2;
	servant_work(5);
	return accept4(listener, NULL, NULL, 0) == -1 && errno == EAGAIN ? 0 : 3;
}

static int serve_sigtimedwait(struct service *service)
{
	const struct timespec time = { .tv_nsec = 500000 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	servant_work(6);
	return sigtimedwait(&set, NULL, &time) == -1 && errno == EAGAIN ? 0 : 1;
}

static atomic_uint servant_signals;

static void servant_handler(int number)
{
	servant_work(2);
	servant_signals++;
}

/* Signals come all the time, and each is handled: one that it sends itself at once. */
static int serve_signals(struct service *service)
{
	const struct itimerval every = { { 0, 700 }, { 0, 700 } };
	static bool begun;
	unsigned int before;

	if (!begun) {
		signal(SIGALRM, servant_handler);
		signal(SIGUSR1, servant_handler);
		setitimer(ITIMER_REAL, &every, NULL);
		begun = true;
	}
	servant_work(4);
	before = servant_signals;
	raise(SIGUSR1);
	return servant_signals > before ? 0 : 1;
}

/* The trap flag in what pushf pushes, in what a system call leaves in r11, and after popf. */
static int serve_flags(struct service *service)
{
	uint64_t pushed, saved, result;

	servant_work(3);
	__asm__ volatile("pushfq\n\tpopq %0" : "=r"(pushed));
	__asm__ volatile("syscall\n\tmovq %%r11, %1"
			 : "=a"(result), "=r"(saved)
			 : "0"((uint64_t)SYS_getppid)
			 : "rcx", "r11", "memory");
	if (pushed & SERVANT_FLAG || saved & SERVANT_FLAG)
		return 1;
	__asm__ volatile("pushq %0\n\tpopfq\n\tpushfq\n\tpopq %0" : "+r"(pushed) : : "cc");
	return pushed & SERVANT_FLAG ? 2 : 0;
}

static void *servant_thread(void *argument)
{
	servant_work(3);
	return argument;
}

/* Processes and threads, made in the middle of work. Their parent sees each end. */
static int serve_children(struct service *service)
{
	pthread_t thread;
	int status;
	pid_t child;

	servant_work(3);
	child = fork();
	if (!child) {
		servant_work(3);
		_exit(7);
	}
	if (waitpid(child, &status, 0) != child || status != 7 << 8)
		return 1;
	child = vfork();
	if (!child) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	if (waitpid(child, &status, 0) != child || status)
		return 2;
	if (pthread_create(&thread, NULL, servant_thread, NULL))
		return 3;
	return pthread_join(thread, NULL) ? 4 : 0;
}

static atomic_uint servant_traps;

static void servant_trap(int number)
{
	servant_traps++;
}

/* SIGTRAP is its own: with a handler, blocked for a while, sent and raised. */
static int serve_traps(struct service *service)
{
	unsigned int before = servant_traps;
	sigset_t all, old;

	signal(SIGTRAP, servant_trap);
	servant_work(3);
	raise(SIGTRAP);
	__asm__ volatile("int3");
	if (servant_traps != before + 2)
		return 1;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	servant_work(3);
	raise(SIGTRAP);
	if (servant_traps != before + 2)
		return 2;
	sigprocmask(SIG_SETMASK, &old, NULL);
	return servant_traps == before + 3 ? 0 : 3;
}

static atomic_int servant_numbered;

static void servant_number(int number, siginfo_t *info, void *context)
{
	if (info->si_value.sival_int == servant_numbered)
		servant_numbered++;
	else
		_exit(1); /* one was lost */
}

/* A SIGTRAP of its own comes right behind each of the others, which are numbered. */
static int serve_sent_traps(struct service *service)
{
	static const struct sigaction numbered = { .sa_sigaction = servant_number,
						   .sa_flags = SA_SIGINFO };
	static bool begun;

	if (!begun) {
		signal(SIGTRAP, servant_trap);
		sigaction(SIGRTMIN, &numbered, NULL);
		begun = true;
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (union sigval value = { 0 }; !sigqueue(getppid(), SIGRTMIN, value);
			     value.sival_int++) {
				kill(getppid(), SIGTRAP);
				usleep(500);
			}
		}
	}
	servant_work(6);
	return 0;
}

static void *serve_alone(void *argument)
{
	struct service *service = argument;

	while (!service->over) {
		servant_work(5);
		service->rounds++;
	}
	exit(0);
}

/* Its first thread ends, and the other goes on. */
static int serve_unled(struct service *service)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, serve_alone, service))
		return 1;
	pthread_exit(NULL);
}

/* A signal that does nothing interrupts nobody who is not traced. */
static int serve_idle_signals(struct service *service)
{
	static int epoll = -1;
	struct epoll_event event;
	pid_t child;

	if (epoll < 0) {
		epoll = epoll_create1(0);
		child = fork();
		if (!child) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;) {
				kill(getppid(), SIGWINCH);
				usleep(300);
			}
		}
	}
	servant_work(6);
	return epoll_wait(epoll, &event, 1, 1) ? 1 : 0;
}

static struct servant {
	const char *name;
	int (*serve)(struct service *service);
} const servants[] = {
	{ "work", serve_work },
	{ "epoll", serve_epoll },
	{ "sleep", serve_sleep },
	{ "futex", serve_futex },
	{ "read", serve_read },
	{ "splice", serve_splice },
	{ "sigtimedwait", serve_sigtimedwait },
	{ "signals", serve_signals },
	{ "flags", serve_flags },
	{ "children", serve_children },
	{ "traps", serve_traps },
	{ "sent_traps", serve_sent_traps },
	{ "idle_signals", serve_idle_signals },
	{ "unled", serve_unled },
};

/* Starts it; *ret is shared with it. */
static inline pid_t servant_start(const struct servant *servant, struct service **ret)
{
	struct service *service = mmap(NULL, sizeof(*service), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = fork();

	*ret = service;
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!service->over) {
		int seen = servant->serve(service);

		if (seen)
			_exit(seen);
		service->rounds++;
	}
	_exit(0);
}

/* Tells it to end. Its status, as of waitpid(2). */
static inline int servant_end(pid_t pid, struct service *service)
{
	int status = -1;

	service->over = true;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	munmap(service, sizeof(*service));
	return status;
}

#endif
