/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libgcc_memory.c - the other process's memory, page by page when it is touched
 *
 * libgcc reads a word of the stack; nothing is mapped there; the fault's handler asks for the page,
 * maps it, and libgcc reads on. Of a deep stack pages are touched one behind the other, so each
 * time more of them are asked for at once. Where the other process has nothing either, the walk
 * ends: in that process libgcc would have crashed.
 */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include "libgcc_inside.h"

#define COPIES	    8192u
#define PAGES_AHEAD 16u /* as many as a read may have */
#define STACK_BYTES 65536u
#define NO_STOP	    0 /* of no word: the walk goes on */

static struct {
	const struct stackproof_engine_point *point;
	struct {
		uint64_t address, bytes;
	} copy[COPIES];
	size_t copies;
	uint64_t next;	/* behind what was copied last */
	uint64_t ahead; /* pages that were copied then */
} memory;

bool libgcc_memory_map(uint64_t address, uint64_t bytes, int fd, uint64_t offset)
{
	int flags = MAP_PRIVATE | MAP_FIXED_NOREPLACE | (fd < 0 ? MAP_ANONYMOUS : 0);
	void *mapped;

	if (is_home(address) || is_home(address + bytes - 1) ||
	    (address < HOME_START && address + bytes > HOME_END)) {
		errno = EEXIST;
		return false;
	}
	mapped = mmap((void *)address, bytes, PROT_READ | (fd < 0 ? PROT_WRITE : 0), flags, fd,
		      (off_t)offset);
	if (mapped == (void *)address)
		return true;
	if (mapped != MAP_FAILED) { /* Linux before 4.17 takes the address for a wish */
		munmap(mapped, bytes);
		errno = EEXIST;
	}
	return false;
}

static bool copy_pages(uint64_t address, uint64_t pages)
{
	const struct stackproof_engine_point *point = memory.point;
	uint64_t bytes = pages * PAGE_BYTES;

	if (!libgcc_memory_map(address, bytes, -1, 0))
		return false;
	if (point->read(point->read_context, address, (void *)address, bytes)) {
		munmap((void *)address, bytes);
		return false;
	}
	memory.copy[memory.copies].address = address;
	memory.copy[memory.copies++].bytes = bytes;
	memory.next = address + bytes;
	memory.ahead = pages;
	return true;
}

static uint32_t copy_page(uint64_t address)
{
	uint64_t more = address == memory.next ? memory.ahead * 2 : 1;

	if (is_home(address))
		return STACKPROOF_ENGINE_UNSUPPORTED;
	if (memory.copies == COPIES)
		return STACKPROOF_ENGINE_DEPTH;
	more = more < PAGES_AHEAD ? more : PAGES_AHEAD;
	if ((more > 1 && copy_pages(address, more)) || copy_pages(address, 1))
		return NO_STOP;
	return STACKPROOF_ENGINE_READ_FAULT;
}

/* libgcc has touched what is not here (yet), or has done what no process survives. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	uint32_t stop = STACKPROOF_ENGINE_READ_FAULT;

	if (!libgcc_is_tried()) {
		signal(number, SIG_DFL);
		return;
	}
	if (number == SIGFPE)
		stop = STACKPROOF_ENGINE_FOREIGN;
	else if (number == SIGSEGV && info->si_code == SEGV_MAPERR)
		stop = copy_page((uint64_t)info->si_addr & ~(uint64_t)(PAGE_BYTES - 1));
	if (stop != NO_STOP)
		libgcc_end(stop);
}

void libgcc_memory_begin(const struct stackproof_engine_point *point)
{
	static char fault_stack[STACK_BYTES];
	static const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE };
	stack_t stack = { .ss_sp = fault_stack, .ss_size = sizeof(fault_stack) };
	struct sigaction action = { .sa_sigaction = on_fault,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

	if (!memory.point) {
		sigaltstack(&stack, NULL);
		for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
			sigaction(numbers[i], &action, NULL);
	}
	memory.point = point;
	memory.next = 1; /* no page's */
}

void libgcc_memory_forget(void)
{
	for (size_t i = 0; i < memory.copies; i++)
		munmap((void *)memory.copy[i].address, memory.copy[i].bytes);
	memory.copies = 0;
}
