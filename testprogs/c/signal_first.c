/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * signal_first.c - a signal at a function's first instruction
 *
 * Rule: below a signal frame the PC is where the thread was, not a return address, so it is looked
 * up as it is. A walker that subtracts one from every PC but the first finds the function before
 * (here `neighbour`, whose CFI says something else) and goes astray. The function begins with a
 * load from a page that can't be read (SIGSEGV); the handler opens the page, and the load runs
 * again. So the interrupted PC is the same all the time that the handler runs.
 */
#include <signal.h>
#include <sys/mman.h>
#include "testprog.h"

#define PAGE_BYTES 4096

int faults_first(int depth, const int *from);

/* neighbour ends where faults_first begins, with a CFA that is wrong for it. */
__asm__(".text\n"
	".type neighbour, @function\n"
	"neighbour:\n"
	".cfi_startproc\n"
	"	sub	$72, %rsp\n"
	".cfi_adjust_cfa_offset 72\n"
	"	ud2\n"
	".cfi_endproc\n"
	".size neighbour, . - neighbour\n"
	".type faults_first, @function\n"
	"faults_first:\n"
	".cfi_startproc\n"
	"	mov	(%rsi), %eax\n"
	"	lea	1(%rdi,%rax), %eax\n"
	"	ret\n"
	".cfi_endproc\n"
	".size faults_first, . - faults_first\n");

static char page[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));
static volatile sig_atomic_t calls;

static FRAME int in_handler(int depth)
{
	KEEP(depth);
	return depth + 1;
}

static void on_segv(int signal)
{
	int depth = in_handler(1);

	KEEP(depth);
	calls += depth == 2;
	mprotect(page, sizeof(page), PROT_READ);
}

static FRAME int caller(int depth)
{
	depth = faults_first(depth + 1, (const int *)page);
	KEEP(depth);
	return depth;
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_segv };

	if (sigaction(SIGSEGV, &action, 0) || mprotect(page, sizeof(page), PROT_NONE))
		return 1;

	int depth = caller(1);

	KEEP(depth);
	return depth != 3 || calls != 1;
}
