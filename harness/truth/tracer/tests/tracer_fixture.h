/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracer_fixture.h - a tracer of nothing: what it would ask of the kernel is written down
 *
 * The tracee's memory is a file. The tracer's files that ask ptrace are included, with another
 * function of that name.
 */
#ifndef STACKPROOF_TESTS_TRACER_FIXTURE_H
#define STACKPROOF_TESTS_TRACER_FIXTURE_H

#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>

static long say_ptrace(enum __ptrace_request request, ...);
#define ptrace say_ptrace
#include "truth/tracer/tracer_calls.c"
#include "truth/tracer/tracer_timers.c"
#include "truth/tracer/tracer_traps.c"
#undef ptrace

#define OLD	  0x1000 /* a word that a system call has written */
#define NOT_THERE (1ull << 63)
#define HANDLER	  0x401000
#define OTHERS	  0x2000ull /* signals in a mask */
#define PC	  0x402000
#define FLAGS	  0x246ull

/* ---- the kernel --------------------------------------------------------------------------- */

static struct {
	char said[200];
	uint64_t mask;	/* of the thread */
	siginfo_t info; /* of the signal that stopped it */
	int error;	/* of what is asked next; 0: it works */
} kernel;

static inline void say(const char *format, ...)
{
	size_t used = strlen(kernel.said);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(kernel.said + used, sizeof(kernel.said) - used, format, arguments);
	va_end(arguments);
}

static inline const char *register_at(uint64_t offset)
{
	switch (offset) {
	case offsetof(struct user_regs_struct, rax): return "rax";
	case offsetof(struct user_regs_struct, r11): return "r11";
	case offsetof(struct user_regs_struct, eflags): return "eflags";
	default: return "?";
	}
}

static long say_ptrace(enum __ptrace_request request, ...)
{
	va_list arguments;
	uint64_t first, second;

	va_start(arguments, request);
	ck_assert_int_eq(va_arg(arguments, pid_t), 77);
	first = va_arg(arguments, uint64_t);
	second = va_arg(arguments, uint64_t);
	va_end(arguments);
	if (kernel.error) {
		errno = kernel.error;
		return -1;
	}
	switch (request) {
	case PTRACE_POKEUSER: say("%s=0x%" PRIx64 " ", register_at(first), second); break;
	case PTRACE_INTERRUPT: say("interrupt "); break;
	case PTRACE_GETSIGMASK:
		ck_assert_uint_eq(first, sizeof(kernel.mask));
		memcpy((void *)second, &kernel.mask, sizeof(kernel.mask));
		break;
	case PTRACE_SETSIGMASK:
		ck_assert_uint_eq(first, sizeof(kernel.mask));
		memcpy(&kernel.mask, (void *)second, sizeof(kernel.mask));
		say("mask=0x%" PRIx64 " ", kernel.mask);
		break;
	case PTRACE_GETSIGINFO: memcpy((void *)second, &kernel.info, sizeof(kernel.info)); break;
	case PTRACE_SETSIGINFO:
		say("info=%d,%d ", ((siginfo_t *)second)->si_signo, ((siginfo_t *)second)->si_code);
		break;
	case PTRACE_SETREGS: say("regs=0x%llx ", ((struct user_regs_struct *)second)->rip); break;
	default: ck_abort_msg("request %d", request);
	}
	return 0;
}

/* ---- the tracee --------------------------------------------------------------------------- */

struct fixture {
	struct tracer tracer;
	struct thread thread;
	struct error error;
};

static inline int read_file(void *context, uint64_t address, void *ret, size_t size)
{
	const struct tracer *tracer = context;

	if (address > INT64_MAX)
		return -1;
	return pread(tracer->memory_fd, ret, size, (off_t)address) == (ssize_t)size ? 0 : -1;
}

static inline void put_word(const struct fixture *f, uint64_t address, uint64_t word)
{
	ck_assert_int_eq(pwrite(f->tracer.memory_fd, &word, sizeof(word), (off_t)address),
			 sizeof(word));
}

static inline uint64_t word_at(const struct fixture *f, uint64_t address)
{
	uint64_t word = 0;

	ck_assert_int_eq(pread(f->tracer.memory_fd, &word, sizeof(word), (off_t)address),
			 sizeof(word));
	return word;
}

static inline void setup(struct fixture *f)
{
	memset(&kernel, 0, sizeof(kernel));
	*f = (struct fixture) { .thread = {
					.core.tid = 77, .state = THREAD_STEPPED, .steps = 5000 } };
	f->tracer.core.error = &f->error;
	f->tracer.memory_fd = memfd_create("test_tracer_signals", MFD_CLOEXEC);
	ck_assert_int_ge(f->tracer.memory_fd, 0);
	f->tracer.core.memory = (struct memory_reader) { .read = read_file, .context = &f->tracer };
}

static inline void teardown(struct fixture *f)
{
	close(f->tracer.memory_fd);
}

#endif
