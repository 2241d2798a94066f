/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_image_pool.c - what carries `prove` and `stat` over a machine
 *
 * Which files a directory stands for, and that a process that dies, hangs or says much takes
 * nothing with it but its own image.
 */
#include <elf.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "clock.h"
#include "base/cli/cut_file.h"
#include "base/images/image_objects.h"

static double made_seconds(void);
static int made_poll(struct pollfd *fds, nfds_t count, int timeout);
static ssize_t made_pwrite(int fd, const void *data, size_t size, off_t at);
#define monotonic_seconds made_seconds
#define poll		  made_poll
#define pwrite		  made_pwrite
#include "base/images/image_pool.c"
#undef monotonic_seconds
#undef poll
#undef pwrite

/*
 * The pool's clock stands still: how fast a machine is decides nothing. It goes on when only those are left that
 * hang, have said all that they have to say, and have been heard.
 */
static double seconds;
static bool *hanging; /* shared with the workers: COUNT(fate_cases), by fate; NULL: nobody hangs */
static int left_hanging, left_others;
static bool writes_nothing;

static double made_seconds(void)
{
	return seconds;
}

static bool all_hang(void)
{
	int count = 0;

	for (int i = 0; hanging && i < 16; i++)
		count += __atomic_load_n(&hanging[i], __ATOMIC_SEQ_CST);
	return hanging && count == left_hanging && !left_others;
}

static int made_poll(struct pollfd *fds, nfds_t count, int timeout)
{
	/* Before the look: what they say is in the pipes by then. */
	bool hang = all_hang();
	int ready = poll(fds, count, hang ? 0 : 10);

	if (hang && !ready)
		seconds += 3600;
	return ready;
}

/* A write of nothing, where errno is what an interrupted call left. */
static ssize_t made_pwrite(int fd, const void *data, size_t size, off_t at)
{
	if (!writes_nothing)
		return pwrite(fd, data, size, at);
	errno = EINTR;
	return 0;
}

/* ---- which files -------------------------------------------------------------------------- */

static void put_file(const char *directory, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	FILE *file = fopen(path, "w");
	ck_assert(file && fputs(text, file) >= 0);
	fclose(file);
}

static void put_link(const char *directory, const char *name, const char *target, bool symbolic)
{
	char path[256], from[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	snprintf(from, sizeof(from), "%s/%s", directory, target);
	ck_assert_int_eq(symbolic ? symlink(from, path) : link(from, path), 0);
}

START_TEST(directory_stands_for_its_elf_files)
{
	char directory[] = "/tmp/test_prove.XXXXXX", path[256];
	struct image_list list = { 0 };
	struct error error;

	ck_assert(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/below", directory);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	put_file(directory, "a", ELFMAG);
	put_file(directory, "below/b", ELFMAG "and more");
	put_file(directory, "text", "no ELF");
	put_file(directory, "short", "\177EL");
	put_link(directory, "hard", "a", false);
	put_link(directory, "soft", "a", true);
	put_link(directory, "loop", "", true);
	ck_assert(!image_list_add(&list, directory, &error));
	image_list_finish(&list, 1);
	ck_assert_uint_eq(list.count, 2);
	ck_assert(strstr(list.image[1].path, "below/b") && !list.image[1].named);
	image_list_deinit(&list);

	/* What is named is kept whatever it is, and under the name it was given. */
	snprintf(path, sizeof(path), "%s/soft", directory);
	ck_assert(!image_list_add(&list, directory, &error) &&
		  !image_list_add(&list, path, &error));
	snprintf(path, sizeof(path), "%s/text", directory);
	ck_assert(!image_list_add(&list, path, &error));
	image_list_finish(&list, 100);
	ck_assert_uint_eq(list.count, 3); /* below/b is the first of those that were found */
	ck_assert(list.image[1].named && strstr(list.image[1].path, "soft"));
	image_list_deinit(&list);
	snprintf(path, sizeof(path), "%s/absent", directory);
	ck_assert(image_list_add(&list, path, &error) && error.code == ERROR_SYSTEM);
	tree_remove(directory);
}
END_TEST

/* ---- a process for each -------------------------------------------------------------------- */

#define LINES 200000 /* more than is kept in memory */

static const struct fate_case {
	const char *name;
	const char *failure; /* NULL: none */
} fate_cases[] = {
	{ "fine", NULL },
	{ "dies", "died of SIGUSR1" },
	{ "exits", "ended with status 7" },
	{ "is_cut", CUT_FILE_MESSAGE },
	{ "hangs", "ran longer than 1 s" },
	{ "talks", NULL },
	{ "hangs_after_talking", "ran longer than 1 s" },
};

static void meet_fate(void *context, const struct image_path *image, FILE *output)
{
	fprintf(output, "%s\n", image->path);
	if (!strcmp(image->path, "dies"))
		raise(SIGUSR1);
	if (!strcmp(image->path, "is_cut"))
		raise(SIGBUS);
	if (!strcmp(image->path, "exits"))
		_exit(7);
	for (int i = 0; strstr(image->path, "talk") && i < LINES; i++)
		fprintf(output, "line %d\n", i);
	if (strstr(image->path, "hangs")) {
		fflush(output);
		__atomic_store_n(&hanging[image->bytes], true, __ATOMIC_SEQ_CST);
		for (;;)
			pause();
	}
}

/* The first word, and how many lines there are, each of which is the next. */
static int lines_of(const struct image_outcome *outcome, char first[static 64])
{
	struct image_line line = { NULL };
	char expected[32];
	int count = 0;

	first[0] = '\0';
	while (image_outcome_line(outcome, &line)) {
		if (!count)
			snprintf(first, 64, "%s", line.text);
		snprintf(expected, sizeof(expected), "line %d", count - 1);
		ck_assert_uint_eq(line.size, strlen(line.text));
		if (count)
			ck_assert_str_eq(line.text, expected);
		count++;
	}
	free(line.text);
	return count;
}

static void check_fate(void *context, const struct image_path *image,
		       const struct image_outcome *outcome)
{
	const struct fate_case *c = &fate_cases[image->bytes];
	bool *seen = context;
	char first[64];
	int lines = lines_of(outcome, first);

	ck_assert_msg(!seen[image->bytes], "%s: twice", c->name);
	seen[image->bytes] = true;
	left_others -= !strstr(c->name, "hangs");
	ck_assert_int_eq(outcome->is_cut, !strcmp(c->name, "is_cut"));
	if (c->failure)
		ck_assert_msg(outcome->failure && !strcmp(outcome->failure, c->failure), "%s: %s",
			      c->name, outcome->failure);
	else
		ck_assert_msg(!outcome->failure, "%s: %s", c->name, outcome->failure);
	if (strcmp(c->name, "exits") && strcmp(c->name, "dies") && !outcome->is_cut)
		ck_assert_str_eq(first, c->name);
	ck_assert_int_eq(lines, strstr(c->name, "talk")			   ? 1 + LINES
				: !c->failure || !strcmp(c->name, "hangs") ? 1
									   : 0);
}

/* What is said of a file that was cut is that, and no finding. */
static void say_and_be_cut(void *context, const struct image_path *image, FILE *output)
{
	fputs("{\"type\":\"finding\"}\n{\"type\":\"proof\",\"status\":\"proven\"}\n", output);
	fflush(output);
	raise(!strcmp(image->path, "is_cut") ? SIGBUS : SIGUSR1);
}

static void take_text(void *context, const struct image_path *image, json_t *object)
{
	json_t *without = json_copy(object);

	json_object_del(without, "seconds");
	json_dumpf(without, context, JSON_COMPACT);
	json_decref(without);
}

static void say_no_progress(void *context, char *text, size_t size)
{
	*text = '\0';
}

START_TEST(an_image_that_was_cut_is_unread)
{
	static const char *const wanted[] = {
		"{\"type\":\"proof\",\"image\":\"is_cut\",\"status\":\"unread\",\"code\":"
		"\"system\","
		"\"message\":\"" CUT_FILE_MESSAGE "\"}",
		"{\"type\":\"finding\"}{\"type\":\"proof\",\"image\":\"dies\",\"status\":"
		"\"failed\","
		"\"message\":\"died of SIGUSR1\"}",
	};
	struct image_path image = { .path = (char *)(_i ? "dies" : "is_cut") };
	struct image_list list = { .image = &image, .count = 1 };
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	const struct image_objects objects = { .type = "proof",
					       .jobs = 1,
					       .timeout_ms = 60000,
					       .work = say_and_be_cut,
					       .take = take_text,
					       .say = say_no_progress,
					       .context = file };
	struct error error;

	ck_assert_int_eq(image_objects_run(&objects, &list, &error), 0);
	fclose(file);
	ck_assert_str_eq(text, wanted[_i]);
}
END_TEST

/* Objects, the last word, and the others once more. */
static void say_three(void *context, const struct image_path *image, FILE *output)
{
	fputs("{\"a\":1}\nno object\n{\"a\":2}\n{\"status\":\"x\"}\n{\"a\":", output);
	fflush(output);
	if (strcmp(image->path, "fine"))
		raise(!strcmp(image->path, "is_cut") ? SIGBUS : SIGUSR1);
}

static void take_again(void *context, const struct image_path *image, json_t *object)
{
	fputs("again ", context);
	if (object)
		json_dumpf(object, context, JSON_COMPACT);
}

static const struct {
	const char *path, *wanted;
} again_cases[] = {
	{ "fine", "{\"a\":1}{\"a\":2}{\"status\":\"x\"}again {\"a\":1}again {\"a\":2}again " },
	{ "dies", "{\"a\":1}{\"a\":2}{\"type\":\"t\",\"image\":\"dies\",\"status\":\"failed\","
		  "\"message\":\"died of SIGUSR1\"}again {\"a\":1}again {\"a\":2}again " },
	{ "is_cut",
	  "{\"type\":\"t\",\"image\":\"is_cut\",\"status\":\"unread\",\"code\":\"system\","
	  "\"message\":\"" CUT_FILE_MESSAGE "\"}again " },
};

START_TEST(objects_are_given_again)
{
	struct image_path image = { .path = (char *)again_cases[_i].path };
	struct image_list list = { .image = &image, .count = 1 };
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	const struct image_objects objects = { .type = "t",
					       .jobs = 1,
					       .timeout_ms = 60000,
					       .work = say_three,
					       .take = take_text,
					       .again = take_again,
					       .say = say_no_progress,
					       .context = file };
	struct error error;

	ck_assert_int_eq(image_objects_run(&objects, &list, &error), 0);
	fclose(file);
	ck_assert_str_eq(text, again_cases[_i].wanted);
}
END_TEST

START_TEST(one_image_takes_no_other_with_it)
{
	/* Where there can be no file, what is said stays in memory. */
	static const char *const directories[] = { NULL, "", "/tmp", "/there/is/none" };
	bool seen[COUNT(fate_cases)] = { false };
	struct image_pool pool = { 3, 1000, meet_fate, check_fate, seen };
	struct image_path image[COUNT(fate_cases)];
	struct image_list list = { .image = image, .count = COUNT(fate_cases) };
	struct error error;

	if (directories[_i])
		setenv("TMPDIR", directories[_i], true);
	else
		unsetenv("TMPDIR");
	hanging = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(hanging, MAP_FAILED);
	for (int i = 0; i < COUNT(fate_cases); i++) {
		image[i] = (struct image_path) { .path = (char *)fate_cases[i].name, .bytes = i };
		*(strstr(fate_cases[i].name, "hangs") ? &left_hanging : &left_others) += 1;
	}
	ck_assert(!image_pool_run(&pool, &list, &error));
	for (int i = 0; i < COUNT(fate_cases); i++)
		ck_assert_msg(seen[i], "%s: no outcome", fate_cases[i].name);
}
END_TEST

static void meet_no_room(void *context, const struct image_path *image,
			 const struct image_outcome *outcome)
{
	char first[64];

	if (writes_nothing) /* then all of it stays in memory */
		ck_assert_ptr_null(outcome->failure);
	else
		ck_assert_str_eq(outcome->failure, "said more than there is room for");
	ck_assert_int_eq(lines_of(outcome, first), writes_nothing ? 1 + LINES : 0);
	*(int *)context += 1;
}

/* The file takes no more, or it takes nothing without saying why. */
START_TEST(no_room_for_what_is_said)
{
	const struct rlimit limit = { 3u << 19, 3u << 19 };
	int met = 0;
	struct image_pool pool = { 1, 60000, meet_fate, meet_no_room, &met };
	struct image_path image = { .path = "talks" };
	struct image_list list = { .image = &image, .count = 1 };
	struct error error;

	signal(SIGXFSZ, SIG_IGN);
	writes_nothing = _i;
	if (!_i)
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert(!image_pool_run(&pool, &list, &error));
	ck_assert_int_eq(met, 1);
}
END_TEST

SUITE(image_pool, TEST(directory_stands_for_its_elf_files),
      TIMES(one_image_takes_no_other_with_it, 4), TIMES(no_room_for_what_is_said, 2),
      TIMES(an_image_that_was_cut_is_unread, 2), LOOP(objects_are_given_again, again_cases))
