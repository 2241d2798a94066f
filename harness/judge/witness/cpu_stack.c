/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cpu_stack.c - the CPU's own shadow stack (CET) against ours
 *
 * With user shadow stacks (Intel SDM volume 1, chapter 17; Linux 6.6 on x86-64) each call pushes
 * its return address a second time, on a stack that only calls and returns change; SSP points to
 * the innermost. ptrace gives SSP as the register set NT_X86_SHSTK, and the words are memory like
 * any other.
 *
 * A handler is entered with two words more (arch/x86/kernel/shstk.c, setup_signal_shadow_stack):
 * SSP as it was interrupted with bit 63 set, and above it the restorer's address. An alternate
 * signal stack changes nothing: it's one shadow stack for all of a thread.
 */
#include <sys/syscall.h>
#include <unistd.h>
#include "base/child/child.h"
#include "witness.h"

#define ARCH_SHSTK_ENABLE 0x5001 /* arch/x86/include/uapi/asm/prctl.h */
#define ARCH_SHSTK_SHSTK  1
#define TOKEN_BIT	  (1ULL << 63)
#define WORD_BYTES	  8

/* Asks for a shadow stack and ends: it is empty, so this can't return, or call what returns. */
static void __attribute__((noreturn)) try_shadow_stack(void)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_arch_prctl), "D"(ARCH_SHSTK_ENABLE), "S"(ARCH_SHSTK_SHSTK)
			 : "rcx", "r11", "memory");
	for (;;)
		__asm__ volatile("syscall"
				 :
				 : "a"(SYS_exit_group), "D"(result != 0)
				 : "rcx", "r11", "memory");
}

bool witness_cpu_available(void)
{
	pid_t pid = child_fork();

	if (pid == 0)
		try_shadow_stack();
	return pid > 0 && child_end(pid, false) == 0;
}

void witness_cpu_compare(const struct shadow_stack *truth, size_t first, uint64_t ssp,
			 const uint64_t *word, size_t count, struct witness_difference *ret)
{
	size_t at = 0, i = truth->count;

	*ret = (struct witness_difference) { .kind = WITNESS_AGREES };
	for (; i > first && at < count; i--, at++) {
		const struct shadow_frame *frame = &truth->frame[i - 1];
		uint64_t address = ssp + at * WORD_BYTES, said = frame->return_address;

		if (frame->interrupted)
			said = (address + WORD_BYTES) | TOKEN_BIT;
		if (word[at] == said)
			continue;
		*ret = (struct witness_difference) {
			.kind = WITNESS_WORD,
			.frame = i - 1,
			.slot = address,
			.truth = said,
			.said = word[at],
		};
		return;
	}
	if (i > first || at < count)
		*ret = (struct witness_difference) {
			.kind = WITNESS_DEPTH,
			.frame = i > first ? i - 1 : truth->count,
			.slot = ssp + at * WORD_BYTES,
			.truth = truth->count > first ? truth->count - first : 0,
			.said = count,
		};
}
