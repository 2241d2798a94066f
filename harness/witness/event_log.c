/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * event_log.c - what an instrumented program reports of itself -> the functions that are open
 *
 * A list of functions, the outermost first. An entry says its slot, the address of the word that holds its
 * return address. Nothing says that a function was left by longjmp or by an exception, and some are
 * left by a jump to another. What the log has for that:
 *
 *	the slot	a function whose slot lies below the event's, or at it, has been left: its word
 *			is another's now, or nobody's
 *	the base	who calls has its frame's base in rbp (all is compiled so), and its own slot is not below
 *			base + 8. Whose slot is below that was called by it, and left: an entry is a
 *			new call. (A realigned frame has a copy of the return address at base + 8, below its slot.)
 *	the exit	a function that has exited calls nobody any more, but for _Unwind_Resume, which
 *			reports (with gcc an exception on its way makes each function exit), and for its last
 *			call, which was to be a jump (clang's musttail): the call site is in it then
 *	the handler	its call site is a restorer, above which the kernel has saved rsp and rip as they
 *			were, and which stack is the alternate one
 *
 * Some functions that compilers add (what initialises a C++ file's objects, the parts of a coroutine) report their entry and
 * nothing else. They are known by that, and are not in the list: they are as if not instrumented.
 *
 * Slots are compared on one stack only: a handler on an alternate stack begins another, and all of
 * that is left when an event comes from outside it. Other ways to switch stacks are not known here.
 */
#include <stdlib.h>
#include "witness/witness.h"

#define SLOT_BYTES 8

void witness_log_deinit(struct witness_log *log)
{
	free(log->open);
	*log = (struct witness_log) { 0 };
}

static bool push(struct witness_log *log, struct witness_open open)
{
	if (log->count == log->capacity) {
		size_t capacity = log->capacity ? log->capacity * 2 : 32;
		struct witness_open *grown = reallocarray(log->open, capacity, sizeof(*grown));

		if (!grown)
			return false;
		log->open = grown;
		log->capacity = capacity;
	}
	log->open[log->count++] = open;
	return true;
}

static struct witness_open *top(const struct witness_log *log)
{
	return log->count ? &log->open[log->count - 1] : NULL;
}

/* The innermost function that has a frame. */
static struct witness_open *host(const struct witness_log *log)
{
	for (size_t i = log->count; i-- > 0;)
		if (!log->open[i].inlined)
			return &log->open[i];
	return NULL;
}

/* Drops the alternate stacks that sp isn't on. */
static void leave_stacks(struct witness_log *log, uint64_t sp)
{
	for (size_t i = log->count; i-- > 0;) {
		const struct witness_open *open = &log->open[i];

		if (!open->alternate)
			continue;
		if (sp >= open->low && sp <= open->high)
			return;
		log->count = i;
	}
}

/* Drops what has its slot below limit, on the stack in use. */
static void leave_below(struct witness_log *log, uint64_t limit)
{
	while (log->count && top(log)->slot < limit) {
		bool last = top(log)->alternate;

		log->count--;
		if (last)
			return;
	}
}

/* Drops what has exited, but for what is at pc: a handler may interrupt a function that is about to return. */
static void leave_exited(struct witness_log *log, const struct witness_functions *functions,
			 uint64_t pc)
{
	const struct witness_function *at = witness_function_at(functions, pc);

	while (log->count && top(log)->exited && pc != functions->hooks.exit &&
	       (!at || at->start != top(log)->function))
		log->count--;
}

static bool disagree(struct witness_difference *ret, uint64_t slot, uint64_t truth, uint64_t said)
{
	*ret = (struct witness_difference) {
		.kind = WITNESS_LOG,
		.slot = slot,
		.truth = truth,
		.said = said,
	};
	return true;
}

/* The innermost function must be the one that pc is in. */
static bool check_host(const struct witness_log *log, const struct witness_function *function,
		       uint64_t pc, struct witness_difference *ret)
{
	const struct witness_open *open = host(log);

	if (!function || !open || open->function != function->start)
		disagree(ret, open ? open->slot : 0, open ? open->function : 0, pc);
	return ret->kind == WITNESS_AGREES;
}

/* What goes on without having reported that it was entered never will. */
static void leave_mute(struct witness_log *log, const struct witness_functions *functions)
{
	while (log->count && !top(log)->inlined && !top(log)->entered) {
		witness_function_at(functions, top(log)->function)->mute = true;
		log->count--;
	}
}

static bool enter_handler(struct witness_log *log, const struct witness_functions *functions,
			  const struct witness_event *event, struct witness_open open)
{
	const struct witness_signal *signal = &event->signal;
	uint64_t low = signal->alternate_low, high = signal->alternate_high;

	leave_stacks(log, signal->interrupted_sp);
	leave_below(log, signal->interrupted_sp);
	leave_exited(log, functions, signal->interrupted_pc);
	open.handler = true;
	open.interrupted_pc = signal->interrupted_pc;
	if (open.slot >= low && open.slot < high &&
	    (signal->interrupted_sp < low || signal->interrupted_sp > high)) {
		open.alternate = true;
		open.low = low;
		open.high = high;
	}
	return push(log, open);
}

static bool take_entry(struct witness_log *log, const struct witness_functions *functions,
		       const struct witness_event *event, struct witness_difference *ret)
{
	struct witness_function *function = witness_function_at(functions, event->hook_return - 1);
	const struct witness_function *caller = witness_function_at(functions,
								    event->call_site - 1);
	struct witness_open open = {
		.slot = event->slot,
		.call_site = event->call_site,
		.function = function ? function->start : 0,
	};

	if (!function)
		return disagree(ret, open.slot, 0, event->hook_return);
	function->hooked = true;
	if (event->signal.handler)
		return enter_handler(log, functions, event, open);
	leave_stacks(log, open.slot);
	leave_below(log, open.slot + 1);
	if (caller && caller->hooked)
		leave_below(log, event->base + SLOT_BYTES);
	if (!caller || !host(log) || host(log)->function != caller->start)
		leave_exited(log, functions, 0);
	leave_mute(log, functions);
	if (witness_reports(caller))
		check_host(log, caller, event->call_site, ret);
	return function->mute || push(log, open);
}

/* Whether the report names the function of the innermost frame, and its caller. */
static bool check_report(const struct witness_functions *functions,
			 const struct witness_event *event, const struct witness_open *open,
			 bool own, struct witness_difference *ret)
{
	const struct witness_function *is = witness_function_at(functions, open->function);
	const struct witness_function *said = witness_function_at(functions, event->function);

	if (own && (!is || !said || !witness_same_source(is->name, said->name)))
		disagree(ret, open->slot, open->function, event->function);
	else if (event->call_site != open->call_site)
		disagree(ret, open->slot, open->call_site, event->call_site);
	return ret->kind == WITNESS_AGREES;
}

/* Whether it is the innermost frame's own first report. */
static bool is_own_enter(const struct witness_functions *functions,
			 const struct witness_event *event, const struct witness_open *open)
{
	const struct witness_function *is, *said = witness_function_at(functions, event->function);

	if (!open || open->entered || !said)
		return false;
	is = witness_function_at(functions, open->function);
	return witness_same_source(is->name, said->name);
}

static bool take_enter(struct witness_log *log, const struct witness_functions *functions,
		       const struct witness_event *event, struct witness_difference *ret)
{
	const struct witness_function *function = witness_function_at(functions,
								      event->hook_return - 1);
	struct witness_open *open;
	bool own;

	leave_stacks(log, event->sp);
	leave_below(log, event->base + SLOT_BYTES);
	open = host(log);
	own = is_own_enter(functions, event, open);
	if (!own)
		leave_mute(log, functions);
	if ((function && function->mute) || !check_host(log, function, event->hook_return, ret))
		return true;
	open = host(log);
	open->entered = true;
	if (!check_report(functions, event, open, own, ret) || own)
		return true;
	return push(log, (struct witness_open) { .slot = open->slot,
						 .call_site = open->call_site,
						 .function = event->function,
						 .inlined = true });
}

/* A landing pad has done its part and lets the exception go on: the function is still there. */
static bool take_resume(struct witness_log *log, const struct witness_functions *functions,
			const struct witness_event *event, struct witness_difference *ret)
{
	const struct witness_function *function = witness_function_at(functions,
								      event->hook_return - 1);

	leave_stacks(log, event->sp);
	leave_below(log, event->base + SLOT_BYTES);
	leave_mute(log, functions);
	if (witness_reports(function) && check_host(log, function, event->hook_return, ret))
		host(log)->exited = false;
	return true;
}

/* Takes out an inlined function of the innermost frame, and what it had inlined. False: there is none. */
static bool leave_inlined(struct witness_log *log, uint64_t function)
{
	for (size_t i = log->count; i-- > 0 && log->open[i].inlined;) {
		if (log->open[i].function != function)
			continue;
		log->count = i;
		return true;
	}
	return false;
}

bool witness_jumped_to_hook(const struct witness_event *event, const struct witness_open *open)
{
	return event->kind == WITNESS_EXIT && open && open->slot == event->sp &&
	       open->call_site == event->hook_return;
}

static bool take_exit(struct witness_log *log, const struct witness_functions *functions,
		      const struct witness_event *event, struct witness_difference *ret)
{
	const struct witness_function *function = witness_function_at(functions,
								      event->hook_return - 1);
	struct witness_open *open;

	leave_stacks(log, event->sp);
	leave_below(log, event->sp);
	open = host(log);
	if (!witness_jumped_to_hook(event, open)) {
		leave_below(log, event->base + SLOT_BYTES);
		leave_mute(log, functions);
		if ((function && function->mute) ||
		    !check_host(log, function, event->hook_return, ret))
			return true;
		open = host(log);
	}
	if (leave_inlined(log, event->function)) {
		check_report(functions, event, host(log), false, ret);
		return true;
	}
	if (check_report(functions, event, open, true, ret))
		open->exited = true;
	return true;
}

bool witness_log_event(struct witness_log *log, const struct witness_functions *functions,
		       const struct witness_event *event, struct witness_difference *ret)
{
	*ret = (struct witness_difference) { .kind = WITNESS_AGREES };
	switch (event->kind) {
	case WITNESS_ENTRY: return take_entry(log, functions, event, ret);
	case WITNESS_ENTER: return take_enter(log, functions, event, ret);
	case WITNESS_EXIT: return take_exit(log, functions, event, ret);
	case WITNESS_RESUME: return take_resume(log, functions, event, ret);
	case WITNESS_EVENT_COUNT: break;
	}
	return true;
}

const char *witness_difference_name(enum witness_difference_kind kind)
{
	static const char *const names[WITNESS_DIFFERENCE_COUNT] = {
		[WITNESS_AGREES] = "agrees",
		[WITNESS_HOOK] = "hook",
		[WITNESS_MISSING] = "missing",
		[WITNESS_UNLOGGED] = "unlogged",
		[WITNESS_CALL_SITE] = "call_site",
		[WITNESS_FUNCTION] = "function",
		[WITNESS_INTERRUPTED] = "interrupted",
		[WITNESS_MEMORY] = "memory",
		[WITNESS_LOG] = "log",
		[WITNESS_WORD] = "word",
		[WITNESS_DEPTH] = "depth",
	};

	return names[kind];
}
