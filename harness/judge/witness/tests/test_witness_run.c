/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_witness_run.c - what a stop at a hook is read as, which functions a program has, and what is
 * asked of the CPU's stack
 *
 * The memory that is read is this process's own: a case lays out in an array what a program would
 * have on its stack. The symbols are this program's, written by hand below. A machine with shadow
 * stacks is not needed.
 */
#include <sys/auxv.h>
#include "tests/suite.h"
#include "judge/witness/witness_run.c"

/* Addresses below the first page are nobody's. */
static int read_own(void *context, uint64_t address, void *ret, size_t size)
{
	if (address < 0x1000)
		return -1;
	memcpy(ret, (const void *)address, size);
	return 0;
}

static struct run run;
static struct witness_result result;

static void set_up(void)
{
	static const struct witness_options options = { .on_finding = NULL };

	memset(&run, 0, sizeof(run));
	memset(&result, 0, sizeof(result));
	run.options = &options;
	run.result = &result;
	run.reader.read = read_own;
}

/* ---- events ------------------------------------------------------------------------------- */

START_TEST(each_hook_is_an_event)
{
	const struct witness_hooks hooks = { .entry_hook = 0x1000,
					     .entry = 0x1100,
					     .enter = 0x1200,
					     .exit = 0x1300,
					     .resume = 0x1400,
					     .change = 0x1500 };
	static const struct {
		uint64_t pc;
		enum witness_event_kind kind;
	} marks[] = { { 0x1100, WITNESS_ENTRY },
		      { 0x1200, WITNESS_ENTER },
		      { 0x1300, WITNESS_EXIT },
		      { 0x1400, WITNESS_RESUME },
		      { 0x1500, WITNESS_CHANGE } };
	static const uint64_t others[] = { 0x1000, 0x10ff, 0x1101, 0x1600 };
	enum witness_event_kind kind;

	for (int i = 0; i < COUNT(marks); i++) {
		ck_assert(event_kind(&hooks, marks[i].pc, &kind));
		ck_assert_int_eq(kind, marks[i].kind);
	}
	for (int i = 0; i < COUNT(others); i++)
		ck_assert(!event_kind(&hooks, others[i], &kind));
}
END_TEST

START_TEST(word_that_can_t_be_read_is_0)
{
	const uint64_t word = 0x1234;

	set_up();
	ck_assert_uint_eq(read_word(&run, (uint64_t)&word), 0x1234);
	ck_assert_uint_eq(read_word(&run, 0x10), 0);
}
END_TEST

static void is_told(void *context, const struct witness_finding *finding)
{
	ck_assert_int_eq(finding->difference.kind, WITNESS_MEMORY);
	ck_assert_ptr_nonnull(address_space_find(finding->space, (uint64_t)is_told));
	++*(int *)context;
}

/* To whoever wants to know, with the mappings of the process; unless it is gone. */
START_TEST(difference_is_counted_and_told)
{
	int told = 0;
	const struct witness_options options = { .on_finding = is_told, .context = &told };
	struct trace_stop stop = { .pid = getpid() };
	struct witness_finding finding = { .stop = &stop, .difference.kind = WITNESS_MEMORY };

	set_up();
	find(&run, &finding);
	run.options = &options;
	find(&run, &finding);
	ck_assert_int_eq(told, 1);
	stop.pid = INT32_MAX;
	find(&run, &finding);
	ck_assert_int_eq(told, 1);
	ck_assert_uint_eq(result.differences[WITNESS_MEMORY], 3);
}
END_TEST

#define RT_SIGRETURN 0x0f, 0x05

static const struct {
	const char *name;
	uint8_t code[16]; /* at the call site */
	int flags;	  /* of the alternate stack */
	bool handler;
	uint64_t high;
} signal_cases[] = {
	{ "libc_s", { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, RT_SIGRETURN }, SS_DISABLE, true, 0x5000 },
	{ "shorter", { 0xb8, 15, 0, 0, 0, RT_SIGRETURN }, SS_DISABLE, true, 0x5000 },
	{ "with_an_alternate_stack", { 0xb8, 15, 0, 0, 0, RT_SIGRETURN }, 0, true, 0x7000 },
	{ "on_its_alternate_stack", { 0xb8, 15, 0, 0, 0, RT_SIGRETURN }, SS_ONSTACK, true, 0x7000 },
	{ "another_call", { 0xb8, 16, 0, 0, 0, RT_SIGRETURN }, SS_DISABLE, false, 0 },
	{ "no_call", { 0xb8, 15, 0, 0, 0, 0xcc, 0xcc }, SS_DISABLE, false, 0 },
	{ "cut_wide", { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x06 }, SS_DISABLE, false, 0 },
};

/* An entry of a function whose caller is at the given site; r10: it was pushed around the hook. */
static struct witness_event entry(uint64_t *stack, uint64_t function, uint64_t site, bool r10)
{
	const uint64_t value[REGISTER_COUNT] = {
		[REGISTER_RSP] = (uint64_t)stack, [REGISTER_RBP] = 0x7700, [REGISTER_R11] = 42
	};

	stack[0] = function + 5;
	stack[1 + r10] = site;
	return read_event(&run, value, WITNESS_ENTRY);
}

START_TEST(handler_is_known_by_its_restorer)
{
	struct {
		uint64_t word[2];
		ucontext_t context;
	} stack = { .word = { 0 } };
	struct witness_event event;

	set_up();
	stack.context.uc_mcontext.gregs[REG_RIP] = 0x401234;
	stack.context.uc_mcontext.gregs[REG_RSP] = 0x7f00;
	stack.context.uc_stack = (stack_t) { .ss_sp = (void *)0x5000,
					     .ss_flags = signal_cases[_i].flags,
					     .ss_size = 0x2000 };
	event = entry(stack.word, 0x400000, (uint64_t)signal_cases[_i].code, false);
	ck_assert_uint_eq(event.number, 42);
	ck_assert_uint_eq(event.base, 0x7700);
	ck_assert_uint_eq(event.sp, (uint64_t)stack.word);
	ck_assert_uint_eq(event.slot, (uint64_t)&stack.word[1]);
	ck_assert_uint_eq(event.hook_return, 0x400005);
	ck_assert_uint_eq(event.call_site, (uint64_t)signal_cases[_i].code);
	ck_assert_msg(event.signal.handler == signal_cases[_i].handler, "%s",
		      signal_cases[_i].name);
	if (!event.signal.handler)
		return;
	ck_assert_uint_eq(event.signal.interrupted_pc, 0x401234);
	ck_assert_uint_eq(event.signal.interrupted_sp, 0x7f00);
	ck_assert_uint_eq(event.signal.alternate_low, 0x5000);
	ck_assert_uint_eq(event.signal.alternate_high, signal_cases[_i].high);
}
END_TEST

/* gcc's nested functions push r10 around the call of the hook. It may be the last instruction. */
START_TEST(slot_is_above_what_is_pushed)
{
	static const uint8_t nested[16] = { 0x41, 0x52, 0xe8 }, plain[16] = { 0xe8, 0x41, 0x52 };
	const uint8_t *const code[] = { plain, nested };
	uint64_t stack[4] = { 0 };

	set_up();
	for (int i = 0; i < COUNT(code); i++) {
		struct witness_function function = { .start = (uint64_t)code[i],
						     .end = (uint64_t)code[i] + 5,
						     .whole = (uint64_t)code[i],
						     .name = "f" };

		run.functions = (struct witness_functions) { .function = &function, .count = 1 };
		struct witness_event event = entry(stack, function.start, 0x10, i);

		ck_assert_uint_eq(event.slot, (uint64_t)&stack[1 + i]);
		ck_assert_uint_eq(event.call_site, 0x10);
		ck_assert(!event.signal.handler);
	}
}
END_TEST

START_TEST(reports_have_their_arguments)
{
	uint64_t stack = 0x401000;
	ucontext_t context = { .uc_link = (void *)0x9900 };
	const uint64_t value[REGISTER_COUNT] = {
		[REGISTER_RSP] = (uint64_t)&stack,
		[REGISTER_RBP] = 0x7700,
		[REGISTER_R11] = 7,
		[REGISTER_RDI] = 0x402000,
		[REGISTER_RSI] = (uint64_t)&context,
	};
	struct witness_event event;

	set_up();
	for (int kind = WITNESS_ENTRY + 1; kind < WITNESS_EVENT_COUNT; kind++) {
		bool says = kind == WITNESS_ENTER || kind == WITNESS_EXIT;
		bool changes = kind == WITNESS_CHANGE;

		event = read_event(&run, value, kind);
		ck_assert_int_eq(event.kind, kind);
		ck_assert_uint_eq(event.number, 7);
		ck_assert_uint_eq(event.hook_return, 0x401000);
		ck_assert_uint_eq(event.function, says ? 0x402000 : 0);
		ck_assert_uint_eq(event.call_site, says ? (uint64_t)&context : 0);
		ck_assert_uint_eq(event.from, changes ? 0x402000 : 0);
		ck_assert_uint_eq(event.to, changes ? (uint64_t)&context : 0);
		ck_assert_uint_eq(event.link, changes ? 0x9900 : 0);
	}
}
END_TEST

static const struct {
	const char *name;
	uint64_t number[6]; /* 99: another program follows */
	int count;
	uint64_t lost, programs;
} number_cases[] = {
	{ "all_were_seen", { 0, 1, 2 }, 3, 0, 1 },
	{ "in_another_order", { 0, 2, 1 }, 3, 0, 1 },
	{ "one_is_missing", { 0, 1, 3 }, 3, 1, 1 },
	{ "the_first_is_missing", { 1, 2 }, 2, 1, 0 },
	{ "two_programs", { 0, 1, 99, 0 }, 4, 0, 2 },
	{ "one_is_missing_in_each", { 0, 2, 99, 0, 2 }, 5, 2, 2 },
};

START_TEST(numbers_that_nobody_saw_are_lost)
{
	set_up();
	for (int i = 0; i < number_cases[_i].count; i++) {
		struct witness_event event = { .kind = WITNESS_EXIT,
					       .number = number_cases[_i].number[i] };

		if (event.number == 99)
			end_program(&run);
		else
			count_event(&run, &event);
	}
	end_program(&run);
	ck_assert_msg(result.lost == number_cases[_i].lost, "%s: %d lost", number_cases[_i].name,
		      (int)result.lost);
	ck_assert_uint_eq(result.programs, number_cases[_i].programs);
	/* What is lost is a finding, and so is each difference. */
	ck_assert_uint_eq(witness_findings(&result), number_cases[_i].lost);
	result.differences[WITNESS_AGREES] = 1000;
	result.differences[WITNESS_AGREES + 1] = 20;
	result.differences[WITNESS_DIFFERENCE_COUNT - 1] = 300;
	ck_assert_uint_eq(witness_findings(&result), number_cases[_i].lost + 320);
}
END_TEST

/* ---- the CPU's ---------------------------------------------------------------------------- */

#define BEFORE 2 /* frames from before the CPU's stack was there */
#define MOST   (CPU_WORDS_MAX + 10)

static const struct {
	const char *name;
	size_t frames;	 /* since then */
	int words;	 /* that were pushed; below 0: popped */
	int wrong;	 /* the word from the innermost; -1: none */
	uint64_t looked; /* at so many */
	enum witness_difference_kind found;
} cpu_cases[] = {
	{ "nothing_since", 0, 0, -1, 0, WITNESS_AGREES },
	{ "a_frame_each", 3, 3, -1, 3, WITNESS_AGREES },
	{ "another_address", 3, 3, 2, 3, WITNESS_WORD },
	{ "a_word_too_few", 3, 2, -1, 2, WITNESS_DEPTH },
	{ "it_has_returned_beyond_its_base", 0, -4, -1, 0, WITNESS_AGREES },
	{ "as_many_as_are_looked_at", CPU_WORDS_MAX, CPU_WORDS_MAX, CPU_WORDS_MAX - 1,
	  CPU_WORDS_MAX, WITNESS_WORD },
	{ "as_many_and_a_frame_without", CPU_WORDS_MAX + 1, CPU_WORDS_MAX, -1, CPU_WORDS_MAX,
	  WITNESS_DEPTH },
	{ "deeper_than_is_looked_at", MOST, MOST, CPU_WORDS_MAX, CPU_WORDS_MAX, WITNESS_AGREES },
	{ "the_last_that_is_looked_at", MOST, MOST, CPU_WORDS_MAX - 1, CPU_WORDS_MAX,
	  WITNESS_WORD },
};

START_TEST(words_of_the_cpu_are_those_since_it_had_a_stack)
{
	static uint64_t words[MOST + 8], *const base = &words[MOST];
	static struct shadow_frame frame[BEFORE + MOST];
	struct shadow_stack shadow = { .frame = frame, .count = BEFORE };
	struct trace_stop stop = { .shadow = &shadow };
	struct witness_thread thread = { .tid = 1 };

	set_up();
	ask_cpu(&run, &thread, &stop, (uint64_t)base);
	ck_assert_uint_eq(thread.cpu_first, BEFORE);
	ck_assert_uint_eq(result.cpu_words, 0);
	shadow.count += cpu_cases[_i].frames;
	for (size_t i = 0; i < shadow.count; i++)
		frame[i].return_address = 0x400000 + i;
	for (int i = 0; i < cpu_cases[_i].words; i++)
		base[i - cpu_cases[_i].words] = 0x400000 + shadow.count - 1 - i;
	if (cpu_cases[_i].wrong >= 0)
		base[cpu_cases[_i].wrong - cpu_cases[_i].words]++;
	ask_cpu(&run, &thread, &stop, (uint64_t)(base - cpu_cases[_i].words));
	ck_assert(result.cpu);
	ck_assert_uint_eq(result.cpu_points, 2);
	ck_assert_msg(result.cpu_words == cpu_cases[_i].looked, "%s: %d words", cpu_cases[_i].name,
		      (int)result.cpu_words);
	for (int kind = WITNESS_AGREES + 1; kind < WITNESS_DIFFERENCE_COUNT; kind++)
		ck_assert_msg(result.differences[kind] == (kind == (int)cpu_cases[_i].found),
			      "%s: %s", cpu_cases[_i].name, witness_difference_name(kind));
}
END_TEST

/* ---- functions ---------------------------------------------------------------------------- */

#define FUNCTION(name, bytes)                                                                      \
	".type " name ", @function\n" name ": .fill " bytes ", 1, 0x90\n.size " name ", " bytes "\n"

/* In this order. The hooks are labels; one of them is missing. */
asm(".pushsection .text.symbols, \"ax\", @progbits\n" FUNCTION("by_handsome", "16")
	    FUNCTION("by_hand", "16") FUNCTION("by_hand.cold", "16")
		    FUNCTION("by_hand.part.0", "16") FUNCTION("alone.cold", "16")
			    FUNCTION("by_han", "16")
				    FUNCTION("hooks", "16") ".set __fentry__, hooks\n"
							    ".set witness_entry, hooks + 1\n"
							    ".set witness_enter, hooks + 2\n"
							    ".set witness_exit, hooks + 3\n"
							    ".set witness_switch, hooks + 5\n"
							    ".popsection\n");

#define BIAS 0x10000

/* The program's function of that name. */
static struct witness_function *named(const struct witness_functions *functions, const char *name)
{
	for (size_t i = 0; i < functions->count; i++)
		if (!strcmp(functions->function[i].name, name))
			return &functions->function[i];
	ck_abort_msg("no %s", name);
}

START_TEST(functions_are_the_program_s)
{
	static const struct {
		const char *name, *whole;
	} parts[] = { { "by_handsome", "by_handsome" }, { "by_hand", "by_hand" },
		      { "by_hand.cold", "by_hand" },	{ "by_hand.part.0", "by_hand.part.0" },
		      { "alone.cold", "alone.cold" },	{ "by_han", "by_han" } };
	struct witness_functions functions;
	struct image *image;
	struct error error;
	uint64_t hooks;

	ck_assert_msg(!image_create("/proc/self/exe", &image, &error), "%s", error.message);
	ck_assert(!witness_functions_init(&functions, image, BIAS, &error));
	for (int i = 0; i < COUNT(parts); i++) {
		struct witness_function *part = named(&functions, parts[i].name);
		struct witness_function *whole = named(&functions, parts[i].whole);

		ck_assert_uint_eq(part->start, image_symbol_address(image, parts[i].name) + BIAS);
		ck_assert_uint_eq(part->end, part->start + 16);
		ck_assert_msg(part->whole == whole->start, "%s", parts[i].name);
		ck_assert_ptr_eq(witness_function_at(&functions, part->start), whole);
		ck_assert_ptr_eq(witness_function_at(&functions, part->end - 1), whole);
	}
	for (size_t i = 1; i < functions.count; i++)
		ck_assert_uint_ge(functions.function[i].start, functions.function[i - 1].end);
	ck_assert_ptr_null(witness_function_at(&functions, 0));
	ck_assert_ptr_null(witness_function_at(&functions, functions.function[0].start - 1));
	ck_assert_ptr_null(
		witness_function_at(&functions, functions.function[functions.count - 1].end));
	hooks = named(&functions, "hooks")->start;
	ck_assert_uint_eq(functions.hooks.entry_hook, hooks);
	ck_assert_uint_eq(functions.hooks.entry, hooks + 1);
	ck_assert_uint_eq(functions.hooks.enter, hooks + 2);
	ck_assert_uint_eq(functions.hooks.exit, hooks + 3);
	ck_assert_uint_eq(functions.hooks.resume, 0); /* there is none, wherever the program is */
	ck_assert_uint_eq(functions.hooks.change, hooks + 5);
	witness_functions_deinit(&functions);
	ck_assert_uint_eq(functions.count, 0);
	image_destroy(image);
}
END_TEST

/* ---- the program -------------------------------------------------------------------------- */

/* This process: read once, again where it has moved, and not at all where there is none. */
START_TEST(program_is_read_once)
{
	struct error error = { 0 };
	struct image *image;
	uint64_t bias;

	set_up();
	ck_assert_msg(!read_program(&run, getpid(), &error), "%s", error.message);
	image = run.image;
	bias = run.bias;
	ck_assert_uint_eq(bias + image_symbol_address(image, "by_hand"),
			  named(&run.functions, "by_hand")->start);
	ck_assert_uint_eq(target_auxv(getpid(), AT_ENTRY), getauxval(AT_ENTRY));
	ck_assert_uint_eq(run.image->entry + bias, getauxval(AT_ENTRY));
	run.functions.hooks.change = 77; /* as nobody would read it */
	ck_assert(!read_program(&run, getpid(), &error));
	ck_assert_ptr_eq(run.image, image);
	ck_assert_uint_eq(run.functions.hooks.change, 77);
	run.bias += 0x1000;
	ck_assert(!read_program(&run, getpid(), &error));
	ck_assert_uint_eq(run.bias, bias);
	ck_assert_uint_ne(run.functions.hooks.change, 77);
	run.store = debug_link_store();
	ck_assert(!on_mappings(&run, getpid()) && !run.failed);
	ck_assert_ptr_nonnull(address_space_find(&run.space, (uintptr_t)set_up));
	address_space_deinit(&run.space);
	image_store_destroy(run.store);
	/* Nobody has this number: what was read before stays. */
	ck_assert_int_eq(read_program(&run, INT32_MAX, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_msg(strstr(error.message, "/exe") != NULL, "%s", error.message);
	ck_assert_uint_eq(target_auxv(INT32_MAX, AT_ENTRY), 0);
	ck_assert_ptr_nonnull(run.image);
	ck_assert_int_eq(on_mappings(&run, INT32_MAX), -1);
	ck_assert(run.failed && run.failure.code == ERROR_SYSTEM);
	forget_program(&run);
	ck_assert_ptr_null(run.image);
	ck_assert_uint_eq(run.functions.count, 0);
}
END_TEST

START_TEST(threads_are_told_apart)
{
	struct witness_thread *thread;

	set_up();
	for (int tid = 1; tid <= 40; tid++) {
		thread = find_thread(&run, tid);
		ck_assert_int_eq(thread->tid, tid);
		thread->cpu = true;
	}
	ck_assert_uint_eq(run.thread_count, 40);
	ck_assert_ptr_eq(find_thread(&run, 17), &run.thread[16]);
	forget_cpu(&run, 17);
	forget_cpu(&run, 41);
	for (int tid = 1; tid <= 40; tid++)
		ck_assert(find_thread(&run, tid)->cpu == (tid != 17));
	ck_assert_uint_eq(run.thread_count, 40);
	forget_threads(&run);
	ck_assert(!run.thread && !run.thread_count);
}
END_TEST

/* The number 0 is the first event of a program that was executed: only then another has ended. */
START_TEST(first_event_ends_the_program_before)
{
	static const struct {
		uint64_t number, seen, programs;
	} events[] = {
		{ 0, 1, 1 }, { 1, 2, 1 }, { 2, 3, 1 }, { 2, 3, 1 }, { 0, 1, 2 }, { 1, 2, 2 }
	};
	uint64_t stack[4] = { 0x401000 };
	struct shadow_stack shadow = { .count = 0 };
	struct error error = { 0 };

	set_up();
	run.memory = target_memory_create();
	run.functions.hooks = (struct witness_hooks) { .exit = 0x1300 };
	for (int i = 0; i < COUNT(events); i++) {
		const struct trace_stop stop = { .tid = 1,
						 .pid = getpid(),
						 .shadow = &shadow,
						 .regs.value = {
							 [REGISTER_RIP] = 0x1300,
							 [REGISTER_RSP] = (uint64_t)stack,
							 [REGISTER_R11] = events[i].number } };

		ck_assert(!on_stop(&run, &stop, &error));
		ck_assert_msg(run.seen == events[i].seen, "%d: %d seen", i, (int)run.seen);
		ck_assert_msg(result.programs == events[i].programs, "%d", i);
		ck_assert_uint_eq(run.thread_count, 1);
	}
	ck_assert_ptr_eq(run.error, &error);
	/* This machine may have shadow stacks, and this thread has none that can be read. */
	run.thread[0].cpu = true;
	for (int possible = 0; possible < 2; possible++) {
		run.cpu_possible = possible;
		ck_assert(!on_stop(&run,
				   &(struct trace_stop) {
					   .tid = 1, .regs.value = { [REGISTER_RIP] = 0x1301 } },
				   &error));
		ck_assert_uint_eq(run.thread[0].cpu, !possible);
	}
	/* What is no hook is no event. */
	ck_assert(!on_stop(
		&run, &(struct trace_stop) { .tid = 9, .regs.value = { [REGISTER_RIP] = 0x1301 } },
		&error));
	ck_assert_uint_eq(run.thread_count, 1);
	ck_assert_uint_eq(result.lost, 0);
	forget_threads(&run);
	target_memory_destroy(run.memory);
}
END_TEST

/* Two threads draw their numbers from one counter: each comes to a mark again by its own. Exec ends both, and what
 * nobody saw of either program is lost. */
START_TEST(threads_have_events_of_their_own)
{
	static const struct {
		int tid;
		uint64_t number, seen, next, lost;
		size_t threads;
	} events[] = {
		{ 1, 0, 1, 1, 0, 1 }, { 2, 1, 2, 2, 0, 2 }, { 2, 1, 2, 2, 0, 2 }, /* again */
		{ 1, 3, 3, 4, 0, 2 }, { 2, 2, 4, 4, 0, 2 }, { 1, 3, 4, 4, 0, 2 },
		{ 2, 2, 4, 4, 0, 2 }, { 2, 7, 5, 8, 0, 2 }, { 2, 0, 1, 1, 3, 1 }, /* exec */
		{ 1, 7, 2, 8, 3, 2 }, { 2, 3, 3, 8, 3, 2 }, { 1, 0, 1, 1, 8, 1 }, /* and again */
	};
	uint64_t stack[4] = { 0x401000 };
	struct shadow_stack shadow = { .count = 0 };
	struct error error = { 0 };
	uint64_t seen = 0;

	set_up();
	run.memory = target_memory_create();
	run.functions.hooks = (struct witness_hooks) { .exit = 0x1300 };
	for (int i = 0; i < COUNT(events); i++) {
		const struct trace_stop stop = { .tid = events[i].tid,
						 .pid = getpid(),
						 .shadow = &shadow,
						 .regs.value = {
							 [REGISTER_RIP] = 0x1300,
							 [REGISTER_RSP] = (uint64_t)stack,
							 [REGISTER_R11] = events[i].number } };

		ck_assert(!on_stop(&run, &stop, &error));
		ck_assert_msg(run.seen == events[i].seen && run.next == events[i].next,
			      "%d: %d seen of %d", i, (int)run.seen, (int)run.next);
		ck_assert_uint_eq(result.lost, events[i].lost);
		ck_assert_uint_eq(run.thread_count, events[i].threads);
		ck_assert_uint_eq(find_thread(&run, events[i].tid)->number, events[i].number);
		ck_assert_uint_ge(result.event[WITNESS_EXIT], seen);
		seen = result.event[WITNESS_EXIT];
	}
	forget_threads(&run);
	target_memory_destroy(run.memory);
}
END_TEST

START_TEST(events_are_counted)
{
	struct witness_function functions[] = { { .mute = true },
						{ .mute = false },
						{ .mute = true } };
	struct witness_event event = { .kind = WITNESS_ENTRY, .number = 5, .signal.handler = true };

	set_up();
	count_event(&run, &event);
	event.signal.handler = false;
	event.number = 0;
	count_event(&run, &event);
	event.kind = WITNESS_EXIT;
	event.number = 7;
	count_event(&run, &event);
	ck_assert_uint_eq(result.event[WITNESS_ENTRY], 2);
	ck_assert_uint_eq(result.event[WITNESS_EXIT], 1);
	ck_assert_uint_eq(result.handlers, 1);
	ck_assert_uint_eq(result.programs, 1);
	ck_assert_uint_eq(run.seen, 3);
	ck_assert_uint_eq(run.next, 8);
	/* Of the numbers up to 7 five were not seen. */
	run.functions = (struct witness_functions) { .function = functions, .count = 3 };
	end_program(&run);
	ck_assert_uint_eq(result.lost, 5);
	ck_assert_uint_eq(result.mute, 2);
	ck_assert_uint_eq(run.seen + run.next, 0);
}
END_TEST

/* A function's entry, and the truth at it: the hook's frame and the function's. */
static const struct {
	const char *name;
	size_t hidden;	  /* of the truth's frames, the innermost */
	bool overwritten; /* the function's return address */
	uint64_t frames;
	enum witness_difference_kind kind;
} comparisons[] = {
	{ "agrees", 0, false, 1, WITNESS_AGREES },
	{ "memory", 0, true, 1, WITNESS_MEMORY },
	{ "hook", 1, false, 0, WITNESS_HOOK },
};

START_TEST(event_is_held_against_the_truth)
{
	struct witness_function function = {
		.start = 0x400000, .end = 0x400040, .whole = 0x400000, .name = (char *)"f"
	};
	uint64_t stack[] = { 0x400005, 0x500000 };
	struct shadow_frame frame[] = {
		{ .slot = (uint64_t)&stack[1], .return_address = stack[1] },
		{ .slot = (uint64_t)&stack[0], .return_address = stack[0] },
	};
	struct shadow_stack shadow = { .frame = frame,
				       .count = COUNT(frame) - comparisons[_i].hidden };
	const struct trace_stop stop = { .pid = getpid(), .shadow = &shadow };
	const struct witness_event event = { .kind = WITNESS_ENTRY,
					     .number = 3,
					     .sp = (uint64_t)&stack[0],
					     .hook_return = stack[0],
					     .slot = (uint64_t)&stack[1],
					     .call_site = stack[1] };
	struct witness_thread *thread;

	set_up();
	run.functions = (struct witness_functions) { .function = &function, .count = 1 };
	thread = find_thread(&run, 1);
	stack[1] += comparisons[_i].overwritten;
	ck_assert(!take_event(&run, thread, &event, &stop));
	ck_assert(thread->reported && thread->number == 3);
	ck_assert_uint_eq(result.event[WITNESS_ENTRY], 1);
	ck_assert_msg(result.frames == comparisons[_i].frames, "%s: %d", comparisons[_i].name,
		      (int)result.frames);
	for (int kind = WITNESS_AGREES; kind < WITNESS_DIFFERENCE_COUNT; kind++)
		ck_assert_msg(result.differences[kind] ==
				      (kind != WITNESS_AGREES && kind == (int)comparisons[_i].kind),
			      "%s: %d", comparisons[_i].name, kind);
	forget_threads(&run);
}
END_TEST

SUITE(witness_run, TEST(each_hook_is_an_event), TEST(word_that_can_t_be_read_is_0),
      TEST(difference_is_counted_and_told), LOOP(handler_is_known_by_its_restorer, signal_cases),
      TEST(slot_is_above_what_is_pushed), TEST(reports_have_their_arguments),
      LOOP(numbers_that_nobody_saw_are_lost, number_cases),
      LOOP(words_of_the_cpu_are_those_since_it_had_a_stack, cpu_cases),
      TEST(functions_are_the_program_s), TEST(program_is_read_once), TEST(threads_are_told_apart),
      TEST(first_event_ends_the_program_before), TEST(threads_have_events_of_their_own),
      TEST(events_are_counted), LOOP(event_is_held_against_the_truth, comparisons))
