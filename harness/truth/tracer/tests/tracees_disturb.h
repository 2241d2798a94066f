/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracees_disturb.h - small programs that stepping would disturb, for test_tracer.c
 *
 * Each says by its exit status whether it saw what it sees natively; that the status is the native
 * one is tested too. Those that call right behind the odd instruction mark their stack.
 */
#ifndef STACKPROOF_TRACEES_DISTURB_H
#define STACKPROOF_TRACEES_DISTURB_H

#include <fcntl.h>
#include <linux/rseq.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/rseq.h>
#include <sys/time.h>
#include "tracees.h"

#pragma GCC push_options
#pragma GCC optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")

#define TRAP_FLAG 0x100

/* The process that runs has failed; which check did is its exit status. */
#define EXPECT(condition)                                                                          \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return __LINE__ & 0xff;                                                    \
	} while (0)

/* ---- restartable sequences -------------------------------------------------------------- */

static volatile uint64_t rseq_sum;

/* Adds one to rseq_sum in five instructions that no other thread of this CPU may come between.
 * False: the section was aborted. */
static KEPT bool add_in_section(struct rseq *area)
{
	__asm__ goto(".pushsection __rseq_cs, \"aw\"\n\t"
		     ".balign 32\n"
		     "1:\t.long 0, 0\n\t"
		     ".quad 2f, 3f - 2f, 4f\n\t"
		     ".popsection\n\t"
		     "lea 1b(%%rip), %%rax\n\t"
		     "mov %%rax, %c1(%0)\n"
		     "2:\tmov %2, %%rcx\n\t"
		     "test %%rcx, %%rcx\n\t"
		     "js 5f\n\t"
		     "add $1, %%rcx\n\t"
		     "mov %%rcx, %2\n"
		     "3:\tjmp 5f\n\t"
		     ".long %c3\n" /* RSEQ_SIG, of no instruction */
		     "4:\tjmp %l[aborted]\n"
		     "5:"
		     :
		     : "r"(area), "i"(offsetof(struct rseq, rseq_cs)), "m"(rseq_sum), "i"(RSEQ_SIG)
		     : "rax", "rcx", "memory", "cc"
		     : aborted);
	return true;
aborted:
	return false;
}

#define SECTIONS 20

static void *add_in_sections(void *argument)
{
	struct rseq *area = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);

	for (int i = 0; i < SECTIONS;)
		i += add_in_section(area);
	return NULL;
}

static KEPT int run_rseq(void)
{
	EXPECT(__rseq_size > 0);
	add_in_sections(NULL);
	MARK(FRAME);
	return rseq_sum != SECTIONS;
}

/* On one CPU, where only the kernel's word keeps them apart. */
static KEPT int run_rseq_threads(void)
{
	pthread_t thread[THREADS];
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	EXPECT(!sched_setaffinity(0, sizeof(one), &one));
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, add_in_sections, NULL);
	add_in_sections(NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	return rseq_sum != SECTIONS * (THREADS + 1);
}

/* ---- SIGTRAP ---------------------------------------------------------------------------- */

static volatile int traps;
static volatile int blocked_in_handler;
static volatile int trap_code;
static volatile uint64_t trap_flags;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	blocked_in_handler += sigismember(&now, SIGTRAP);
	trap_code = info->si_code;
	trap_flags = ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];
	traps++;
}

static KEPT int run_trap_handler(void)
{
	struct sigaction now;

	handle(SIGTRAP, on_trap, 0);
	for (int i = 0; i < 2; i++) {
		__asm__ volatile("int3");
		EXPECT(trap_code == SI_KERNEL);
		raise(SIGTRAP);
		EXPECT(trap_code == SI_TKILL);
	}
	EXPECT(traps == 4 && blocked_in_handler == 4);
	sigaction(SIGTRAP, NULL, &now);
	EXPECT(now.sa_sigaction == on_trap);
	EXPECT(!(trap_flags & TRAP_FLAG));
	MARK(FRAME);
	return 0;
}

#define INT1 __asm__ volatile(".byte 0xf1")

static KEPT int run_int1(void)
{
	handle(SIGTRAP, on_trap, 0);
	for (int i = 0; i < 2; i++) {
		INT1;
		EXPECT(trap_code == TRAP_BRKPT);
		__asm__ volatile("int3");
		EXPECT(trap_code == SI_KERNEL);
	}
	EXPECT(traps == 4 && blocked_in_handler == 4);
	EXPECT(!(trap_flags & TRAP_FLAG));
	MARK(FRAME);
	return 0;
}

static void end_at_second_trap(int signal)
{
	if (++traps == 2)
		_exit(1);
}

/* It traps behind itself, not before. Some hypervisors that intercept it report it before, so that
 * a handler that returns comes back to it for ever. */
static bool int1_is_passed(void)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGTRAP, end_at_second_trap);
		INT1;
		_exit(traps != 1);
	}
	return waitpid(pid, &status, 0) == pid && !status;
}

static KEPT int run_trap_blocked(void)
{
	sigset_t trap, before;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	handle(SIGTRAP, on_trap, 0);
	sigprocmask(SIG_BLOCK, &trap, NULL);
	raise(SIGTRAP);
	raise(SIGTRAP);
	EXPECT(traps == 0);
	sigprocmask(SIG_UNBLOCK, &trap, &before);
	EXPECT(traps == 1 && sigismember(&before, SIGTRAP));
	raise(SIGTRAP);
	EXPECT(traps == 2);
	return 0;
}

static KEPT int run_trap_ignored(void)
{
	struct sigaction now;

	signal(SIGTRAP, SIG_IGN);
	raise(SIGTRAP);
	sigaction(SIGTRAP, NULL, &now);
	EXPECT(now.sa_handler == SIG_IGN);
	handle(SIGTRAP, on_trap, 0);
	raise(SIGTRAP);
	EXPECT(traps == 1);
	return 0;
}

static void trap_in_handler(int signal, siginfo_t *info, void *context)
{
	__asm__ volatile("int3");
}

/* The kernel kills who raises what it has blocked, handler or not. */
static KEPT int run_trap_in_handler(void)
{
	handle(SIGTRAP, trap_in_handler, 0);
	__asm__ volatile("int3");
	return 1;
}

static void on_user_signal(int signal, siginfo_t *info, void *context)
{
	raise(SIGTRAP);
}

/* A wait that blocks SIGTRAP, and a handler for which it is blocked. */
static KEPT int run_trap_suspended(void)
{
	struct sigaction action = { .sa_sigaction = on_user_signal, .sa_flags = SA_SIGINFO };
	sigset_t all, user, before;

	handle(SIGTRAP, on_trap, 0);
	sigaddset(&action.sa_mask, SIGTRAP);
	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&user);
	sigaddset(&user, SIGUSR1);
	sigprocmask(SIG_BLOCK, &user, &before);
	raise(SIGUSR1);
	sigfillset(&all);
	sigdelset(&all, SIGUSR1);
	sigsuspend(&all);
	EXPECT(traps == 1);
	raise(SIGTRAP);
	EXPECT(traps == 2);
	return 0;
}

/* ---- the trap flag ---------------------------------------------------------------------- */

static KEPT uint64_t read_flags(void)
{
	uint64_t flags;

	__asm__ volatile("sub $128, %%rsp\n\t"
			 "pushfq\n\t"
			 "pop %0\n\t"
			 "add $128, %%rsp"
			 : "=r"(flags));
	return flags;
}

static KEPT void write_flags(uint64_t flags)
{
	__asm__ volatile("sub $128, %%rsp\n\t"
			 "push %0\n\t"
			 "popfq\n\t"
			 "nop\n\t"
			 "add $128, %%rsp"
			 :
			 : "r"(flags)
			 : "memory", "cc");
}

static KEPT int run_flags(void)
{
	uint64_t r11;
	uint16_t word;

	EXPECT(!(read_flags() & TRAP_FLAG));
	write_flags(read_flags());
	EXPECT(!(read_flags() & TRAP_FLAG));
	__asm__ volatile("sub $128, %%rsp\n\t"
			 "pushfw\n\t"
			 "popw %0\n\t"
			 "add $128, %%rsp"
			 : "=r"(word));
	EXPECT(!(word & TRAP_FLAG));
	__asm__ volatile("syscall\n\t"
			 "mov %%r11, %0"
			 : "=r"(r11)
			 : "a"(SYS_getpid)
			 : "rcx", "r11", "memory");
	EXPECT(!(r11 & TRAP_FLAG));
	/* After popf, what a handler is told. */
	handle(SIGUSR1, on_trap, 0);
	write_flags(read_flags());
	raise(SIGUSR1);
	EXPECT(traps == 1 && !(trap_flags & TRAP_FLAG));
	return 0;
}

/* It steps itself: over three nops, a call of the system, pushf, pop and what it takes to stop. */
static KEPT int run_steps_itself(void)
{
	uint64_t flags;

	handle(SIGTRAP, on_trap, 0);
	__asm__ volatile("sub $128, %%rsp\n\t"
			 "pushfq\n\t"
			 "orq %2, (%%rsp)\n\t"
			 "popfq\n\t"
			 "nop\n\t"
			 "nop\n\t"
			 "syscall\n\t"
			 "nop\n\t"
			 "pushfq\n\t"
			 "pop %0\n\t"
			 "pushfq\n\t"
			 "andq %3, (%%rsp)\n\t"
			 "popfq\n\t"
			 "add $128, %%rsp"
			 : "=b"(flags)
			 : "a"(SYS_getpid), "i"(TRAP_FLAG), "i"(~TRAP_FLAG)
			 : "rcx", "r11", "memory", "cc");
	EXPECT(flags & TRAP_FLAG);
	EXPECT(trap_flags & TRAP_FLAG || trap_code == TRAP_TRACE);
	EXPECT(!(read_flags() & TRAP_FLAG));
	MARK(FRAME);
	return 100 + traps;
}

/* ---- two instructions in one step ------------------------------------------------------- */

static KEPT int run_mov_ss(void)
{
	__asm__ volatile("sub $128, %%rsp\n\t"
			 "and $-16, %%rsp\n\t"
			 "mov %%ss, %%eax\n\t"
			 "mov %%eax, %%ss\n\t"
			 "call *%%rbx\n\t"
			 "mov %%rbp, %%rsp\n\t"
			 "sub $256, %%rsp"
			 :
			 : "b"(mark_here)
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory");
	_exit(0);
}

/* time() of the vsyscall page, and a call right behind it. */
static KEPT int run_vsyscall(void)
{
	__asm__ volatile("and $-16, %%rsp\n\t"
			 "xor %%edi, %%edi\n\t"
			 "call *%0\n\t"
			 "call *%1"
			 :
			 : "r"(0xffffffffff600400), "b"(mark_here)
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory");
	_exit(0);
}

/* By boot parameter or configuration there may be none: vsyscall=none. */
static bool has_vsyscall(void)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char line[512];
	bool found = false;

	while (file && fgets(line, sizeof(line), file))
		found |= strstr(line, "[vsyscall]") != NULL;
	if (file)
		fclose(file);
	return found;
}

/* ---- code that changes ------------------------------------------------------------------ */

/* push rbp; mov rbp, rsp; two bytes; pop rbp; ret */
static const uint8_t patched_code[] = { 0x55, 0x48, 0x89, 0xe5, 0x90, 0x90, 0x5d, 0xc3 };
static const uint8_t patch_call[] = { 0xff, 0xd7 }; /* call rdi */
static const uint8_t patch_none[] = { 0x90, 0x90 };

#define PATCH_AT 4

/* No call, a call, no call again: as the bytes are written by whoever can. */
static KEPT int run_patched(void *code, bool (*patch)(void *code, const uint8_t *bytes))
{
	void (*run)(void (*)(void));

	memcpy(&run, &code, sizeof(run));
	for (int i = 0; i < 2; i++) {
		run(mark_here);
		EXPECT(patch(code, patch_call));
		run(mark_here);
		EXPECT(patch(code, patch_none));
	}
	run(mark_here);
	return 0;
}

static KEPT bool patch_through(const char *path, void *code, const uint8_t *bytes)
{
	int fd = open(path, O_RDWR);
	bool done = pwrite(fd, bytes, sizeof(patch_call), (uintptr_t)code + PATCH_AT) ==
		    sizeof(patch_call);

	close(fd);
	return done;
}

static KEPT bool patch_own_memory(void *code, const uint8_t *bytes)
{
	return patch_through("/proc/self/mem", code, bytes);
}

/* Nobody sees what that process does. */
static KEPT bool patch_by_another(void *code, const uint8_t *bytes)
{
	char path[64];
	int status = 1;
	pid_t pid;

	snprintf(path, sizeof(path), "/proc/%d/mem", getpid());
	pid = fork();
	if (pid == 0)
		_exit(!patch_through(path, code, bytes));
	waitpid(pid, &status, 0);
	return status == 0;
}

static int code_fd;
static uint8_t *code_writable;

static KEPT bool patch_file(void *code, const uint8_t *bytes)
{
	return pwrite(code_fd, bytes, sizeof(patch_call), PATCH_AT) == sizeof(patch_call);
}

/* No system call at all. */
static KEPT bool patch_second_mapping(void *code, const uint8_t *bytes)
{
	memcpy(code_writable + PATCH_AT, bytes, sizeof(patch_call));
	return true;
}

static KEPT bool patch_unprotected(void *code, const uint8_t *bytes)
{
	if (mprotect(code, 4096, PROT_READ | PROT_WRITE))
		return false;
	memcpy((uint8_t *)code + PATCH_AT, bytes, sizeof(patch_call));
	return !mprotect(code, 4096, PROT_READ | PROT_EXEC);
}

/* Code in a file, mapped privately, and shared and writable a second time. */
static KEPT void *map_code(int flags)
{
	code_fd = memfd_create("code", 0);
	if (code_fd < 0 || ftruncate(code_fd, 4096) ||
	    pwrite(code_fd, patched_code, sizeof(patched_code), 0) != sizeof(patched_code))
		return NULL;
	code_writable = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, code_fd, 0);
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, flags, code_fd, 0);
}

static KEPT int run_patched_own_memory(void)
{
	return run_patched(map_code(MAP_PRIVATE), patch_own_memory);
}

static KEPT int run_patched_by_another(void)
{
	return run_patched(map_code(MAP_PRIVATE), patch_by_another);
}

static KEPT int run_patched_file(void)
{
	return run_patched(map_code(MAP_PRIVATE), patch_file);
}

static KEPT int run_patched_second_mapping(void)
{
	return run_patched(map_code(MAP_PRIVATE), patch_second_mapping);
}

static KEPT int run_patched_shared_mapping(void)
{
	return run_patched(map_code(MAP_SHARED), patch_second_mapping);
}

static KEPT int run_patched_unprotected(void)
{
	return run_patched(map_code(MAP_PRIVATE), patch_unprotected);
}

/* ---- who looks for a tracer; who is in a hurry ------------------------------------------- */

static KEPT int run_traceme(void)
{
	EXPECT(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0);
	EXPECT(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == -1);
	MARK(FRAME);
	return 0;
}

static volatile int ticks;

static void on_tick(int signal)
{
	for (int i = 0; i < 100; i++)
		__asm__ volatile("" : : : "memory");
	ticks++;
}

#define HURRY_MAIN 2000

/* A handler of hundreds of instructions every millisecond; the program makes no system call. */
static KEPT int run_timer(void)
{
	struct itimerval every_ms = { { 0, 1000 }, { 0, 1000 } };

	signal(SIGALRM, on_tick);
	setitimer(ITIMER_REAL, &every_ms, NULL);
	for (int i = 0; i < HURRY_MAIN; i++)
		__asm__ volatile("" : : : "memory");
	while (!ticks)
		__asm__ volatile("" : : : "memory");
	memset(&every_ms, 0, sizeof(every_ms));
	setitimer(ITIMER_REAL, &every_ms, NULL);
	MARK(FRAME);
	return 0;
}

/* Why a tracee can't run on this machine. NULL: it can. */
static const char *not_here(int (*run)(void))
{
	if (run == run_vsyscall && !has_vsyscall())
		return "this kernel has no vsyscall page";
	if (run == run_int1 && !int1_is_passed())
		return "int1 is never passed on this machine, natively too";
	return NULL;
}

#pragma GCC pop_options

#endif
