/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_outside_parts.c - what of a process is asked from outside, each question by itself
 *
 * The process is this one: what it has mapped is the test's. test_outside.c steps programs that do such things.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/suite.h"
#include "judge/compare/compare_outside.c"

#define PAGE  4096u
#define PAGES 8

/* Three frames: each is its return address; the outermost has no caller. */
__asm__(".text\n"
	"outside_frame: .cfi_startproc; call outside_frame\n"
	"outside_frame_after: nop; .cfi_endproc\n"
	"outside_outermost: .cfi_startproc; .cfi_undefined rip; call outside_frame\n"
	"outside_outermost_after: nop; .cfi_endproc\n");

extern const char outside_frame_after[], outside_outermost_after[];

/* Pages one behind the other: of files A and B, of none that can be written or not, or of nothing at all. Around them is
 * memory that nobody may read. */
static uint8_t *map_pages(const char *kinds)
{
	uint8_t *pages = mmap(NULL, (PAGES + 2) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
	FILE *file[2] = { tmpfile(), tmpfile() };

	ck_assert(pages != MAP_FAILED && file[0] && file[1]);
	pages += PAGE;
	for (int i = 0; i < 2; i++)
		ck_assert(!ftruncate(fileno(file[i]), PAGES * PAGE));
	for (int i = 0; kinds[i]; i++) {
		uint8_t *at = pages + i * PAGE;
		int fd = kinds[i] == 'A' || kinds[i] == 'B' ? fileno(file[kinds[i] - 'A']) : -1;
		int protection = kinds[i] == '-'   ? PROT_NONE
				 : kinds[i] == 'r' ? PROT_READ
						   : PROT_READ | PROT_WRITE;
		int flags = MAP_FIXED | (kinds[i] == 's' ? MAP_SHARED : MAP_PRIVATE) |
			    (fd < 0 ? MAP_ANONYMOUS : 0);

		ck_assert(mmap(at, PAGE, protection, flags, fd, i * PAGE) == at);
		if (kinds[i] == '.')
			ck_assert(!munmap(at, PAGE));
	}
	fclose(file[0]);
	fclose(file[1]);
	return pages;
}

/* ---- code that was replaced ------------------------------------------------------------------ */

static const struct {
	const char *name, *kinds; /* as of map_pages() */
	int page;
	bool replaces;
} replaced[] = {
	{ "between_two_of_one_file", "AwA", 1, true },
	{ "the_second_of_two", "AwrA", 2, true },
	{ "the_first_of_two", "AwrA", 1, true },
	{ "with_a_hole_around", "A.w.A", 2, true },
	{ "between_two_files", "AwB", 1, false },
	{ "between_the_last_and_another", "BAwB", 2, false },
	{ "between_two_of_the_nearer_file", "BAwA", 2, true },
	{ "behind_a_file", "AAw", 2, false },
	{ "before_a_file", "wAA", 0, false },
	{ "the_file_itself", "AAA", 1, false },
	{ "where_nothing_is", "A.A", 1, false },
};

START_TEST(anonymous_code_replaces_a_file_s)
{
	static struct comparer comparer;
	uint8_t *pages = map_pages(replaced[_i].kinds);

	comparer.space.pid = getpid();
	ck_assert_msg(replaces_code(&comparer, (uint64_t)pages + replaced[_i].page * PAGE + 7) ==
			      replaced[_i].replaces,
		      "%s", replaced[_i].name);
	comparer.space.pid = -1;
	ck_assert(!replaces_code(&comparer, (uint64_t)pages + replaced[_i].page * PAGE));
}
END_TEST

/* Each mapping is asked for itself, however often another is met; and not what has an image, or a name. */
START_TEST(what_is_known_is_of_one_mapping)
{
	static char entry; /* nothing of it is looked at */
	uint64_t at = (uint64_t)map_pages("AwAwBrA");
	struct mapping mappings[] = {
		{ at + PAGE, at + 2 * PAGE, 0, 0, NULL, (char *)"", 0 },
		{ at + 3 * PAGE, at + 4 * PAGE, 0, 0, NULL, (char *)"", 0 },
		{ at + 5 * PAGE, at + 6 * PAGE, 0, 0, NULL, (char *)"", 0 },
	};
	static struct comparer comparer;

	comparer.space =
		(struct address_space) { .pid = getpid(), .mapping = mappings, .mapping_count = 3 };
	for (int times = 0; times < 2; times++) {
		ck_assert(is_patched_away(&comparer, at + PAGE + times));
		ck_assert(!is_patched_away(&comparer, at + 3 * PAGE + times));
		ck_assert(!is_patched_away(&comparer, at + 5 * PAGE));
		ck_assert(is_patched_away(&comparer, at + 2 * PAGE - 1));
		ck_assert(!is_patched_away(&comparer, at));
	}
	mappings[0].path = (char *)"/a/file";
	ck_assert(!is_patched_away(&comparer, at + PAGE));
	mappings[0].path = (char *)"";
	mappings[0].entry = (struct image_entry *)&entry;
	ck_assert(!is_patched_away(&comparer, at + PAGE));
	/* One that ends elsewhere now is another. */
	mappings[0].entry = NULL;
	mappings[0].end = at + 4 * PAGE;
	ck_assert(!is_patched_away(&comparer, at + 3 * PAGE));
}
END_TEST

START_TEST(addresses_that_are_mapped)
{
	static struct comparer comparer;
	uint64_t at = (uint64_t)map_pages("w.-");

	comparer.space.pid = getpid();
	ck_assert(outside_is_mapped(&comparer, at));
	ck_assert(!outside_is_mapped(&comparer, at + PAGE));
	ck_assert(outside_is_mapped(&comparer, at + 2 * PAGE)); /* readable or not */
	comparer.space.pid = -1;
	ck_assert(!outside_is_mapped(&comparer, at));
}
END_TEST

/* ---- mappings that are held ------------------------------------------------------------------ */

static char entries[2];
#define ENTRY(number) ((struct image_entry *)&entries[number])

#define NOW(...) IN_BRACES(__VA_ARGS__)

/* A stack of two frames, in the first and in the second mapping. */
static const struct {
	const char *name;
	struct mapping now[2];
	size_t count;
	bool stale;
} spaces[] = {
	{ "as_they_were",
	  NOW({ 0x1000, 0x2000, 5, 0, ENTRY(0), NULL, 0 }, { 0x3000, 0x4000, 6, 0, NULL, NULL, 0 }),
	  2, false },
	{ "grown",
	  NOW({ 0x500, 0x2500, 5, 0, ENTRY(0), NULL, 0 }, { 0x3000, 0x5000, 6, 0, NULL, NULL, 0 }),
	  2, false },
	{ "another_image",
	  NOW({ 0x1000, 0x2000, 5, 0, ENTRY(1), NULL, 0 }, { 0x3000, 0x4000, 6, 0, NULL, NULL, 0 }),
	  2, true },
	{ "elsewhere_in_it",
	  NOW({ 0x1000, 0x2000, 7, 0, ENTRY(0), NULL, 0 }, { 0x3000, 0x4000, 6, 0, NULL, NULL, 0 }),
	  2, true },
	{ "no_image_and_no_place",
	  NOW({ 0x1000, 0x2000, 5, 0, ENTRY(0), NULL, 0 }, { 0x3000, 0x4000, 7, 0, NULL, NULL, 0 }),
	  2, false },
	{ "an_image_where_none_was",
	  NOW({ 0x1000, 0x2000, 5, 0, ENTRY(0), NULL, 0 },
	      { 0x3000, 0x4000, 6, 0, ENTRY(1), NULL, 0 }),
	  2, true },
	{ "not_mapped_any_more",
	  NOW({ 0x3000, 0x4000, 6, 0, NULL, NULL, 0 }, { 0x5000, 0x6000, 5, 0, ENTRY(0), NULL, 0 }),
	  2, true },
	{ "what_had_no_image_is_not", NOW({ 0x1000, 0x2000, 5, 0, ENTRY(0), NULL, 0 }), 1, false },
};

START_TEST(mappings_that_are_not_as_held)
{
	struct mapping before[] = { { 0x1000, 0x2000, 5, 0, ENTRY(0), NULL, 0 },
				    { 0x3000, 0x4000, 6, 0, NULL, NULL, 0 } };
	const struct address_space held = { .mapping = before, .mapping_count = 2 };
	const struct address_space now = { .mapping = (struct mapping *)spaces[_i].now,
					   .mapping_count = spaces[_i].count };
	uint64_t pc[] = { 0x1800, 0x3800 | WALK_PC_GUESSED };
	struct stack stack = { .pc = pc, .count = 2, .has_marks = true };

	ck_assert_msg(stack_is_stale(&stack, &held, &now) == spaces[_i].stale, "%s",
		      spaces[_i].name);
	ck_assert(!stack_is_stale(NULL, &held, &now));
	stack.count = 0;
	ck_assert(!stack_is_stale(&stack, &held, &now));
}
END_TEST

/* ---- the kernel's walk ------------------------------------------------------------------------ */

START_TEST(the_kernel_s_walk_has_a_twin)
{
	uint64_t pc[] = { 1, 2 };
	const struct stack one = { .pc = pc, .count = 1 }, two = { .pc = pc, .count = 2 },
			   fault = { .pc = pc, .count = 1, .stop = STOP_READ_FAULT };
	struct evidence evidence = { .table = &one, .bpf = &one };

	ck_assert(!walks_differ(&evidence));
	ck_assert(!ends_unread(&evidence));
	evidence.bpf = &two;
	ck_assert(walks_differ(&evidence));
	/* Where both were told to follow it is that one. */
	evidence.followed = &two;
	ck_assert(!walks_differ(&evidence));
	evidence.bpf = &one;
	ck_assert(walks_differ(&evidence));
	evidence.bpf = NULL;
	ck_assert(!walks_differ(&evidence));
	ck_assert(!ends_unread(&evidence));
	evidence = (struct evidence) { .bpf = &fault };
	ck_assert(!walks_differ(&evidence));
	ck_assert(ends_unread(&evidence));
}
END_TEST

/* ---- verdicts --------------------------------------------------------------------------------- */

static struct verdict_world {
	struct comparer comparer;
	struct shadow_stack shadow;
	struct trace_stop stop;
	struct register_values regs;
	struct memory_reader memory;
	struct point point;
	struct evidence evidence;
	struct stack short_one;
} w;

/* words: the stack. */
static void set_up(uint64_t *words)
{
	struct error error;

	memset(&w, 0, sizeof(w));
	w.comparer.store = image_store_create();
	w.comparer.memory = target_memory_create();
	ck_assert(!address_space_read(&w.comparer.space, w.comparer.store, getpid(), &error));
	target_memory_reset(w.comparer.memory, getpid());
	w.memory = target_memory_reader(w.comparer.memory);
	words[0] = (uint64_t)outside_frame_after;
	words[1] = (uint64_t)outside_outermost_after;
	w.regs.known = UINT32_MAX;
	w.regs.value[REGISTER_RIP] = (uint64_t)outside_frame_after;
	w.regs.value[REGISTER_RSP] = (uint64_t)words;
	w.stop = (struct trace_stop) { .tid = getpid(), .shadow = &w.shadow, .alone = true };
	w.point = (struct point) {
		.stop = &w.stop, .space = &w.comparer.space, .regs = &w.regs, .memory = &w.memory
	};
	for (int i = 0; i < 2; i++)
		ck_assert(!(i ? walk_table : walk_rows)(&w.comparer.space, &w.regs, &w.memory, NULL,
							i ? &w.comparer.table : &w.comparer.cfi,
							&error));
	ck_assert_uint_eq(w.comparer.cfi.count, 3);
	ck_assert(!stack_copy(&w.comparer.truth, &w.comparer.cfi, &error));
	w.short_one = (struct stack) { .pc = w.comparer.cfi.pc, .count = 1 };
	w.evidence = (struct evidence) { .point = &w.point,
					 .truth = &w.comparer.truth,
					 .cfi = &w.comparer.cfi,
					 .table = &w.comparer.table };
}

static void tear_down(void)
{
	stack_deinit(&w.comparer.truth);
	stack_deinit(&w.comparer.cfi);
	stack_deinit(&w.comparer.table);
	stack_deinit(&w.comparer.other);
	address_space_deinit(&w.comparer.space);
	target_memory_destroy(w.comparer.memory);
	image_store_destroy(w.comparer.store);
}

/* The mapping of our code is held as it is not. */
static void move_code(void)
{
	for (size_t i = 0; i < w.comparer.space.mapping_count; i++)
		if (w.comparer.space.mapping[i].start <= (uint64_t)outside_frame_after &&
		    (uint64_t)outside_frame_after < w.comparer.space.mapping[i].end)
			w.comparer.space.mapping[i].bias += PAGE;
}

#define NOT_DOUBTFUL DOUBT_REASON_COUNT

static const struct doubtful_case {
	const char *name;
	enum verdict verdict;
	enum fault_kind kind;
	bool shared, moved, other_thread, bpf_differs; /* shared: others can write to the stack */
	enum doubt_reason reason;
	bool stale;
} doubtful[] = {
	{ "exact", VERDICT_EXACT, FAULT_NONE, true, true, true, true, NOT_DOUBTFUL, false },
	{ "a_flagged_loss", VERDICT_CONVERSION_LOSS_FLAGGED, FAULT_FLAGGED, true, true, true, true,
	  NOT_DOUBTFUL, false },
	{ "absent", VERDICT_ABSENT, FAULT_NONE, true, true, true, true, NOT_DOUBTFUL, false },
	{ "unproven", VERDICT_UNPROVEN, FAULT_WRONG, true, true, true, true, NOT_DOUBTFUL, false },
	{ "a_walk_fault", VERDICT_WALK_FAULT, FAULT_WRONG, false, false, false, true, NOT_DOUBTFUL,
	  false },
	{ "beside_another_thread", VERDICT_WALK_FAULT, FAULT_WRONG, false, false, true, true,
	  DOUBT_OUTSIDE, false },
	{ "which_changed_nothing", VERDICT_READER_FAULT, FAULT_WRONG, false, false, true, false,
	  NOT_DOUBTFUL, false },
	{ "on_a_stack_that_others_write", VERDICT_WALK_FAULT, FAULT_WRONG, true, false, false, true,
	  DOUBT_OUTSIDE, false },
	{ "in_code_that_has_moved", VERDICT_WALK_FAULT, FAULT_WRONG, false, true, false, true,
	  DOUBT_OUTSIDE, true },
	{ "a_silent_loss", VERDICT_CONVERSION_LOSS_SILENT, FAULT_SILENT, false, false, false, false,
	  NOT_DOUBTFUL, false },
	{ "a_silent_loss_on_such_a_stack", VERDICT_CONVERSION_LOSS_SILENT, FAULT_SILENT, true,
	  false, false, false, DOUBT_OUTSIDE, false },
	{ "a_reader_on_it", VERDICT_READER_FAULT, FAULT_WRONG, true, false, false, false,
	  DOUBT_OUTSIDE, false },
	{ "what_nothing_explains_there", VERDICT_UNEXPLAINED, FAULT_WRONG, true, false, false,
	  false, DOUBT_OUTSIDE, false },
	{ "what_nothing_explains", VERDICT_UNEXPLAINED, FAULT_WRONG, false, false, false, false,
	  NOT_DOUBTFUL, false },
	{ "a_row_that_is_wrong", VERDICT_TABLE_FAULT, FAULT_WRONG, true, false, true, true,
	  NOT_DOUBTFUL, false },
	{ "of_another_image", VERDICT_TABLE_FAULT, FAULT_WRONG, false, true, false, false,
	  DOUBT_OUTSIDE, true },
};

START_TEST(verdicts_that_rest_on_what_is_read)
{
	const struct doubtful_case *c = &doubtful[_i];
	uint64_t *words = (uint64_t *)map_pages(c->shared ? "s" : "w");
	const struct judgement judgement = { .verdict = c->verdict,
					     .kind = c->kind,
					     .pc = (uint64_t)outside_frame_after };
	enum doubt_reason reason;
	bool is_doubtful;

	set_up(words);
	w.stop.alone = !c->other_thread;
	w.evidence.bpf = c->bpf_differs ? &w.short_one : NULL;
	if (c->moved)
		move_code();
	is_doubtful = outside_is_doubtful(&w.comparer, &w.evidence, &judgement, &reason);
	ck_assert_msg(is_doubtful == (c->reason != NOT_DOUBTFUL), "%s", c->name);
	if (is_doubtful)
		ck_assert_msg(reason == c->reason, "%s: %s", c->name, doubt_reason_name(reason));
	ck_assert_msg(w.comparer.stale == c->stale, "%s", c->name);
	tear_down();
}
END_TEST

/* Whichever stack goes through what has moved: the truth's, the CFI's, or the one that the kernel has found. */
START_TEST(each_stack_s_mappings_are_looked_at)
{
	uint64_t words[2], own[] = { (uint64_t)outside_frame_after },
			   other[] = { (uint64_t)strtoull };
	const struct stack through = { .pc = own, .count = 1 }, past = { .pc = other, .count = 1 };

	set_up(words);
	w.evidence.truth = _i == 0 ? &through : &past;
	w.evidence.cfi = _i == 1 ? &through : &past;
	w.evidence.bpf = _i == 2 ? &through : _i == 3 ? &past : NULL;
	ck_assert(!mappings_are_stale(&w.comparer, &w.evidence));
	move_code();
	ck_assert_int_eq(mappings_are_stale(&w.comparer, &w.evidence), _i < 3);
	tear_down();
}
END_TEST

/* That no FDE covers it may be since the code is not the file's; else it is a question of who may have registered some. */
START_TEST(missing_cfi_has_reasons_of_its_own)
{
	uint64_t at = (uint64_t)map_pages("AwAw"), words[2];
	struct mapping mappings[] = {
		{ at + PAGE, at + 2 * PAGE, 0, 0, NULL, (char *)"", 0 },
		{ at + 3 * PAGE, at + 4 * PAGE, 0, 0, NULL, (char *)"", 0 },
	};
	struct judgement judgement = { .verdict = VERDICT_TABLE_FAULT, .kind = FAULT_MISSING };
	struct mapping *own;
	enum doubt_reason reason;
	size_t count;

	set_up(words);
	own = w.comparer.space.mapping;
	count = w.comparer.space.mapping_count;
	w.comparer.space.mapping = mappings;
	w.comparer.space.mapping_count = 2;
	for (int may = 0; may < 2; may++) {
		/* What is known of the images, which there are none of. */
		w.comparer.registering.images = 1;
		w.comparer.registering.may = may;
		judgement.pc = at + PAGE;
		ck_assert(outside_is_doubtful(&w.comparer, &w.evidence, &judgement, &reason));
		ck_assert_int_eq(reason, DOUBT_PATCHED);
		judgement.pc = at + 3 * PAGE;
		ck_assert(outside_is_doubtful(&w.comparer, &w.evidence, &judgement, &reason) ==
			  may);
		ck_assert_int_eq(reason, DOUBT_ELSEWHERE);
		ck_assert(!w.comparer.stale);
	}
	w.comparer.space.mapping = own;
	w.comparer.space.mapping_count = count;
	tear_down();
}
END_TEST

/* ---- the kernel's own code --------------------------------------------------------------------- */

#define PROBES 0x7000u /* where it is, if it is there */

static const struct {
	const char *name;
	enum verdict verdict;
	uint64_t pc, last; /* at fault; the cfi engine's last frame */
	enum stop_reason stop;
	bool there, behind;
} probes[] = {
	{ "the_fault_is_there", VERDICT_TABLE_FAULT, PROBES, 0x10, STOP_COMPLETE, true, true },
	{ "the_walk_ends_there", VERDICT_TABLE_FAULT, 0x10, PROBES, STOP_NO_MAPPING, true, true },
	{ "of_a_reader", VERDICT_READER_FAULT, 0x10, PROBES, STOP_NO_MAPPING, true, true },
	{ "of_what_nothing_explains", VERDICT_UNEXPLAINED, 0x10, PROBES, STOP_NO_MAPPING, true,
	  true },
	{ "it_ends_there_for_another_reason", VERDICT_TABLE_FAULT, 0x10, PROBES, STOP_READ_FAULT,
	  true, false },
	{ "it_ends_elsewhere", VERDICT_TABLE_FAULT, 0x10, 0x20, STOP_NO_MAPPING, true, false },
	{ "it_has_no_frame", VERDICT_TABLE_FAULT, 0x10, 0, STOP_NO_MAPPING, true, false },
	{ "nobody_is_accused", VERDICT_CONVERSION_LOSS_FLAGGED, PROBES, PROBES, STOP_NO_MAPPING,
	  true, false },
	{ "there_is_none", VERDICT_TABLE_FAULT, PROBES, PROBES, STOP_NO_MAPPING, false, false },
};

START_TEST(what_is_behind_a_probe)
{
	struct mapping mapping = {
		PROBES, PROBES + PAGE, 0, 0, NULL, (char *)(probes[_i].there ? "[uprobes]" : ""), 0
	};
	uint64_t words[2], pc[] = { 0x30, probes[_i].last };
	const struct judgement judgement = { .verdict = probes[_i].verdict,
					     .kind = FAULT_WRONG,
					     .pc = probes[_i].pc };
	enum doubt_reason reason = NOT_DOUBTFUL;
	struct mapping *own;
	struct stack cfi;
	size_t count;

	set_up(words);
	own = w.comparer.space.mapping;
	count = w.comparer.space.mapping_count;
	cfi = w.comparer.cfi;
	w.comparer.space.mapping = &mapping;
	w.comparer.space.mapping_count = 1;
	w.comparer.cfi = (struct stack) { .pc = pc,
					  .count = probes[_i].last ? 2 : 0,
					  .stop = probes[_i].stop };
	outside_is_doubtful(&w.comparer, &w.evidence, &judgement, &reason);
	ck_assert_msg((reason == DOUBT_UPROBE) == probes[_i].behind, "%s", probes[_i].name);
	w.comparer.cfi = cfi;
	w.comparer.space.mapping = own;
	w.comparer.space.mapping_count = count;
	tear_down();
}
END_TEST

/* Where a walk ends in no mapping, maps is asked whether there is one by now; of each page once. */
static const struct {
	const char *name;
	enum stop_reason stop;
	uint64_t pc;
	bool asked;
} ends[] = {
	{ "in_no_mapping", STOP_NO_MAPPING, 0x9010, true },
	{ "in_no_mapping_further_on", STOP_NO_MAPPING, 0x9010 + UNMAPPED_PAGES *PAGE, true },
	{ "for_another_reason", STOP_READ_FAULT, 0x9010, false },
	{ "in_a_mapping", STOP_NO_MAPPING, PROBES + 8, false },
};

START_TEST(pages_that_are_in_no_mapping)
{
	struct mapping mapping = { PROBES, PROBES + PAGE, 0, 0, NULL, (char *)"", 0 };
	static struct comparer comparer;
	uint64_t pc[] = { 0x30, ends[_i].pc };
	uint64_t *asked = &comparer.unmapped[ends[_i].pc / PAGE % UNMAPPED_PAGES];

	comparer.space =
		(struct address_space) { .pid = getpid(), .mapping = &mapping, .mapping_count = 1 };
	comparer.cfi = (struct stack) { .pc = pc, .count = 2, .stop = ends[_i].stop };
	*asked = 9 + 2 * UNMAPPED_PAGES; /* another page in its place */
	for (int again = 0; again < 2; again++) {
		ck_assert_int_eq(compare_find_uprobes(&comparer), 0);
		ck_assert_msg((*asked == ends[_i].pc / PAGE) == ends[_i].asked, "%s",
			      ends[_i].name);
	}
	comparer.cfi.count = 0;
	ck_assert_int_eq(compare_find_uprobes(&comparer), 0);
}
END_TEST

/* ---- memory ------------------------------------------------------------------------------------ */

/* The words begin so many bytes before the second page's begin. */
static const struct {
	const char *name, *kinds;
	int before;
	bool doubtful;
} memories[] = {
	{ "our_own", "ww", 0, false },
	{ "that_others_write", "ss", 0, true },
	{ "the_second_word_is", "ws", 8, true },
	{ "the_first_word_is", "sw", 8, true },
	{ "which_is_before_it", "sw", 0, false },
	{ "that_only_we_can_read", "w-", 8, true },
	{ "that_nobody_has", "w.", 8, false },
};

static uint64_t scratch[2],
	read_by_force; /* where the second word is read whatever protects it; 0: nowhere */

static int read_word(void *context, uint64_t address, void *ret, size_t size)
{
	if (address == read_by_force && size == sizeof(scratch[1])) {
		memcpy(ret, &scratch[1], size);
		return 0;
	}
	return w.memory.read(w.memory.context, address, ret, size);
}

START_TEST(memory_that_is_in_doubt)
{
	const struct memory_reader reader = { .read = read_word };
	uint64_t *words;

	words = (uint64_t *)(map_pages("ww") + PAGE);
	set_up(words);
	/* The same walk, on other memory. */
	words = (uint64_t *)(map_pages(memories[_i].kinds) + PAGE - memories[_i].before);
	scratch[0] = (uint64_t)outside_frame_after;
	scratch[1] = (uint64_t)outside_outermost_after;
	for (int i = 0; i < 2; i++) {
		int page = (i * 8 - memories[_i].before) >= 0;

		if (memories[_i].kinds[page] == 'w' || memories[_i].kinds[page] == 's')
			words[i] = scratch[i];
	}
	read_by_force = memories[_i].kinds[1] == '-' ? (uint64_t)&words[1] : 0;
	w.point.memory = &reader;
	w.regs.value[REGISTER_RSP] = (uint64_t)words;
	target_memory_reset(w.comparer.memory, getpid());
	ck_assert_msg(memory_is_doubtful(&w.comparer, &w.evidence) == memories[_i].doubtful, "%s",
		      memories[_i].name);
	/* Who can't be asked says nothing. */
	w.comparer.space.pid = -1;
	ck_assert(!memory_is_doubtful(&w.comparer, &w.evidence));
	tear_down();
}
END_TEST

/* Only who follows frame pointers reads what those lead to. */
START_TEST(what_a_frame_pointer_leads_to)
{
	uint64_t words[2], *shared = (uint64_t *)map_pages("s");

	set_up(words);
	w.regs.value[REGISTER_RIP] = (uint64_t)words; /* no code */
	w.regs.value[REGISTER_RSP] = (uint64_t)shared;
	w.regs.value[REGISTER_RBP] = (uint64_t)(shared + 2);
	shared[3] = (uint64_t)outside_outermost_after;
	w.comparer.options.follow_frame_pointers = _i;
	ck_assert_int_eq(memory_is_doubtful(&w.comparer, &w.evidence), _i);
	tear_down();
}
END_TEST

/* Reads are noted, those that fail too; as many as there is room for. */
static int read_odd(void *context, uint64_t address, void *ret, size_t size)
{
	return address & 1 ? -1 : 0;
}

START_TEST(reads_are_noted)
{
	struct noted_read *notes = calloc(NOTES_MAX + 1, sizeof(*notes));
	struct noting_memory memory = { .all = { .read = read_odd }, .note = notes };
	char byte;

	for (uint64_t i = 0; i < NOTES_MAX + 2; i++)
		ck_assert_int_eq(noting_read(&memory, i, &byte, i % 7), i & 1 ? -1 : 0);
	ck_assert_uint_eq(memory.count, NOTES_MAX);
	for (uint64_t i = 0; i < NOTES_MAX; i++)
		ck_assert(notes[i].address == i && notes[i].size == i % 7 &&
			  notes[i].failed == (i & 1));
	ck_assert(!notes[NOTES_MAX].address);
	free(notes);
}
END_TEST

SUITE(outside_parts, LOOP(anonymous_code_replaces_a_file_s, replaced),
      TEST(what_is_known_is_of_one_mapping), TEST(addresses_that_are_mapped),
      LOOP(mappings_that_are_not_as_held, spaces), TEST(the_kernel_s_walk_has_a_twin),
      LOOP(verdicts_that_rest_on_what_is_read, doubtful),
      TIMES(each_stack_s_mappings_are_looked_at, 5), TEST(missing_cfi_has_reasons_of_its_own),
      LOOP(what_is_behind_a_probe, probes), LOOP(pages_that_are_in_no_mapping, ends),
      LOOP(memory_that_is_in_doubt, memories), TIMES(what_a_frame_pointer_leads_to, 2),
      TEST(reads_are_noted))
