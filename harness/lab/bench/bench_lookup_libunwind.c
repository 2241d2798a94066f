/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_lookup_libunwind.c - a PC's rule by libunwind, from its cache
 *
 * Which call? libunwind keeps rules it has interpreted in a hash table by PC ("rs cache"), and
 * only unw_step() looks there; unw_get_proc_info_by_ip() searches the FDE anew each time. Local
 * unwinding is the fastest kind: with a remote address space every register and word is a call
 * back. So: a cursor on a made-up context (unw_init_local2; UNW_INIT_SIGNAL_FRAME, for the PC is
 * the one itself and not a return address), one unw_step(), and the stack pointer it comes to,
 * which is the CFA. What setting up the cursor and asking it takes is measured apart and taken off.
 *
 * Debian's build has no caches per thread: the one cache is behind a lock, and the lock blocks
 * signals, with two system calls a step. The note says what these alone take.
 *
 * The cache holds 128 rules at first. unw_set_cache_size() before any use has no effect (the cache
 * then begins with its default size), so a step is made first.
 *
 * The library is loaded when it is needed and not linked: its _Unwind_* functions, the same as
 * libgcc's, would otherwise serve the whole program.
 */
#define UNW_LOCAL_ONLY
#include <dlfcn.h>
#include <libunwind.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>
#include "bench.h"
#include "clock.h"

#define LIBRARY		"libunwind.so.8"
#define STRING_(text)	#text
#define STRING(text)	STRING_(text)
#define CACHE_MAX	32768 /* the largest it can have */
#define SIGNALS_ROUNDS	1000
#define SYMBOL_NAME(fn) STRING(UNW_OBJ(fn))

struct libunwind {
	void *library;
	void *image;
	uint64_t bias;
	unw_addr_space_t space;
	typeof(&unw_init_local2) init;
	typeof(&unw_step) step;
	typeof(&unw_get_reg) get;
	typeof(&unw_set_cache_size) set_size;
	unw_context_t context;
};

/* Where a context has the DWARF registers. */
static const int context_register[REGISTER_GPR_COUNT] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
	REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

static void libunwind_close(struct bench_lookup *lookup)
{
	/* The libraries stay: unloading them is no part of any measurement, and the process
	 * ends. */
	free(lookup->priv);
	lookup->priv = NULL;
}

static int load(struct libunwind *libunwind, const char *path, struct error *error)
{
	struct link_map *map;

	libunwind->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!libunwind->library)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%s is not installed", LIBRARY);
	unw_addr_space_t *space = dlsym(libunwind->library, SYMBOL_NAME(local_addr_space));
	libunwind->init = dlsym(libunwind->library, SYMBOL_NAME(init_local2));
	libunwind->step = dlsym(libunwind->library, SYMBOL_NAME(step));
	libunwind->get = dlsym(libunwind->library, SYMBOL_NAME(get_reg));
	libunwind->set_size = dlsym(libunwind->library, SYMBOL_NAME(set_cache_size));
	if (!space || !libunwind->init || !libunwind->step || !libunwind->get ||
	    !libunwind->set_size)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%s lacks a function", LIBRARY);
	libunwind->space = *space;
	libunwind->image = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (!libunwind->image || dlinfo(libunwind->image, RTLD_DI_LINKMAP, &map))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.200s", dlerror());
	libunwind->bias = map->l_addr;
	return 0;
}

/* Blocking all signals and going back, as the lock does. */
static double signals_ns(void)
{
	sigset_t all, before;

	sigfillset(&all);
	uint64_t begin = monotonic_ns();
	for (unsigned int i = 0; i < SIGNALS_ROUNDS; i++) {
		sigprocmask(SIG_SETMASK, &all, &before);
		sigprocmask(SIG_SETMASK, &before, NULL);
	}
	return (double)(monotonic_ns() - begin) / SIGNALS_ROUNDS;
}

static uint64_t libunwind_run(struct bench_lookup *lookup, const struct bench_points *points,
			      unsigned int begin, unsigned int count);

static int libunwind_open(struct bench_lookup *lookup, const struct bench_points *points, bool cold,
			  struct error *error)
{
	struct libunwind *libunwind = calloc(1, sizeof(*libunwind));

	if (!libunwind)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	lookup->priv = libunwind;
	if (load(libunwind, points->path, error))
		goto fail;
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		libunwind->context.uc_mcontext.gregs[context_register[i]] = points->reg[i];
	if (!libunwind_run(lookup, points, 0, 1) ||
	    libunwind->set_size(libunwind->space, CACHE_MAX, 0)) {
		error_set(error, ERROR_UNAVAILABLE, "", 0, "libunwind's cache can't be enlarged");
		goto fail;
	}
	snprintf(lookup->note, sizeof(lookup->note),
		 "libunwind finds the rule in its cache of %d rules, of which the two "
		 "sigprocmask() calls of "
		 "the cache's lock take %.0f ns",
		 CACHE_MAX, signals_ns());
	return 0;
fail:
	libunwind_close(lookup);
	return -1;
}

static uint64_t libunwind_run(struct bench_lookup *lookup, const struct bench_points *points,
			      unsigned int begin, unsigned int count)
{
	struct libunwind *libunwind = lookup->priv;
	uint64_t sum = 0;

	for (unsigned int i = begin; i < begin + count; i++) {
		unw_cursor_t cursor;
		unw_word_t cfa;

		libunwind->context.uc_mcontext.gregs[REG_RIP] = points->vaddr[i] + libunwind->bias;
		if (libunwind->init(&cursor, &libunwind->context, UNW_INIT_SIGNAL_FRAME) ||
		    libunwind->step(&cursor) <= 0 || libunwind->get(&cursor, UNW_REG_SP, &cfa))
			return 0;
		sum += cfa;
	}
	return sum;
}

/* The same without the step. */
static uint64_t libunwind_overhead(struct bench_lookup *lookup, const struct bench_points *points,
				   unsigned int begin, unsigned int count)
{
	struct libunwind *libunwind = lookup->priv;
	uint64_t sum = 0;

	for (unsigned int i = begin; i < begin + count; i++) {
		unw_cursor_t cursor;
		unw_word_t sp;

		libunwind->context.uc_mcontext.gregs[REG_RIP] = points->vaddr[i] + libunwind->bias;
		if (libunwind->init(&cursor, &libunwind->context, UNW_INIT_SIGNAL_FRAME) ||
		    libunwind->get(&cursor, UNW_REG_SP, &sp))
			return 0;
		sum += sp;
	}
	return sum;
}

void bench_lookup_libunwind(struct bench_lookup *ret)
{
	*ret = (struct bench_lookup) {
		.name = "libunwind (unw_step, rule cached)",
		.open = libunwind_open,
		.run = libunwind_run,
		.overhead = libunwind_overhead,
		.close = libunwind_close,
	};
}
