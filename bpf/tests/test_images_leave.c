/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_images_leave.c - images come and go, more than there is room for, and every stack is right
 *
 * A program is copied and executed, again and again: each copy is another image, whose table needs
 * room in the kernel. There is room for three. So each one lies where others have lain; and one
 * process is there, and walked, all the time. Each copy stands in the same chain of functions,
 * which has no frame pointers: a walk that read another image's rows would not come out of it.
 *
 * Needs BPF: where the machine may not use it the test says SKIP with the reason and passes.
 */
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include "tests/suite.h"
#include "session_fixture.h"

#define AT_A_TIME 3
#define TURNS	  24
#define STACKS	  10 /* at least, of each */

/* ---- the program ------------------------------------------------------------------------ */

/* Says that it is there, and stays. */
static __attribute__((noipa)) int chain_3(int fd)
{
	volatile uint64_t sum = 0;

	if (write(fd, "", 1) != 1)
		return 1;
	for (;;)
		sum += sum * 3 + 1;
}

static __attribute__((noipa)) int chain_2(int fd)
{
	return chain_3(fd) + 1;
}

static __attribute__((noipa)) int chain_1(int fd)
{
	return chain_2(fd) + 1;
}

static const char *const chain[] = { "chain_3", "chain_2", "chain_1", "suite_program", "main" };

/* ---- processes -------------------------------------------------------------------------- */

struct spinner {
	pid_t pid;
	struct address_space space;
	uint64_t right, wrong;
};

struct turns {
	struct fixture fixture;
	char folder[32];
	struct spinner resident, spinner[TURNS];
};

/* Of this program, under a name of its own. */
static void copy_program(const char *path)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to;
	struct stat file;

	to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	ck_assert(from >= 0 && to >= 0 && !fstat(from, &file));
	for (off_t at = 0; at < file.st_size;)
		ck_assert_int_gt(sendfile(to, from, &at, file.st_size - at), 0);
	close(from);
	close(to);
}

/* Starts one, and waits until it stands in its chain. */
static void start(struct turns *turns, struct spinner *spinner, int number)
{
	int ready[2];
	char path[64], fd[16], byte;

	snprintf(path, sizeof(path), "%s/%d", turns->folder, number);
	copy_program(path);
	ck_assert(!pipe(ready));
	spinner->pid = fork();
	ck_assert_int_ge(spinner->pid, 0);
	if (!spinner->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		snprintf(fd, sizeof(fd), "%d", ready[1]);
		execl(path, "spinner", "--spin", fd, (char *)NULL);
		_exit(1);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	unlink(path);
	ck_assert(!address_space_read(&spinner->space, turns->fixture.store, spinner->pid,
				      &turns->fixture.error));
}

static int give(struct turns *turns, struct spinner *spinner)
{
	return bpf_session_set_process(turns->fixture.session, &spinner->space,
				       &turns->fixture.error);
}

static void end(struct turns *turns, struct spinner *spinner)
{
	end_child(spinner->pid);
	bpf_session_forget_process(turns->fixture.session, spinner->pid);
	address_space_deinit(&spinner->space);
	spinner->pid = 0;
}

/* ---- stacks ----------------------------------------------------------------------------- */

/* It may still be in the call that said that it is there. */
static bool is_right(const struct spinner *spinner, const struct walk_record *record)
{
	uint32_t found = 0;
	char name[256];

	for (uint32_t i = 0; i < record->count && found < COUNT(chain); i++) {
		address_space_describe(&spinner->space, record->pc[i] - (i > 0), name,
				       sizeof(name));
		name[strcspn(name, "+ ")] = '\0';
		if (strcmp(name, chain[found]) == 0)
			found++;
		else if (found)
			return false;
	}
	return found == COUNT(chain) && record->stop == STOP_COMPLETE;
}

static void on_record(void *context, const struct walk_record *record, bool frame_pointer)
{
	struct turns *turns = context;
	struct spinner *spinner = &turns->resident;

	for (int i = 0; i < TURNS && (pid_t)record->pid != spinner->pid; i++)
		spinner = &turns->spinner[i];
	if ((pid_t)record->pid != spinner->pid)
		return;
	if (is_right(spinner, record))
		spinner->right++;
	else
		spinner->wrong++;
}

static void walk(struct turns *turns, const struct spinner *until)
{
	for (uint64_t end = patience(); until->right < STACKS && waits(end, 4);)
		ck_assert(!bpf_session_consume(turns->fixture.session, on_record, turns,
					       &turns->fixture.error));
	ck_assert_msg(until->right >= STACKS, "%zu stacks, and %zu wrong ones",
		      (size_t)until->right, (size_t)until->wrong);
	ck_assert_uint_eq(until->wrong, 0);
}

/* ---- the test --------------------------------------------------------------------------- */

/* Room for what all of them map, and for so many programs. */
static uint32_t entry_room(const struct address_space *space)
{
	const struct image_entry *last = NULL;
	uint32_t all = 0;

	ck_assert_uint_gt(space->mapping_count, 0);
	for (size_t i = 0; i < space->mapping_count; i++) {
		const struct image_entry *entry = space->mapping[i].entry;

		if (!entry || entry == last) /* a mapping may be in pieces */
			continue;
		all += (entry->table->entry_count + 1) * (last ? 1 : AT_A_TIME);
		last = entry;
	}
	return all;
}

static bool begin(struct turns *turns, int method)
{
	struct bpf_session_options options = { .entries = 1u << WALK_ENTRY_SAMPLE };
	struct image_store *store = image_store_create();
	struct address_space space = { 0 };
	struct error error;

	memset(turns, 0, sizeof(*turns));
	ck_assert(!address_space_read(&space, store, getpid(), &error));
	options.entry_capacity = entry_room(&space);
	address_space_deinit(&space);
	image_store_destroy(store);
	if (!setup(&turns->fixture, method, options))
		return false;
	strcpy(turns->folder, "/tmp/stackproof-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(turns->folder));
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++)
		ck_assert(!bpf_session_attach_samples(turns->fixture.session, -1, cpu, 1999,
						      &turns->fixture.error));
	start(turns, &turns->resident, TURNS);
	ck_assert_msg(!give(turns, &turns->resident), "%s", turns->fixture.error.message);
	return true;
}

static void finish(struct turns *turns)
{
	ck_assert_uint_eq(turns->resident.wrong, 0);
	end(turns, &turns->resident);
	rmdir(turns->folder);
	teardown(&turns->fixture);
}

START_TEST(each_in_its_turn_finds_room)
{
	static struct turns turns;

	if (!begin(&turns, _i))
		return;
	for (int i = 0; i < TURNS; i++) {
		start(&turns, &turns.spinner[i], i);
		ck_assert_msg(!give(&turns, &turns.spinner[i]), "turn %d: %s", i,
			      turns.fixture.error.message);
		walk(&turns, &turns.spinner[i]);
		end(&turns, &turns.spinner[i]);
	}
	ck_assert_uint_gt(turns.resident.right, TURNS);
	finish(&turns);
}
END_TEST

/* As many as there is room for; then none, whatever is tried; and when one has ended, one more. */
START_TEST(those_that_are_walked_stay)
{
	static struct turns turns;

	if (!begin(&turns, _i))
		return;
	for (int i = 0; i < AT_A_TIME + 1; i++)
		start(&turns, &turns.spinner[i], i);
	for (int i = 0; i < AT_A_TIME - 1; i++)
		ck_assert_msg(!give(&turns, &turns.spinner[i]), "%s", turns.fixture.error.message);
	for (int i = AT_A_TIME - 1; i < AT_A_TIME + 1; i++) {
		ck_assert(give(&turns, &turns.spinner[i]));
		ck_assert_int_eq(turns.fixture.error.code, ERROR_TABLE_LIMIT);
	}
	for (int i = 0; i < AT_A_TIME - 1; i++)
		walk(&turns, &turns.spinner[i]);
	end(&turns, &turns.spinner[0]);
	ck_assert_msg(!give(&turns, &turns.spinner[AT_A_TIME]), "%s", turns.fixture.error.message);
	ck_assert(give(&turns, &turns.spinner[AT_A_TIME - 1]));
	walk(&turns, &turns.spinner[AT_A_TIME]);
	turns.spinner[1].right = 0;
	walk(&turns, &turns.spinner[1]);
	for (int i = 1; i < AT_A_TIME + 1; i++)
		end(&turns, &turns.spinner[i]);
	finish(&turns);
}
END_TEST

SUITE_MAIN(images_leave)
{
	if (argc == 3 && !strcmp(argv[1], "--spin"))
		return chain_1(atoi(argv[2])) + 1; /* no tail call */
	Suite *suite = suite_create("images_leave");
	TCase *tcase = tcase_create("images_leave");

	tcase_set_timeout(tcase, PATIENCE_TIMEOUT_S);
	tcase_add_loop_test(tcase, each_in_its_turn_finds_room, 0, COUNT(methods));
	tcase_add_loop_test(tcase, those_that_are_walked_stay, 0, COUNT(methods));
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
