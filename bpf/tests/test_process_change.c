/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_process_change.c - what an event makes of what is known of a process
 *
 * No process is looked at: events are made up. The one image is this program's, in a store.
 */
#include <stdlib.h>
#include <unistd.h>
#include "tests/suite.h"
#include "process_change.c"

#define TIME  100
#define START 0x10000
#define END   0x12000

struct fixture {
	struct process_set set;
	struct process *process;
	struct image_store *store;
	struct image_entry *entry;
	char path[4096];
};

static void setup(struct fixture *f)
{
	struct error error;
	ssize_t size;

	*f = (struct fixture) { .store = image_store_create() };
	size = readlink("/proc/self/exe", f->path, sizeof(f->path) - 1);
	ck_assert_int_gt(size, 0);
	f->entry = image_store_open(f->store, f->path, &error);
	ck_assert_ptr_nonnull(f->entry);
	f->process = process_set_get(&f->set, getpid());
	f->process->alive = true;
	f->process->known = known_space_create();
	f->process->known->true_ns = TIME - 1;
	f->process->known->space.store = f->store;
}

static void teardown(struct fixture *f)
{
	process_set_deinit(&f->set);
	image_store_destroy(f->store);
}

/* Maps the program's code, or nothing, at START. */
static void put(struct known_space *known, const struct fixture *f, bool image)
{
	struct mapped_range range = { .start = START,
				      .end = END,
				      .path = (char *)f->path,
				      .entry = image ? f->entry : NULL };
	const struct image_segment *segment = f->entry->image->segment;
	struct error error;

	while (!segment->executable)
		segment++;
	range.offset = segment->file_offset & ~(uint64_t)(TABLE_PAGE_SIZE - 1);
	ck_assert(!address_space_map(&known->space, &range, &error));
	ck_assert_int_eq(has_image(&known->space), image);
}

/* ---- the image of a mapping ---------------------------------------------------------------- */

static const struct {
	const char *name;
	const char *path; /* NULL: the program's */
	int inode;	  /* off by so much; -1: 0 */
	bool told, found;
} image_cases[] = {
	{ "the_program", NULL, 0, true, true },
	{ "another_file_of_its_name", NULL, 1, false, false },
	{ "no_file", "/nowhere/file", 0, false, false },
	{ "no_path", "file", 0, false, false },
	{ "anonymous", "", -1, true, false },
	{ "the_vdso_that_is_not_in_the_store", "[vdso]", -1, false, false },
	{ "another_that_is_no_file", "[stack]", -1, true, false },
};

START_TEST(image_is_found_by_its_file)
{
	struct process_mapping mapping = { .path = image_cases[_i].path };
	struct image_entry *entry;
	struct fixture f;

	setup(&f);
	if (!mapping.path)
		mapping.path = f.path;
	if (image_cases[_i].inode >= 0) {
		mapping.device = f.entry->version.device;
		mapping.inode = f.entry->version.inode + image_cases[_i].inode;
	}
	entry = f.entry + 1;
	ck_assert_msg(find_image(f.store, getpid(), &mapping, &entry) == image_cases[_i].told, "%s",
		      image_cases[_i].name);
	ck_assert_ptr_eq(entry, image_cases[_i].found ? f.entry : NULL);
	teardown(&f);
}
END_TEST

/* ---- a mapping ----------------------------------------------------------------------------- */

static const struct map_case {
	const char *name;
	uint64_t time;
	bool unread, unknown; /* before */
	bool lost;	      /* the event has no path */
	bool elsewhere;	      /* its file can't be found */
	bool read, given;
	uint64_t true_ns; /* then */
	bool marked;	  /* the version that the walk has */
} map_cases[] = {
	{ "taken", TIME, false, false, false, false, false, true, TIME - 1, false },
	{ "it_was_read_since", TIME - 1, false, false, false, false, false, false, TIME - 1,
	  false },
	{ "later", TIME + 50, false, false, false, false, false, true, TIME + 49, false },
	{ "to_be_read_anyway", TIME, true, false, false, false, false, false, TIME - 1, true },
	{ "nothing_is_known", TIME, false, true, false, false, true, false, 0, true },
	{ "a_path_that_was_lost", TIME, false, false, true, false, true, false, TIME - 1, true },
	{ "a_file_that_is_not_there", TIME, false, false, false, true, true, false, TIME - 1,
	  true },
};

START_TEST(mapping_is_taken_or_must_be_read)
{
	const struct map_case *c = &map_cases[_i];
	struct process_event event = { .time_ns = c->time,
				       .mapping = { .start = START, .end = END, .path = "" } };
	struct process *process;
	struct fixture f;

	setup(&f);
	process = f.process;
	ck_assert(process_version_add(process, 1, 1));
	process->unread = c->unread;
	if (c->unknown) {
		known_space_release(process->known);
		process->known = NULL;
	}
	if (c->lost)
		event.mapping.path = NULL;
	if (c->elsewhere) {
		event.mapping.path = "/nowhere/file";
		event.mapping.inode = 5;
	}
	process_maps(&f.set, process, f.store, &event);
	ck_assert_msg(process->unread == (c->unread || c->read), "%s: unread", c->name);
	ck_assert_ptr_eq(process_set_pop(&f.set, PROCESS_READ), c->read ? process : NULL);
	ck_assert_ptr_eq(process_set_pop(&f.set, PROCESS_GIVE), c->given ? process : NULL);
	ck_assert_ptr_eq(process_set_pop(&f.set, PROCESS_CHECK), c->given ? process : NULL);
	ck_assert_int_eq(process->unchecked, c->given);
	ck_assert_uint_eq(process->check_ns, c->given ? c->time : 0);
	if (process->known) {
		ck_assert_uint_eq(process->known->true_ns, c->true_ns);
		ck_assert_uint_eq(process->known->space.mapping_count, c->given);
	}
	ck_assert_msg(process->version->change_count == c->marked, "%s: %u changes", c->name,
		      process->version->change_count);
	if (c->marked) {
		const struct list_change *change = &process->version->change[0];

		ck_assert_uint_eq(change->time_ns, c->time);
		ck_assert_uint_eq(change->start, c->lost ? 0 : START);
		ck_assert_uint_eq(change->end, c->lost ? UINT64_MAX : END);
	}
	teardown(&f);
}
END_TEST

/* Code may have been copied there, and then it is the image's still. */
START_TEST(anonymous_memory_in_place_of_code_is_read)
{
	struct process_event event = { .time_ns = TIME,
				       .mapping = { .start = START, .end = END, .path = "" } };
	struct fixture f;

	setup(&f);
	put(f.process->known, &f, true);
	process_maps(&f.set, f.process, f.store, &event);
	ck_assert(f.process->unread);
	ck_assert_ptr_nonnull(f.process->known->space.mapping[0].entry);
	teardown(&f);
}
END_TEST

/* What brings an image, or takes one away, misleads who has the old list. */
START_TEST(mapping_misleads_where_it_differs)
{
	struct process_event event = {
		.time_ns = TIME, .mapping = { .start = START, .end = END, .path = "[stack]" }
	};
	struct fixture f;

	setup(&f);
	put(f.process->known, &f, true);
	ck_assert(process_version_add(f.process, 1, 1));
	process_maps(&f.set, f.process, f.store, &event);
	ck_assert_ptr_ne(f.process->known, f.process->version->known);
	ck_assert_ptr_eq(f.process->version->known->space.mapping[0].entry, f.entry);
	ck_assert_ptr_null(f.process->known->space.mapping[0].entry);
	ck_assert_uint_eq(f.process->version->change_count, 1);
	teardown(&f);
}
END_TEST

/* ---- a new program -------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t time;
	bool begins; /* anew */
} exec_cases[] = {
	{ "later", TIME, true },
	{ "at_that_time", TIME - 1, false },
	{ "before", TIME - 2, false },
};

START_TEST(program_begins_with_nothing)
{
	bool begins = exec_cases[_i].begins;
	struct known_space *before;
	struct process *process;
	struct fixture f;

	setup(&f);
	process = f.process;
	before = process->known;
	put(before, &f, true);
	process->unread = true;
	ck_assert(process_version_add(process, 1, 1));
	process->version->known->true_ns = TIME - 1;
	process_executes(&f.set, process, f.store, exec_cases[_i].time);
	ck_assert_msg((process->known != before) == begins, "%s", exec_cases[_i].name);
	ck_assert_int_eq(process->executed, begins);
	ck_assert_int_eq(process->unread, !begins);
	ck_assert_int_eq(process->unchecked, begins);
	ck_assert_uint_eq(process->known->space.mapping_count, !begins);
	ck_assert_uint_eq(process->known->true_ns, TIME - 1);
	ck_assert_ptr_eq(process_set_pop(&f.set, PROCESS_CHECK), begins ? process : NULL);
	ck_assert_uint_eq(process->version->change_count, begins);
	if (begins) {
		ck_assert_int_eq(process->known->space.pid, process->pid);
		ck_assert_ptr_eq(process->known->space.store, f.store);
		ck_assert_uint_eq(process->version->change[0].time_ns, TIME);
		ck_assert_uint_eq(process->version->change[0].start, 0);
		ck_assert_uint_eq(process->version->change[0].end, UINT64_MAX);
	}
	teardown(&f);
}
END_TEST

/* ---- what nobody saw ------------------------------------------------------------------------ */

START_TEST(all_versions_are_unsure)
{
	struct fixture f;

	for (int alive = 0; alive < 2; alive++) {
		setup(&f);
		ck_assert(process_version_add(f.process, 1, 1));
		ck_assert(process_version_add(f.process, 2, 2));
		f.process->alive = alive;
		process_unknown_since(&f.set, f.process, 1);
		ck_assert_uint_eq(f.process->version->change_count, 1);
		ck_assert_uint_eq(f.process->version->older->change_count, 1);
		ck_assert_uint_eq(f.process->version->change[0].time_ns, 1);
		ck_assert_int_eq(f.process->unread, alive);
		ck_assert_ptr_eq(process_set_pop(&f.set, PROCESS_READ), alive ? f.process : NULL);
		teardown(&f);
	}
}
END_TEST

static const struct {
	const char *name;
	bool before, now, nothing; /* has an image; has no mapping */
	uint64_t version_ns;	   /* what the walk has is true up to then; now is TIME - 1 */
	bool mistaken, marked;
} mistaken_cases[] = {
	{ "the_same", true, true, false, 10, false, false },
	{ "an_image_that_was_not_known", false, true, false, 10, true, true },
	{ "an_image_less", true, false, false, 10, false, false },
	{ "no_mapping", true, false, true, 10, false, false },
	{ "a_version_of_now", false, true, false, TIME - 1, true, false },
	{ "a_version_just_before", false, true, false, TIME - 2, true, true },
};

START_TEST(image_was_elsewhere)
{
	struct known_space *before = known_space_create(), *own;
	struct fixture f;

	setup(&f);
	before->true_ns = 7;
	put(before, &f, mistaken_cases[_i].before);
	ck_assert(process_version_add(f.process, 1, 1));
	own = known_space_own(f.process->known);
	ck_assert_ptr_nonnull(own);
	f.process->known = own;
	f.process->version->known->true_ns = mistaken_cases[_i].version_ns;
	if (!mistaken_cases[_i].nothing)
		put(own, &f, mistaken_cases[_i].now);
	ck_assert_msg(process_was_mistaken(f.process, before) == mistaken_cases[_i].mistaken, "%s",
		      mistaken_cases[_i].name);
	ck_assert_uint_eq(f.process->version->change_count, mistaken_cases[_i].marked);
	if (mistaken_cases[_i].marked)
		ck_assert_uint_eq(f.process->version->change[0].time_ns, 7);
	known_space_release(before);
	teardown(&f);
}
END_TEST

/* ---- whether the list will do --------------------------------------------------------------- */

static const struct given_case {
	const char *name;
	bool version, changed, other_image, has_image, unchecked;
	bool given;
} given_cases[] = {
	{ "the_walk_has_none", false, false, false, true, false, false },
	{ "it_has_the_same", true, false, false, true, false, true },
	{ "it_has_the_same_of_a_new_program", true, false, false, true, true, true },
	{ "it_has_no_image_there", true, false, true, true, false, false },
	{ "something_has_changed_since", true, true, false, true, false, false },
	{ "nothing_is_mapped_yet", false, false, false, false, true, true },
	{ "nothing_is_mapped_and_it_was_read", false, false, false, false, false, false },
};

START_TEST(list_will_do)
{
	const struct given_case *c = &given_cases[_i];
	struct known_space *given;
	struct fixture f;

	setup(&f);
	put(f.process->known, &f, c->has_image != c->other_image);
	if (c->version)
		ck_assert(process_version_add(f.process, 1, 1));
	given = f.process->known;
	if (c->version)
		f.process->known = known_space_own(f.process->known);
	ck_assert_ptr_nonnull(f.process->known);
	put(f.process->known, &f, c->has_image);
	f.process->unchecked = c->unchecked;
	if (c->changed)
		process_version_change(f.process->version, 1, 0, 1);
	ck_assert_msg(process_is_given(f.process) == c->given, "%s", c->name);
	if (c->version) {
		/* What the walk has is known to be true later, too. */
		ck_assert_ptr_eq(f.process->version->known, c->given ? f.process->known : given);
		ck_assert_uint_eq(f.process->known->references, 1 + c->given);
	}
	teardown(&f);
}
END_TEST

SUITE(process_change, LOOP(image_is_found_by_its_file, image_cases),
      LOOP(mapping_is_taken_or_must_be_read, map_cases),
      TEST(anonymous_memory_in_place_of_code_is_read), TEST(mapping_misleads_where_it_differs),
      LOOP(program_begins_with_nothing, exec_cases), TEST(all_versions_are_unsure),
      LOOP(image_was_elsewhere, mistaken_cases), LOOP(list_will_do, given_cases))
