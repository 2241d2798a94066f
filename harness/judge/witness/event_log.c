/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * event_log.c - what an instrumented program reports of itself -> the functions that are open
 *
 * A list of functions, the outermost first. An entry says its slot, the address of the word that
 * holds its return address. Nothing says that a function was left by longjmp or by an exception,
 * and some are left by a jump to another. What the log has for that:
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
 * Some functions that compilers add (what initialises a C++ file's objects, the parts of a
 * coroutine) report their entry and nothing else. They are known by that, and are not in the list:
 * they are as if not instrumented.
 *
 * Slots are compared on one stack only: a handler on an alternate stack begins another, and all of
 * that is left when an event comes from outside it. For swapcontext() see log_contexts.c; other
 * ways to switch stacks are not known.
 */
#include <stdlib.h>
#include "array.h"
#include "witness.h"

#define SLOT_BYTES 8

static bool push(struct witness_list *list, struct witness_open open)
{
	return ARRAY_ADD(list->open, list->count, open);
}

static struct witness_open *top(const struct witness_list *list)
{
	return list->count ? &list->open[list->count - 1] : NULL;
}

/* The innermost function that has a frame. */
static struct witness_open *host(const struct witness_list *list)
{
	for (size_t i = list->count; i-- > 0;)
		if (!list->open[i].inlined)
			return &list->open[i];
	return NULL;
}

/* Drops the alternate stacks that sp isn't on. */
static void leave_stacks(struct witness_list *list, uint64_t sp)
{
	for (size_t i = list->count; i-- > 0;) {
		const struct witness_open *open = &list->open[i];

		if (!open->alternate)
			continue;
		if (sp >= open->low && sp <= open->high)
			return;
		list->count = i;
	}
}

/* Drops what has its slot below limit, on the stack in use. */
static void leave_below(struct witness_list *list, uint64_t limit)
{
	while (list->count && top(list)->slot < limit) {
		bool last = top(list)->alternate;

		list->count--;
		if (last)
			return;
	}
}

/* Drops what has exited, but for what is at pc: a handler may interrupt a function that is about
 * to return. */
static void leave_exited(struct witness_list *list, const struct witness_functions *functions,
			 uint64_t pc)
{
	const struct witness_function *at = witness_function_at(functions, pc);

	while (list->count && top(list)->exited && pc != functions->hooks.exit &&
	       (!at || at->start != top(list)->function))
		list->count--;
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
static bool check_host(const struct witness_list *list, const struct witness_function *function,
		       uint64_t pc, struct witness_difference *ret)
{
	const struct witness_open *open = host(list);

	if (!function || !open || open->function != function->start)
		disagree(ret, open ? open->slot : 0, open ? open->function : 0, pc);
	return ret->kind == WITNESS_AGREES;
}

/* What goes on without having reported that it was entered never will. */
static void leave_mute(struct witness_list *list, const struct witness_functions *functions)
{
	while (list->count && !top(list)->inlined && !top(list)->entered) {
		witness_function_at(functions, top(list)->function)->mute = true;
		list->count--;
	}
}

static bool enter_handler(struct witness_list *list, const struct witness_functions *functions,
			  const struct witness_event *event, struct witness_open open)
{
	const struct witness_signal *signal = &event->signal;
	uint64_t low = signal->alternate_low, high = signal->alternate_high;

	leave_stacks(list, signal->interrupted_sp);
	leave_below(list, signal->interrupted_sp);
	leave_exited(list, functions, signal->interrupted_pc);
	open.handler = true;
	open.interrupted_pc = signal->interrupted_pc;
	if (open.slot >= low && open.slot < high &&
	    (signal->interrupted_sp < low || signal->interrupted_sp > high)) {
		open.alternate = true;
		open.low = low;
		open.high = high;
	}
	return push(list, open);
}

static bool take_entry(struct witness_list *list, const struct witness_functions *functions,
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
		return enter_handler(list, functions, event, open);
	leave_stacks(list, open.slot);
	leave_below(list, open.slot + 1);
	if (caller && caller->hooked)
		leave_below(list, event->base + SLOT_BYTES);
	if (!caller || !host(list) || host(list)->function != caller->start)
		leave_exited(list, functions, 0);
	leave_mute(list, functions);
	if (witness_reports(caller))
		check_host(list, caller, event->call_site, ret);
	return function->mute || push(list, open);
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

static bool take_enter(struct witness_list *list, const struct witness_functions *functions,
		       const struct witness_event *event, struct witness_difference *ret)
{
	const struct witness_function *function = witness_function_at(functions,
								      event->hook_return - 1);
	struct witness_open *open;
	bool own;

	leave_stacks(list, event->sp);
	leave_below(list, event->base + SLOT_BYTES);
	open = host(list);
	own = is_own_enter(functions, event, open);
	if (!own)
		leave_mute(list, functions);
	if ((function && function->mute) || !check_host(list, function, event->hook_return, ret))
		return true;
	open = host(list);
	open->entered = true;
	if (!check_report(functions, event, open, own, ret) || own)
		return true;
	return push(list, (struct witness_open) { .slot = open->slot,
						  .call_site = open->call_site,
						  .function = event->function,
						  .inlined = true });
}

/* It calls what is not instrumented: a landing pad that lets the exception go on, or who changes
 * stacks. */
static bool take_resume(struct witness_list *list, const struct witness_functions *functions,
			const struct witness_event *event, struct witness_difference *ret)
{
	const struct witness_function *function = witness_function_at(functions,
								      event->hook_return - 1);

	leave_stacks(list, event->sp);
	leave_below(list, event->base + SLOT_BYTES);
	leave_mute(list, functions);
	if (witness_reports(function) && check_host(list, function, event->hook_return, ret))
		host(list)->exited = false;
	return true;
}

/* Takes out an inlined function of the innermost frame, and what it had inlined. False: there is
 * none. */
static bool leave_inlined(struct witness_list *list, uint64_t function)
{
	for (size_t i = list->count; i-- > 0 && list->open[i].inlined;) {
		if (list->open[i].function != function)
			continue;
		list->count = i;
		return true;
	}
	return false;
}

bool witness_jumped_to_hook(const struct witness_event *event, const struct witness_open *open)
{
	return event->kind == WITNESS_EXIT && open && open->slot == event->sp &&
	       open->call_site == event->hook_return;
}

static bool take_exit(struct witness_list *list, const struct witness_functions *functions,
		      const struct witness_event *event, struct witness_difference *ret)
{
	const struct witness_function *function = witness_function_at(functions,
								      event->hook_return - 1);
	struct witness_open *open;

	leave_stacks(list, event->sp);
	leave_below(list, event->sp);
	open = host(list);
	if (!witness_jumped_to_hook(event, open)) {
		leave_below(list, event->base + SLOT_BYTES);
		leave_mute(list, functions);
		if ((function && function->mute) ||
		    !check_host(list, function, event->hook_return, ret))
			return true;
		open = host(list);
	}
	if (leave_inlined(list, event->function)) {
		check_report(functions, event, host(list), false, ret);
		return true;
	}
	if (check_report(functions, event, open, true, ret))
		open->exited = true;
	return true;
}

bool witness_log_event(struct witness_log *log, const struct witness_functions *functions,
		       const struct witness_event *event, struct witness_difference *ret)
{
	struct witness_list *list = &log->now;

	*ret = (struct witness_difference) { .kind = WITNESS_AGREES };
	witness_log_follow_link(log);
	switch (event->kind) {
	case WITNESS_ENTRY: return take_entry(list, functions, event, ret);
	case WITNESS_ENTER: return take_enter(list, functions, event, ret);
	case WITNESS_EXIT: return take_exit(list, functions, event, ret);
	case WITNESS_RESUME:
	case WITNESS_CHANGE: return take_resume(list, functions, event, ret);
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
