/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_recording_write.c - this process recorded and played, and recordings that can't be written
 *
 * The test records its own stacks, with the images that the kernel, the loader and the compiler
 * made. They are played in user space, where nothing is read but what the recording brought.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include "tests/suite.h"
#include "recording_fixture.h"
#include "walk/image_store.h"
#include "recording_folder.h"
#include "judge/replay/page_set.h"
#include "walk/walk_rows.h"

#define DEPTH 5

/* ---- this process, recorded ------------------------------------------------------------- */

static int read_self(void *context, uint64_t address, void *ret, size_t size)
{
	struct iovec local = { .iov_base = ret, .iov_len = size };
	struct iovec remote = { .iov_base = (void *)address, .iov_len = size };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size ? 0 : -1;
}

static struct register_values registers_of(const ucontext_t *context)
{
	static const int number[REGISTER_COUNT] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9,	 REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };

	for (int reg = 0; reg < REGISTER_COUNT; reg++)
		regs.value[reg] = context->uc_mcontext.gregs[number[reg]];
	return regs;
}

/* Points on the way down and on the way up. */
static __attribute__((noipa)) void record_self(struct recording_writer *writer,
					       const struct address_space *space, int depth)
{
	const struct memory_reader reader = { .read = read_self };
	struct register_values regs;
	ucontext_t context;
	struct error error;

	for (int i = 0; i < 2; i++) {
		ck_assert(!getcontext(&context));
		regs = registers_of(&context);
		ck_assert_msg(!recording_writer_point(writer, space, &regs, &reader, &error), "%s",
			      error.message);
		if (!i && depth > 1)
			record_self(writer, space, depth - 1);
	}
}

/* ---- true stacks ------------------------------------------------------------------------ */

/* A truth of so many frames: PCs count up from the outermost, which is 1, but for the innermost. */
static void write_truth(struct recording_writer *writer, uint32_t frames, uint64_t innermost)
{
	struct stack stack = { 0 };
	struct error error;

	ck_assert(!stack_push(&stack, innermost, &error));
	for (uint32_t i = 1; i < frames; i++)
		ck_assert(!stack_push(&stack, frames - i, &error));
	recording_writer_truth(writer, &stack, true);
	stack_deinit(&stack);
}

struct truths {
	uint64_t points, frames;
};

static int count_frame(void *context, uint32_t caller, uint64_t pc, struct error *error)
{
	struct truths *truths = context;

	truths->frames++;
	return 0;
}

static int check_truth(void *context, const struct recording_point *point, struct error *error)
{
	static const uint32_t frames[] = {
		3, 3, 2, 1, RECORDING_TRUTH_FRAMES_MAX, RECORDING_TRUTH_FRAMES_MAX
	};
	static const bool whole[] = { true, true, true, true, true, false };
	struct truths *truths = context;
	uint64_t number = truths->points++;

	ck_assert_uint_eq(point->truth_frames, frames[number]);
	ck_assert_int_eq(point->truth_whole, whole[number]);
	ck_assert_uint_eq(point->truth[0], 100 + number);
	for (uint32_t i = 1; i < point->truth_frames; i++)
		ck_assert_uint_eq(point->truth[i], point->truth_frames + (number == 5) - i);
	return 0;
}

START_TEST(true_stacks_share_their_frames)
{
	static const uint32_t frames[] = {
		3, 3, 2, 1, RECORDING_TRUTH_FRAMES_MAX, RECORDING_TRUTH_FRAMES_MAX + 1
	};
	const struct memory_reader reader = { .read = read_self };
	struct address_space space = { 0 };
	struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };
	struct truths truths = { 0 };
	const struct recording_handler handler = { .frame = count_frame,
						   .point = check_truth,
						   .context = &truths };
	struct recording_writer *writer;
	struct recording *recording;
	struct error error;

	ck_assert(!recording_writer_create(path, "program", &writer, &error));
	for (int i = 0; i < COUNT_OF(frames); i++) {
		write_truth(writer, frames[i], 100 + i);
		ck_assert(!recording_writer_point(writer, &space, &regs, &reader, &error));
	}
	ck_assert(!recording_writer_close(writer, true, &error));
	ck_assert(!recording_open(path, &recording, &error));
	ck_assert_msg(!recording_play(recording, &handler, &error), "%s", error.message);
	ck_assert_uint_eq(truths.points, COUNT_OF(frames));
	/* 1 and 2 with two innermost ones, 102 and 103; all of a deep one but those two; and the
	 * deepest's anew, for its outermost frame is another. */
	ck_assert_uint_eq(truths.frames,
			  4 + 2 + (RECORDING_TRUTH_FRAMES_MAX - 2) + RECORDING_TRUTH_FRAMES_MAX);
	recording_close(recording);
}
END_TEST

/* ---- and played ------------------------------------------------------------------------- */

struct player {
	struct image_store *store;
	struct address_space space;
	const struct address_space *recorded;
	struct page_set memory;
	size_t points, files, copies, deleted;
	uint32_t frames_min, frames_max;
};

static int take_mapping(void *context, const struct recording_mapping *mapping, size_t number,
			size_t count, struct error *error)
{
	struct player *player = context;
	const struct mapping *recorded = &player->recorded->mapping[number];
	struct image_entry *entry = NULL;

	ck_assert_uint_eq(count, player->recorded->mapping_count);
	if (!number)
		player->space.mapping = calloc(count, sizeof(*player->space.mapping));
	ck_assert_ptr_nonnull(player->space.mapping);
	ck_assert_uint_eq(mapping->start, recorded->start);
	ck_assert_uint_eq(mapping->end, recorded->end);
	ck_assert_uint_eq(mapping->bias, recorded->bias);
	ck_assert_str_eq(mapping->path, recorded->path);
	ck_assert_int_eq(mapping->kind == RECORDING_NO_IMAGE, !recorded->entry);
	player->files += mapping->kind == RECORDING_FILE;
	player->copies += !strcmp(mapping->path, "[vdso]") && mapping->kind == RECORDING_BYTES;
	player->deleted += strstr(mapping->path, " (deleted)") && mapping->kind == RECORDING_BYTES;
	if (mapping->kind == RECORDING_FILE) {
		entry = image_store_open(player->store, mapping->path, error);
		ck_assert_ptr_nonnull(entry);
		ck_assert_uint_eq(entry->version.size, mapping->file_bytes);
	} else if (mapping->kind == RECORDING_BYTES) {
		entry = image_store_copy(player->store, mapping->bytes, mapping->size,
					 mapping->path, error);
		ck_assert_ptr_nonnull(entry);
		/* Met before: the same one. */
		ck_assert_ptr_eq(entry, image_store_copy(player->store, mapping->bytes,
							 mapping->size, "again", error));
	}
	image_entry_hold(entry);
	player->space.mapping[player->space.mapping_count++] =
		(struct mapping) { .start = mapping->start,
				   .end = mapping->end,
				   .bias = mapping->bias,
				   .entry = entry,
				   .path = strdup(mapping->path) };
	return 0;
}

static int take_write(void *context, uint64_t address, const uint8_t *bytes, size_t size,
		      struct error *error)
{
	struct player *player = context;
	uint8_t *page = page_set_find(&player->memory, address);

	if (!page) {
		page = calloc(1, PAGE_SET_PAGE);
		ck_assert(page_set_add(&player->memory, address, page));
	}
	/* Else it would not be needed. */
	else
		ck_assert(memcmp(page + address % PAGE_SET_PAGE, bytes, size));
	memcpy(page + address % PAGE_SET_PAGE, bytes, size);
	return 0;
}

static int take_absent(void *context, uint64_t address, struct error *error)
{
	struct player *player = context;
	uint8_t *page = page_set_take(&player->memory, address);

	ck_assert_ptr_nonnull(page);
	free(page);
	return 0;
}

static int read_brought(void *context, uint64_t address, void *ret, size_t size)
{
	struct player *player = context;

	for (size_t i = 0; i < size; i++) {
		const uint8_t *page = page_set_find(&player->memory, address + i);

		if (!page)
			return -1;
		((uint8_t *)ret)[i] = page[(address + i) % PAGE_SET_PAGE];
	}
	return 0;
}

static int take_point(void *context, const struct recording_point *point, struct error *error)
{
	struct player *player = context;
	const struct memory_reader reader = { read_brought, player };
	struct stack stack = { .limit = WALK_FRAMES_MAX };

	if (walk_table(&player->space, &point->regs, &reader, NULL, &stack, error))
		return -1;
	ck_assert_uint_eq(stack.count, point->frames);
	ck_assert_uint_eq(stack.stop, point->stop);
	ck_assert_uint_eq(recording_digest(&stack), point->digest);
	ck_assert_uint_eq(stack.stop, STOP_COMPLETE);
	if (!player->points++ || stack.count < player->frames_min)
		player->frames_min = stack.count;
	if (stack.count > player->frames_max)
		player->frames_max = stack.count;
	stack_deinit(&stack);
	return 0;
}

static void play_self(struct player *player, const char *from)
{
	const struct recording_handler handler = { .mapping = take_mapping,
						   .write = take_write,
						   .absent = take_absent,
						   .point = take_point,
						   .context = player };
	struct recording *recording;
	struct error error;

	player->store = image_store_create();
	ck_assert_msg(!recording_open(from, &recording, &error), "%s", error.message);
	ck_assert_msg(!recording_play(recording, &handler, &error), "%s", error.message);
	recording_close(recording);
	for (size_t i = 0; i < player->memory.count; i++)
		free(player->memory.page[i].bytes);
	page_set_deinit(&player->memory);
	address_space_deinit(&player->space);
	image_store_destroy(player->store);
}

/* Maps the code of a file that has no name any more. False: there is none to map. */
static bool map_deleted(void)
{
	struct image *image;
	struct error error;
	char command[128];
	int file;

	snprintf(command, sizeof(command), "cp /bin/true %s 2>/dev/null", other);
	if (system(command) || (file = open(other, O_RDONLY | O_CLOEXEC)) < 0)
		return false;
	ck_assert(!image_create(other, &image, &error));
	for (size_t i = 0; i < image->segment_count; i++) {
		uint64_t at = image->segment[i].file_offset & ~4095ull;

		if (image->segment[i].executable)
			ck_assert_ptr_ne(mmap(NULL, image->segment[i].file_bytes,
					      PROT_READ | PROT_EXEC, MAP_PRIVATE, file, at),
					 MAP_FAILED);
	}
	image_destroy(image);
	close(file);
	return !unlink(other);
}

START_TEST(this_process)
{
	struct address_space space = { 0 };
	struct image_store *store = image_store_create();
	struct player player = { .recorded = &space };
	struct recording_writer *writer;
	bool deleted = map_deleted();
	char command[256];
	struct error error;

	ck_assert(!address_space_read(&space, store, getpid(), &error));
	ck_assert(!recording_writer_create(path, "this", &writer, &error));
	record_self(writer, &space, DEPTH);
	ck_assert_msg(!recording_writer_close(writer, true, &error), "%s", error.message);
	play_self(&player, path);
	ck_assert_uint_eq(player.points, 2 * DEPTH);
	ck_assert_uint_ge(player.frames_max, player.frames_min + DEPTH - 1);
	ck_assert_uint_ge(player.files, 2); /* this program and the C library */
	ck_assert_uint_eq(player.copies, 1);
	if (!deleted || !player.deleted)
		printf("SKIP: an image without a name can't be opened here\n");
	/* The second writer of the format has the same to say. */
	rewrite(path, other, (struct plant) { NOWHERE, NOWHERE, NOWHERE });
	snprintf(command, sizeof(command), "cmp %s %s", path, other);
	ck_assert(!system(command));
	address_space_deinit(&space);
	image_store_destroy(store);
}
END_TEST

/* ---- what can't be written -------------------------------------------------------------- */

static int read_zeros(void *context, uint64_t address, void *ret, size_t size)
{
	memset(ret, 0, size);
	return 0;
}

static int read_nothing(void *context, uint64_t address, void *ret, size_t size)
{
	return -1;
}

/* Points in no mapping: each is a few bytes. The first -1, or 0. */
static int write_points(struct recording_writer *writer, const struct address_space *space,
			int points, struct error *error)
{
	const struct memory_reader reader = { .read = read_zeros };
	struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };
	int status = 0;

	for (int i = 0; !status && i < points; i++) {
		regs.value[i % REGISTER_COUNT] += i * 0x123456789abcdefull;
		status = recording_writer_point(writer, space, &regs, &reader, error);
	}
	return status;
}

static bool is_unfinished(void)
{
	char unfinished[sizeof(path) + 16];

	snprintf(unfinished, sizeof(unfinished), "%s.unfinished", path);
	return !access(unfinished, F_OK);
}

START_TEST(half_a_run_leaves_no_file)
{
	const struct address_space space = { 0 };
	struct recording_writer *writer;
	struct error error;

	ck_assert(!recording_writer_create(path, "program", &writer, &error));
	ck_assert(!write_points(writer, &space, 1000, &error));
	ck_assert_int_eq(access(path, F_OK), -1);
	ck_assert(is_unfinished());
	ck_assert(!recording_writer_close(writer, false, &error));
	ck_assert_int_eq(access(path, F_OK), -1);
	ck_assert(!is_unfinished());
}
END_TEST

START_TEST(a_folder_that_is_missing)
{
	struct recording_writer *writer;
	struct error error;

	strcat(path, "/recording");
	ck_assert_int_eq(recording_writer_create(path, "program", &writer, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_int_eq(error.system_errno, EIO); /* it is no input */
	ck_assert(strstr(error.message, path) != NULL);
}
END_TEST

START_TEST(a_folder_in_its_place)
{
	struct recording_writer *writer;
	struct error error;

	ck_assert(!mkdir(path, 0700));
	ck_assert_int_eq(recording_writer_create(path, "program", &writer, &error), -1);
	ck_assert_int_eq(error.system_errno, EISDIR);
	ck_assert(!is_unfinished());
	ck_assert(!rmdir(path));
}
END_TEST

/* A file of no more than so many bytes, as on a full disk. How many of the points went through,
 * or -1: nobody said that something is missing. Asserts nothing: no buffer may be flushed here
 * twice. */
static int write_with_limit(rlim_t limit, int points)
{
	const struct rlimit file_size = { limit, limit };
	const struct address_space space = { 0 };
	struct recording_writer *writer;
	struct error error = { 0 };
	int written = 0;

	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &file_size) ||
	    recording_writer_create(path, "program", &writer, &error))
		return 100;
	while (written < points && !write_points(writer, &space, 1, &error))
		written++;
	if (!recording_writer_close(writer, true, &error))
		return 101;
	/* Which write failed, and so why, is known of the last one only. */
	if (error.code != ERROR_SYSTEM ||
	    (error.system_errno != EFBIG && error.system_errno != EIO))
		return 102;
	return access(path, F_OK) && !is_unfinished() ? written < points : 103;
}

static const struct {
	const char *name;
	rlim_t limit;
	int points;
	int at_a_point; /* 1: it is said at a point, not only at the end */
} limits[] = {
	{ "no_byte", 0, 0, 0 },
	{ "found_at_the_end", 32, 10, 0 },
	{ "found_at_a_point", 4096, 10000, 1 },
	{ "in_the_middle_of_a_page", 5000, 10000, 1 },
};

START_TEST(a_full_disk)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(write_with_limit(limits[_i].limit, limits[_i].points));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == limits[_i].at_a_point, "%s: %x",
		      limits[_i].name, status);
}
END_TEST

START_TEST(too_many_mappings)
{
	const size_t count = RECORDING_MAPPINGS_MAX + 1;
	struct mapping *mapping = calloc(count, sizeof(*mapping));
	const struct address_space space = { .mapping = mapping, .mapping_count = count };
	struct recording_writer *writer;
	struct error error;

	for (size_t i = 0; i < count; i++)
		mapping[i] = (struct mapping) { .start = 2 * i + 1, .end = 2 * i + 2, .path = "" };
	ck_assert(!recording_writer_create(path, "program", &writer, &error));
	/* Those that were written before are not lost, and given back once. */
	ck_assert(!write_points(writer,
				&(struct address_space) { .mapping = mapping, .mapping_count = 3 },
				1, &error));
	ck_assert_int_eq(write_points(writer, &space, 1, &error), -1);
	ck_assert(strstr(error.message, "too many mappings") != NULL);
	/* It sticks. */
	memset(&error, 0, sizeof(error));
	ck_assert_int_eq(write_points(writer, &(struct address_space) { 0 }, 1, &error), -1);
	ck_assert(strstr(error.message, "too many mappings") != NULL);
	memset(&error, 0, sizeof(error));
	ck_assert_int_eq(recording_writer_close(writer, true, &error), -1);
	ck_assert(strstr(error.message, "too many mappings") != NULL);
	ck_assert_int_eq(access(path, F_OK), -1);
	free(mapping);
}
END_TEST

START_TEST(a_vdso_that_cannot_be_read)
{
	const struct memory_reader reader = { .read = read_nothing };
	struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };
	struct image_store *store = image_store_create();
	struct address_space space = { 0 };
	struct recording_writer *writer;
	struct error error;

	ck_assert(!address_space_read(&space, store, getpid(), &error));
	ck_assert(!recording_writer_create(path, "program", &writer, &error));
	ck_assert_int_eq(recording_writer_point(writer, &space, &regs, &reader, &error), -1);
	ck_assert(strstr(error.message, "vDSO") != NULL);
	ck_assert_int_eq(recording_writer_close(writer, true, &error), -1);
	ck_assert_int_eq(access(path, F_OK), -1);
	address_space_deinit(&space);
	image_store_destroy(store);
}
END_TEST

SUITE(recording_write, FIXTURE(folder_begin, folder_end), TEST(this_process),
      TEST(true_stacks_share_their_frames), TEST(half_a_run_leaves_no_file),
      TEST(a_folder_that_is_missing), TEST(a_folder_in_its_place), LOOP(a_full_disk, limits),
      TEST(too_many_mappings), TEST(a_vdso_that_cannot_be_read))
