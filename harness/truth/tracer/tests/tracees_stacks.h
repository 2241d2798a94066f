/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracees_stacks.h - small programs with several stacks in one mapping, for test_tracer.c
 *
 * As those of tracees.h. What a coroutine claims is its own part of the stack, and that there is
 * nothing below it (CLAIM_PREFIX): what called it was planted there, and is not of the truth.
 */
#ifndef STACKPROOF_TRACEES_STACKS_H
#define STACKPROOF_TRACEES_STACKS_H

#include "tracees.h"

#pragma GCC push_options
#pragma GCC optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")

#define SHARED_STACKS	   3
#define SHARED_STACK_BYTES 65536
#define SHARED_ROUNDS	   3

/* Not of a thread: coroutines go from one to the other. */
static struct {
	ucontext_t context[SHARED_STACKS + 1]; /* the last one is the thread's */
	struct claim claim;
	char *stack;
} shared;

static KEPT void mark_shared(const uint64_t *outermost)
{
	shared.claim.count = 0;
	shared.claim.bottom = CLAIM_PREFIX;
	add_frames(&shared.claim, FRAME, outermost);
	marker(&shared.claim);
	__asm__ volatile("" : : : "memory");
}

static KEPT void pass_on(int own, int next, const uint64_t *outermost)
{
	mark_shared(outermost);
	swapcontext(&shared.context[own], &shared.context[next]);
	mark_shared(outermost);
}

/* Deeper from round to round, so that a coroutine is never left where it was before. */
static KEPT void pass_from_depth(int own, int next, int depth, const uint64_t *outermost)
{
	if (depth > 0)
		pass_from_depth(own, next, depth - 1, outermost);
	else
		pass_on(own, next, outermost);
	__asm__ volatile("" : : : "memory");
}

static KEPT void shared_round(int own, int next, int depth)
{
	pass_from_depth(own, next, depth, FRAME);
}

/* Up, down by two and down by one: 0, 2, 1, 0 ... The last time, to the thread. */
static void shared_coroutine(int own)
{
	for (int round = 0; round < SHARED_ROUNDS; round++)
		shared_round(own, round + 1 < SHARED_ROUNDS ? (own + 2) % 3 : SHARED_STACKS,
			     round * 3 + own);
}

static void make_shared(void)
{
	shared.stack = mmap(NULL, SHARED_STACKS * SHARED_STACK_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < SHARED_STACKS; i++) {
		ucontext_t *context = &shared.context[i];

		getcontext(context);
		context->uc_stack.ss_sp = shared.stack + i * SHARED_STACK_BYTES;
		context->uc_stack.ss_size = SHARED_STACK_BYTES;
		context->uc_link = &shared.context[SHARED_STACKS];
		makecontext(context, (void (*)(void))shared_coroutine, 1, i);
	}
}

static KEPT int run_shared_mapping(void)
{
	make_shared();
	for (int i = 0; i < SHARED_STACKS; i++) {
		swapcontext(&shared.context[SHARED_STACKS], &shared.context[i]);
		MARK(FRAME);
	}
	return 0;
}

/* ---- a coroutine that another thread goes on with ----------------------------------------- */

static KEPT void *go_on(void *argument)
{
	struct tracee *tracee = calloc(1, sizeof(*tracee));

	self = tracee;
	self->outermost = FRAME;
	swapcontext(&shared.context[SHARED_STACKS], &shared.context[0]);
	MARK(FRAME);
	free(tracee);
	return argument;
}

static void migrating_coroutine(int own)
{
	for (int round = 0; round < SHARED_ROUNDS; round++)
		shared_round(own, SHARED_STACKS, round);
}

/* Begun here, it goes on in one thread and then in another. */
static KEPT int run_migrated(void)
{
	pthread_t thread;

	make_shared();
	makecontext(&shared.context[0], (void (*)(void))migrating_coroutine, 1, 0);
	swapcontext(&shared.context[SHARED_STACKS], &shared.context[0]);
	MARK(FRAME);
	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, go_on, NULL);
		pthread_join(thread, NULL);
	}
	MARK(FRAME);
	return 0;
}

/* ---- memory that is used again ------------------------------------------------------------ */

#define ABANDONED_DEPTH 40
/* Of the first one's frames, so much is not touched by the second: makecontext's two words miss
 * their slots. */
#define STILL_THERE 1040

static KEPT void leave_for_good(int own, int depth, const uint64_t *outermost)
{
	if (depth > 0)
		leave_for_good(own, depth - 1, outermost);
	mark_shared(outermost);
	swapcontext(&shared.context[own], &shared.context[SHARED_STACKS]);
}

static KEPT void leave_from_depth(int own)
{
	leave_for_good(own, ABANDONED_DEPTH, FRAME);
}

static void abandoned_coroutine(int own)
{
	leave_from_depth(own);
}

/* A coroutine is given up, and another begins in the middle of what it left. */
static KEPT int run_stack_used_again(void)
{
	make_shared();
	shared.context[1].uc_stack = shared.context[0].uc_stack;
	shared.context[1].uc_stack.ss_size -= STILL_THERE;
	for (int i = 0; i < 2; i++) {
		makecontext(&shared.context[i], (void (*)(void))abandoned_coroutine, 1, i);
		swapcontext(&shared.context[SHARED_STACKS], &shared.context[i]);
		MARK(FRAME);
	}
	return 0;
}

/* ---- a switch that loads rsp from a register ------------------------------------------------ */

/* (where to save rsp, rsp to go to): the callee-saved registers go along. */
void switch_by_register(uint64_t *save, uint64_t rsp);

__asm__(".text\n"
	".type switch_by_register, @function\n"
	"switch_by_register:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size switch_by_register, . - switch_by_register\n");

static uint64_t saved_rsp[SHARED_STACKS + 1];

static KEPT void pass_by_register(int own, int next, const uint64_t *outermost)
{
	mark_shared(outermost);
	switch_by_register(&saved_rsp[own], saved_rsp[next]);
	mark_shared(outermost);
}

static KEPT void register_round(int own, int next)
{
	pass_by_register(own, next, FRAME);
}

/* From the thread to the lowest, up, up, and down again. */
static void lowest(void)
{
	register_round(0, 1);
	register_round(0, SHARED_STACKS);
}

static void middle(void)
{
	register_round(1, 2);
	register_round(1, 0);
}

static void highest(void)
{
	register_round(2, 1);
	abort();
}

static KEPT int run_switch_by_register(void)
{
	void (*const entry[])(void) = { lowest, middle, highest };

	make_shared();
	for (int i = 0; i < SHARED_STACKS; i++) {
		uint64_t *top = (uint64_t *)(shared.stack + (i + 1) * SHARED_STACK_BYTES) - 8;

		memcpy(&top[6], &entry[i], sizeof(entry[i]));
		saved_rsp[i] = (uint64_t)(uintptr_t)top;
	}
	switch_by_register(&saved_rsp[SHARED_STACKS], saved_rsp[0]);
	MARK(FRAME);
	return 0;
}

/* ---- what sets rsp and is no switch ---------------------------------------------------------- */

/* (function): calls it with rsp set far down and back up, by registers and from memory. */
void call_with_rsp_set(void (*function)(void));

__asm__(".text\n"
	".type call_with_rsp_set, @function\n"
	"call_with_rsp_set:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	push %rbx\n"
	"	push %rdi\n"
	"	mov %rsp, %rbx\n"
	"	lea -8192(%rbx), %rax\n"
	"	mov %rax, %rsp\n" /* an array of variable length */
	"	push %rbx\n"
	"	push %rbx\n"
	"	call *%rdi\n"
	"	mov 8(%rsp), %rsp\n" /* the array is gone */
	"	mov (%rsp), %rdi\n"
	"	lea -4096(%rsp), %rax\n"
	"	xchg %rax, %rsp\n"
	"	push %rax\n"
	"	push %rax\n"
	"	call *%rdi\n"
	"	pop %rax\n"
	"	pop %rsp\n"
	"	mov (%rsp), %rdi\n"
	"	mov %rbx, %rsp\n"
	"	call *%rdi\n"
	"	mov -8(%rbp), %rbx\n"
	"	leave\n"
	"	ret\n"
	".size call_with_rsp_set, . - call_with_rsp_set\n");

static KEPT void mark_nested(void)
{
	MARK(FRAME);
}

static KEPT void *set_rsp(void *argument)
{
	struct tracee *tracee = calloc(1, sizeof(*tracee));

	self = tracee;
	self->outermost = FRAME;
	call_with_rsp_set(mark_nested);
	MARK(FRAME);
	free(tracee);
	return argument;
}

/* On the first thread's stack, and on one that malloc's neighbours may share a mapping with. */
static KEPT int run_rsp_is_set(void)
{
	pthread_t thread;

	call_with_rsp_set(mark_nested);
	pthread_create(&thread, NULL, set_rsp, NULL);
	pthread_join(thread, NULL);
	MARK(FRAME);
	return 0;
}

/* ---- a handler that lets the interrupted code call something -------------------------------- */

/* Raises SIGUSR1 with a frame of its own and nothing below rsp; the handler goes to
 * call_planted. */
void raise_here(pid_t pid);
void call_planted(void);

__asm__(".text\n"
	".type raise_here, @function\n"
	"raise_here:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	mov $62, %eax\n" /* kill */
	"	mov $10, %esi\n"
	"	syscall\n"
	"	nop\n"
	"	leave\n"
	"	ret\n"
	".size raise_here, . - raise_here\n"
	".type call_planted, @function\n"
	"call_planted:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	and $-16, %rsp\n"
	"	call mark_planted\n"
	"	leave\n"
	"	ret\n"
	".size call_planted, . - call_planted\n");

void mark_planted(void);

__attribute__((used)) KEPT void mark_planted(void)
{
	MARK(FRAME);
}

static void plant_call(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	void (*const planted)(void) = call_planted;

	registers[REG_RSP] -= sizeof(uint64_t);
	memcpy((void *)(uintptr_t)registers[REG_RSP], &registers[REG_RIP], sizeof(uint64_t));
	memcpy(&registers[REG_RIP], &planted, sizeof(planted));
}

static KEPT int run_planted_call(void)
{
	struct sigaction action = { .sa_sigaction = plant_call, .sa_flags = SA_SIGINFO };

	sigaction(SIGUSR1, &action, NULL);
	raise_here(getpid());
	MARK(FRAME);
	return 0;
}

#pragma GCC pop_options

#endif
