/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracees.h - small programs that know their own stack, for test_tracer.c
 *
 * The test runs itself under the tracer with the name of one of these. At chosen places a tracee
 * calls marker() with the return addresses that it believes in: it follows its own frame pointers
 * (everything here is compiled with them) and adds what a frame pointer can't say: an interrupted
 * PC, known from the handler's ucontext. The test compares that with the truth at marker's first
 * instruction.
 */
#ifndef STACKPROOF_TRACEES_H
#define STACKPROOF_TRACEES_H

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#pragma GCC push_options
#pragma GCC optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")

#define CLAIM_MAX 600
#define KEPT	  __attribute__((noinline, noipa))

/* What a tracee says of its stack: return addresses, innermost first; marker's own is left out. */
struct claim {
	uint64_t count;
	uint64_t pc[CLAIM_MAX];
	uint64_t bottom; /* enum claim_bottom */
};

enum claim_bottom {
	CLAIM_OPEN,   /* more may be below */
	CLAIM_BOTTOM, /* the last one returns into what called the thread's first function */
	CLAIM_PREFIX, /* the truth can't know what is below, and says so */
};

/* One per thread: the frame of its first function, its claim, what it jumps to. */
struct tracee {
	uint64_t *outermost;
	struct claim claim;
	sigjmp_buf jump;
	ucontext_t main_context;
	ucontext_t other_context;
};

/* Handlers get no argument, and tracees run in a process of their own. */
static __thread struct tracee *self;

/* Where the test looks. claim is in rdi at its first instruction. */
static KEPT void marker(const struct claim *claim)
{
	__asm__ volatile("" : : "r"(claim) : "memory");
}

static inline void add_frames(struct claim *claim, uint64_t *frame, const uint64_t *outermost)
{
	while (claim->count < CLAIM_MAX) {
		claim->pc[claim->count++] = frame[1];
		if (frame == outermost)
			break;
		frame = (uint64_t *)frame[0];
	}
}

/* Claims the frames from first_frame on, which is the calling function's. */
#define MARK(first_frame)                                                                          \
	do {                                                                                       \
		self->claim.count = 0;                                                             \
		self->claim.bottom = CLAIM_BOTTOM;                                                 \
		add_frames(&self->claim, (first_frame), self->outermost);                          \
		marker(&self->claim);                                                              \
		__asm__ volatile("" : : : "memory");                                               \
	} while (0)

#define FRAME ((uint64_t *)__builtin_frame_address(0))

/* ---- calls ------------------------------------------------------------------------------ */

static KEPT int recurse(int depth)
{
	if (depth == 0) {
		MARK(FRAME);
		return 0;
	}
	return recurse(depth - 1) + depth;
}

static KEPT int run_recursion(void)
{
	recurse(0);
	recurse(1);
	recurse(500);
	return 11;
}

/* call; pop, ret n, and push; ret, which is a jump: all must leave the truth as it was. */
static KEPT int run_odd_returns(void)
{
	__asm__ volatile("sub $128, %%rsp\n\t"
			 "call 1f\n"
			 "1:\tpop %%rax\n\t"
			 "push $7\n\t"
			 "push $8\n\t"
			 "call 2f\n\t"
			 "jmp 3f\n"
			 "2:\tret $16\n"
			 "3:\tlea 4f(%%rip), %%rax\n\t"
			 "push %%rax\n\t"
			 "ret\n"
			 "4:\tadd $128, %%rsp"
			 :
			 :
			 : "rax", "memory");
	MARK(FRAME);
	return 0;
}

static KEPT void jump_from(int depth)
{
	if (depth == 0)
		siglongjmp(self->jump, 1);
	jump_from(depth - 1);
	__asm__ volatile("" : : : "memory");
}

static KEPT int run_longjmp(void)
{
	if (!sigsetjmp(self->jump, 1))
		jump_from(20);
	MARK(FRAME);
	recurse(3);
	return 0;
}

/* ---- signals ---------------------------------------------------------------------------- */

/* A handler's frames, the restorer's being the handler's return address; then the interrupted PC.
 */
static KEPT void claim_handler(uint64_t *handler_frame, const ucontext_t *context)
{
	struct claim *claim = &self->claim;
	uint64_t *interrupted_frame = (uint64_t *)context->uc_mcontext.gregs[REG_RBP];

	claim->count = 0;
	claim->bottom = CLAIM_BOTTOM;
	claim->pc[claim->count++] = FRAME[1];
	claim->pc[claim->count++] = handler_frame[1];
	claim->pc[claim->count++] = context->uc_mcontext.gregs[REG_RIP];
	add_frames(claim, interrupted_frame, self->outermost);
	marker(claim);
	__asm__ volatile("" : : : "memory");
}

static KEPT void on_signal(int signal, siginfo_t *info, void *context)
{
	claim_handler(FRAME, context);
}

static KEPT void on_signal_jump(int signal, siginfo_t *info, void *context)
{
	claim_handler(FRAME, context);
	siglongjmp(self->jump, 1);
}

/* The system call is in the caller's own code, so that its frame is the interrupted one. */
#define RAISE(number)                                                                              \
	do {                                                                                       \
		long result;                                                                       \
		__asm__ volatile("syscall"                                                         \
				 : "=a"(result)                                                    \
				 : "a"(SYS_tgkill), "D"(getpid()), "S"(gettid()), "d"(number)      \
				 : "rcx", "r11", "memory");                                        \
	} while (0)

/* Raises another signal, whose handler claims its own and this one's interrupted function. */
static KEPT void on_signal_nested(int signal, siginfo_t *info, void *context)
{
	RAISE(SIGUSR2);
	claim_handler(FRAME, context);
}

static void handle(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	sigaction(signal, &action, NULL);
}

static KEPT int raise_at(int depth)
{
	if (depth == 0) {
		RAISE(SIGUSR1);
		MARK(FRAME);
		return 0;
	}
	return raise_at(depth - 1) + depth;
}

static KEPT int run_signal(void)
{
	handle(SIGUSR1, on_signal, 0);
	raise_at(5);
	return 0;
}

/* SIGUSR2's handler can only follow frame pointers to SIGUSR1's: its own claim ends there. */
static KEPT void on_inner_signal(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	struct claim *claim = &self->claim;

	claim->count = 0;
	claim->bottom = CLAIM_OPEN;
	claim->pc[claim->count++] = FRAME[1];
	claim->pc[claim->count++] = interrupted->uc_mcontext.gregs[REG_RIP];
	claim->pc[claim->count++] = ((uint64_t *)interrupted->uc_mcontext.gregs[REG_RBP])[1];
	marker(claim);
	__asm__ volatile("" : : : "memory");
}

static KEPT int run_nested_signals(void)
{
	handle(SIGUSR1, on_signal_nested, 0);
	handle(SIGUSR2, on_inner_signal, 0);
	raise_at(5);
	return 0;
}

#define SIGNAL_STACK_BYTES 32768

static KEPT int raise_on(void *signal_stack, void (*handler)(int, siginfo_t *, void *))
{
	stack_t alternate = { .ss_sp = signal_stack, .ss_size = SIGNAL_STACK_BYTES };

	sigaltstack(&alternate, NULL);
	handle(SIGUSR1, handler, SA_ONSTACK);
	if (!sigsetjmp(self->jump, 1))
		raise_at(5);
	MARK(FRAME);
	recurse(2);
	return 0;
}

static KEPT int run_signal_stack_below(void)
{
	return raise_on(malloc(SIGNAL_STACK_BYTES), on_signal);
}

/* In a frame that is above those it interrupts. */
static KEPT int run_signal_stack_above(void)
{
	char stack[SIGNAL_STACK_BYTES];

	return raise_on(stack, on_signal);
}

static KEPT int run_jump_off_signal_stack_below(void)
{
	return raise_on(malloc(SIGNAL_STACK_BYTES), on_signal_jump);
}

static KEPT int run_jump_off_signal_stack_above(void)
{
	char stack[SIGNAL_STACK_BYTES];

	return raise_on(stack, on_signal_jump);
}

__attribute__((no_sanitize("undefined"))) static KEPT int fault_at(int depth)
{
	int *volatile nowhere = NULL;

	if (depth == 0)
		return *nowhere;
	return fault_at(depth - 1) + depth;
}

static KEPT int run_fault(void)
{
	handle(SIGSEGV, on_signal_jump, 0);
	if (!sigsetjmp(self->jump, 1))
		fault_at(4);
	MARK(FRAME);
	return 0;
}

/* An interrupted pause(2): the signal comes from outside, inside libc. */
static KEPT void on_alarm(int signal)
{
	self->claim.count = 0;
	self->claim.bottom = CLAIM_OPEN;
	self->claim.pc[self->claim.count++] = FRAME[1];
	marker(&self->claim);
	__asm__ volatile("" : : : "memory");
}

static KEPT int run_alarm(void)
{
	signal(SIGALRM, on_alarm);
	alarm(1);
	pause();
	MARK(FRAME);
	return 0;
}

static KEPT int run_own_sigtrap(void)
{
	handle(SIGTRAP, on_signal, 0);
	__asm__ volatile("int3");
	MARK(FRAME);
	return 0;
}

/* ---- threads, other stacks, code that changes --------------------------------------------- */

static KEPT void *thread_main(void *argument)
{
	struct tracee *tracee = calloc(1, sizeof(*tracee));

	self = tracee;
	self->outermost = FRAME;
	recurse((int)(intptr_t)argument);
	free(tracee);
	return NULL;
}

#define THREADS 4

static KEPT int run_threads(void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, thread_main, (void *)(intptr_t)(i * 5));
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	MARK(FRAME);
	return 0;
}

#define COROUTINE_STACK_BYTES 262144

static KEPT void mark_in_coroutine(void)
{
	self->claim.count = 0;
	self->claim.bottom = CLAIM_PREFIX;
	add_frames(&self->claim, FRAME, FRAME);
	marker(&self->claim);
	__asm__ volatile("" : : : "memory");
}

/* Nobody called it: its own return address was planted by makecontext and is not of the truth. */
static KEPT void coroutine(void)
{
	for (int i = 0; i < 2; i++) {
		mark_in_coroutine();
		swapcontext(&self->other_context, &self->main_context);
	}
}

static KEPT int run_coroutine(void)
{
	void *stack = mmap(NULL, COROUTINE_STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* Unlike its neighbours, so that it stays a mapping of its own. */
	mprotect((char *)stack + COROUTINE_STACK_BYTES - 4096, 4096, PROT_NONE);
	getcontext(&self->other_context);
	self->other_context.uc_stack.ss_sp = stack;
	self->other_context.uc_stack.ss_size = COROUTINE_STACK_BYTES - 4096;
	self->other_context.uc_link = &self->main_context;
	makecontext(&self->other_context, coroutine, 0);
	for (int i = 0; i < 3; i++) {
		swapcontext(&self->main_context, &self->other_context);
		MARK(FRAME);
	}
	return 0;
}

/* (stack, function): calls the function on that stack, as __morestack and runtimes with a stack
 * for C do. */
int call_on_stack(void *stack, int (*function)(int));

__asm__(".text\n"
	".type call_on_stack, @function\n"
	"call_on_stack:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	mov %rdi, %rsp\n"
	"	mov $2, %edi\n"
	"	call *%rsi\n"
	"	leave\n"
	"	ret\n"
	".size call_on_stack, . - call_on_stack\n");

static KEPT int on_other_stack(int depth)
{
	MARK(FRAME);
	if (depth > 1)
		on_other_stack(depth - 1);
	MARK(FRAME);
	return depth;
}

/* The second time on the same stack again. */
static KEPT int run_continued(void)
{
	char *stack = mmap(NULL, COROUTINE_STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int sum = 0;

	mprotect(stack + COROUTINE_STACK_BYTES - 4096, 4096, PROT_NONE);
	for (int i = 0; i < 2; i++) {
		sum += call_on_stack(stack + COROUTINE_STACK_BYTES - 4096, on_other_stack);
		MARK(FRAME);
	}
	return sum != 4;
}

static KEPT void mark_here(void)
{
	MARK(FRAME);
}

/* The same bytes of a writable and executable page: first no call, then one. No system call
 * between. */
static KEPT int run_rewritten_code(void)
{
	static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0x90, 0x90, 0x5d, 0xc3 };
	static const uint8_t call_rdi[] = { 0xff, 0xd7 };
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*run)(void (*)(void));

	memcpy(page, code, sizeof(code));
	memcpy(&run, &page, sizeof(run));
	run(mark_here);
	memcpy(page + 4, call_rdi, sizeof(call_rdi));
	run(mark_here);
	return 0;
}

/* ---- processes -------------------------------------------------------------------------- */

static KEPT int run_fork(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", "exit 5", NULL);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	MARK(FRAME);
	return WEXITSTATUS(status);
}

static KEPT int run_exec(void)
{
	MARK(FRAME);
	execl("/proc/self/exe", "self", "--tracee", "recursion", NULL);
	return 1;
}

static void *thread_exec(void *argument)
{
	execl("/proc/self/exe", "self", "--tracee", "recursion", NULL);
	return NULL;
}

static KEPT int run_thread_exec(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, thread_exec, NULL);
	pthread_join(thread, NULL);
	return 1;
}

/* All that the process is asked for is asked once its first thread has ended. */
static KEPT void *outlive(void *argument)
{
	pthread_t *first = argument, later;

	self = calloc(1, sizeof(*self));
	self->outermost = FRAME;
	pthread_join(*first, NULL);
	recurse(3);
	run_rewritten_code();
	pthread_create(&later, NULL, thread_main, (void *)5);
	pthread_join(later, NULL);
	run_fork();
	exit(7);
}

static KEPT void *outlive_and_exec(void *argument)
{
	pthread_t *first = argument;

	pthread_join(*first, NULL);
	/* /proc/self is the first thread's. */
	execl("/proc/thread-self/exe", "self", "--tracee", "recursion", NULL);
	return NULL;
}

static KEPT int leave_to(void *(*other)(void *))
{
	static pthread_t first;
	pthread_t thread;

	first = pthread_self();
	pthread_create(&thread, NULL, other, &first);
	pthread_exit(NULL);
}

static KEPT int run_leader_gone(void)
{
	return leave_to(outlive);
}

static KEPT int run_leader_gone_exec(void)
{
	return leave_to(outlive_and_exec);
}

static KEPT int run_kill(void)
{
	kill(getpid(), SIGTERM);
	return 0;
}

static KEPT int run_abort(void)
{
	abort();
}

static KEPT int run_forever(void)
{
	for (;;)
		__asm__ volatile("" : : : "memory");
	return 0;
}

static void *block(void *argument)
{
	pause();
	return NULL;
}

/* Two threads that never end, blocked: the time-out must reach these too. */
static KEPT int run_blocked(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, block, NULL);
	pthread_join(thread, NULL);
	return 0;
}

#pragma GCC pop_options

#endif
