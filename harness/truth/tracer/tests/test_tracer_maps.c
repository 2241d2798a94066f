/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tracer_maps.c - a process's memory and mappings, as proc(5) shows them: this test's own
 */
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "tests/suite.h"
#include "truth/tracer/tracer_memory.c"

#define NOBODY 0x3fffffff /* no process has this number */
#define PAGE   4096

static struct world {
	struct error error;
	struct tracer_callbacks callbacks;
	struct tracer tracer;
	int told;    /* of mappings */
	int refuses; /* what is said then */
} world;

static int see_mappings(void *context, pid_t pid)
{
	ck_assert_ptr_eq(context, &world);
	ck_assert_int_eq(pid, 70);
	world.told++;
	return world.refuses;
}

static struct tracer *setup(void)
{
	memset(&world, 0, sizeof(world));
	world.callbacks = (struct tracer_callbacks) { .context = &world,
						      .on_mappings = see_mappings };
	world.tracer = (struct tracer) { .core.error = &world.error,
					 .callbacks = &world.callbacks,
					 .core.pid = 70,
					 .at = getpid(),
					 .memory_fd = -1 };
	world.tracer.core.decoder = decoder_create(&world.error);
	return &world.tracer;
}

static void teardown(void)
{
	decoder_destroy(world.tracer.core.decoder);
	free(world.tracer.volatile_code);
	if (world.tracer.memory_fd >= 0)
		close(world.tracer.memory_fd);
}

static uint64_t map(int protection, int flags, int file)
{
	void *ret = mmap(NULL, PAGE, protection, flags, file, 0);

	ck_assert_ptr_ne(ret, MAP_FAILED);
	return (uint64_t)ret;
}

/* ---- memory ------------------------------------------------------------------------------------ */

START_TEST(memory_is_read)
{
	static const uint64_t word = 0x1234567890abcdef;
	struct tracer *tracer = setup();
	uint64_t got = 0, end;
	int first;

	ck_assert_int_eq(tracer_memory_open(tracer), 0);
	ck_assert_ptr_eq(tracer->core.memory.context, tracer);
	ck_assert_int_eq(tracer->core.memory.read(tracer, (uint64_t)&word, &got, sizeof(got)), 0);
	ck_assert_uint_eq(got, word);
	ck_assert_int_eq(tracer->core.memory.read(tracer, 8, &got, sizeof(got)), -1);
	/* The page behind is not there: what is half there is not read. */
	end = (uint64_t)mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + PAGE;
	ck_assert_int_eq(munmap((void *)end, PAGE), 0);
	ck_assert_int_eq(tracer->core.memory.read(tracer, end - 8, &got, sizeof(got)), 0);
	ck_assert_int_eq(tracer->core.memory.read(tracer, end - 4, &got, sizeof(got)), -1);
	/* It is opened again after an exec, and once only. */
	first = tracer->memory_fd;
	ck_assert_int_eq(fcntl(first, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(tracer_memory_open(tracer), 0);
	ck_assert_int_eq(tracer->memory_fd, first);
	tracer->at = NOBODY;
	ck_assert_int_eq(tracer_memory_open(tracer), -1);
	ck_assert_ptr_nonnull(strstr(world.error.message, "/proc/1073741823/mem"));
	ck_assert_int_eq(fcntl(first, F_GETFD), -1);
	teardown();
}
END_TEST

/* A file of bytes in its place: addresses from 2^63 on are none of its offsets. */
START_TEST(addresses_are_offsets)
{
	struct tracer *tracer = setup();
	uint8_t byte = 5;

	tracer->memory_fd = memfd_create("test_tracer_maps", MFD_CLOEXEC);
	ck_assert_int_eq(pwrite(tracer->memory_fd, &byte, 1, 7), 1);
	ck_assert_int_eq(read_memory(tracer, 7, &byte, 1), 0);
	ck_assert_int_eq(read_memory(tracer, 8, &byte, 1), -1);
	ck_assert_int_eq(read_memory(tracer, 1ull << 63 | 7, &byte, 1), -1);
	ck_assert_int_eq(read_memory(tracer, UINT64_MAX, &byte, 1), -1);
	teardown();
}
END_TEST

/* The descriptor of 0 is one, too. */
START_TEST(descriptor_of_0_is_closed)
{
	struct tracer *tracer = setup();

	tracer->memory_fd = 0;
	tracer->at = NOBODY;
	ck_assert_int_eq(fcntl(0, F_GETFD) < 0 ? open("/dev/null", O_RDONLY) : 0, 0);
	ck_assert_int_eq(tracer_memory_open(tracer), -1);
	ck_assert_int_eq(fcntl(0, F_GETFD), -1);
	tracer->at = getpid();
	ck_assert_int_eq(tracer_memory_open(tracer), 0); /* and may be got */
	ck_assert_int_eq(tracer->memory_fd, 0);
	teardown();
}
END_TEST

/* ---- lines ------------------------------------------------------------------------------------- */

static const struct {
	const char *line;
	bool good;
	uint64_t low, high;
	const char *permissions;
} line_cases[] = {
	{ "7f00-8f00 r-xp 0 0:0 0 /file\n", true, 0x7f00, 0x8f00, "r-xp" },
	{ "ffffffffff600000-ffffffffff601000 --xp 0 0:0 0 [vsyscall]\n", true, 0xffffffffff600000,
	  0xffffffffff601000, "--xp" },
	{ "7f00-8f00\n", false, 0, 0, "" },
	{ "7f00 r-xp\n", false, 0, 0, "" },
	{ "", false, 0, 0, "" },
};

START_TEST(line_is_a_mapping)
{
	struct map_line got = { .range = { 0 } };

	ck_assert_int_eq(parse_map_line(line_cases[_i].line, &got), line_cases[_i].good);
	if (line_cases[_i].good) {
		ck_assert_uint_eq(got.range.low, line_cases[_i].low);
		ck_assert_uint_eq(got.range.high, line_cases[_i].high);
		ck_assert_str_eq(got.permissions, line_cases[_i].permissions);
	}
}
END_TEST

/* Landon Curt Noll's test vectors. */
START_TEST(hash_is_fnv_1a)
{
	const uint64_t basis = 0xcbf29ce484222325;

	ck_assert_uint_eq(hash_bytes_on(basis, "a", 0), basis);
	ck_assert_uint_eq(hash_bytes_on(basis, "a", 1), 0xaf63dc4c8601ec8c);
	ck_assert_uint_eq(hash_bytes_on(basis, "foobar", 6), 0x85944171f73967e8);
	ck_assert_uint_eq(hash_bytes_on(0, "\xff", 1), 0xff * 0x100000001b3ull);
}
END_TEST

/* ---- mappings ------------------------------------------------------------------------------------- */

START_TEST(mapping_holds_an_address)
{
	struct tracer *tracer = setup();
	struct address_range got = { 0 };
	uint64_t first = (uint64_t)mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
					0);
	uint64_t low = first + PAGE, high = low + PAGE;

	ck_assert_int_eq(mprotect((void *)low, PAGE, PROT_READ | PROT_WRITE), 0);
	for (uint64_t address = low; address < high; address += PAGE - 1) {
		ck_assert(tracer_mapping_find(tracer, address, &got));
		ck_assert_uint_eq(got.low, low);
		ck_assert_uint_eq(got.high, high);
	}
	ck_assert(tracer_mapping_find(tracer, low - 1, &got));
	ck_assert_uint_eq(got.high, low);
	ck_assert(tracer_mapping_find(tracer, high, &got));
	ck_assert_uint_eq(got.low, high);
	ck_assert(!tracer_mapping_find(tracer, 0x10, &got));
	ck_assert(!tracer_mapping_find(tracer, UINT64_MAX, &got));
	tracer->at = NOBODY;
	ck_assert(!tracer_mapping_find(tracer, low, &got));
	munmap((void *)first, 3 * PAGE);
	teardown();
}
END_TEST

/* What is writable and executable, or shared and executable, may change by itself. */
START_TEST(volatile_code_is_known)
{
	struct tracer *tracer = setup();
	uint64_t plain, both, shared;
	size_t before;
	int file = memfd_create("test_tracer_maps", MFD_CLOEXEC);

	ck_assert_int_eq(ftruncate(file, PAGE), 0);
	ck_assert_int_eq(tracer_mappings_changed(tracer, false), 0);
	before = tracer->volatile_count;
	plain = map(PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	both = map(PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	shared = map(PROT_READ | PROT_EXEC, MAP_SHARED, file);
	for (int i = 0; i < 2; i++) { /* however often it is read */
		ck_assert_int_eq(tracer_mappings_changed(tracer, false), 0);
		ck_assert_uint_eq(tracer->volatile_count, before + 2);
	}
	ck_assert(!tracer_is_volatile(tracer, plain));
	ck_assert(tracer_is_volatile(tracer, both) && tracer_is_volatile(tracer, both + PAGE - 1));
	ck_assert(tracer_is_volatile(tracer, shared));
	munmap((void *)plain, PAGE);
	munmap((void *)both, PAGE);
	munmap((void *)shared, PAGE);
	close(file);
	ck_assert_int_eq(tracer_mappings_changed(tracer, false), 0);
	ck_assert_uint_eq(tracer->volatile_count, before);
	teardown();
}
END_TEST

START_TEST(volatile_range_has_its_first_byte_and_not_its_end)
{
	struct address_range ranges[] = { { 0x1000, 0x2000 },
					  { 0x3000, 0x4000 },
					  { 0x5000, 0x6000 } };
	const struct tracer tracer = { .volatile_code = ranges, .volatile_count = 2 };

	ck_assert(!tracer_is_volatile(&tracer, 0xfff) && tracer_is_volatile(&tracer, 0x1000));
	ck_assert(tracer_is_volatile(&tracer, 0x1fff) && !tracer_is_volatile(&tracer, 0x2000));
	ck_assert(tracer_is_volatile(&tracer, 0x3000) && !tracer_is_volatile(&tracer, 0x5000));
}
END_TEST

/* Only code counts, and only if it is other code. */
START_TEST(changes_of_code_are_told)
{
	struct tracer *tracer = setup();
	uint64_t data, code;

	ck_assert_int_eq(tracer_mappings_changed(tracer, false), 0);
	ck_assert(world.told == 1 && tracer->mapped);
	ck_assert_int_eq(tracer_mappings_changed(tracer, false), 0);
	ck_assert_int_eq(world.told, 1);
	data = map(PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	ck_assert_int_eq(tracer_mappings_changed(tracer, false), 0);
	ck_assert_int_eq(world.told, 1);
	code = map(PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	ck_assert_int_eq(tracer_mappings_changed(tracer, false), 0);
	ck_assert_int_eq(world.told, 2);
	ck_assert_int_eq(tracer_mappings_changed(tracer, true), 0); /* another program */
	ck_assert_int_eq(world.told, 3);
	tracer->mapped = false;
	ck_assert_int_eq(tracer_mappings_changed(tracer, false), 0);
	ck_assert_int_eq(world.told, 4);
	ck_assert_int_eq(munmap((void *)code, PAGE), 0);
	world.refuses = 1;
	ck_assert_int_eq(tracer_mappings_changed(tracer, false), -1);
	ck_assert_int_eq(world.error.code, ERROR_PROTOCOL);
	ck_assert_ptr_nonnull(strstr(world.error.message, "process 70"));
	ck_assert_int_eq(world.told, 5);
	world.callbacks.on_mappings = NULL;
	ck_assert_int_eq(tracer_mappings_changed(tracer, true), 0);
	munmap((void *)data, PAGE);
	teardown();
}
END_TEST

/* Who is gone, or about to be, has no mappings, and nothing is said of him. */
START_TEST(who_is_gone_has_no_mappings)
{
	struct tracer *tracer = setup();
	siginfo_t info;
	pid_t pid;

	tracer->at = NOBODY;
	ck_assert_int_eq(tracer_mappings_changed(tracer, true), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		_exit(0);
	ck_assert_int_eq(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
	tracer->at = pid; /* it has ended, and nobody has asked for its status */
	ck_assert_int_eq(tracer_mappings_changed(tracer, true), 0);
	ck_assert(!world.told && !tracer->mapped);
	waitpid(pid, NULL, 0);
	teardown();
}
END_TEST

/* Where no more files can be opened, that is said; what they are is not known then. */
START_TEST(mappings_that_can_not_be_read)
{
	struct tracer *tracer = setup();
	struct rlimit before, none;
	struct address_range range;
	int result;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	result = tracer_mappings_changed(tracer, false);
	ck_assert(!tracer_mapping_find(tracer, (uint64_t)&range, &range));
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert_int_eq(result, -1);
	ck_assert_int_eq(world.error.code, ERROR_SYSTEM);
	ck_assert_ptr_nonnull(strstr(world.error.message, "/maps"));
	ck_assert_int_eq(world.told, 0);
	teardown();
}
END_TEST

static int read_code(void *context, uint64_t address, void *ret, size_t size)
{
	memset(ret, *(uint8_t *)context, size);
	return 0;
}

/* What was decoded before is decoded again. */
START_TEST(decoded_code_is_forgotten)
{
	struct tracer *tracer = setup();
	uint8_t byte = 0xc3;
	const struct memory_reader memory = { read_code, &byte };

	ck_assert_int_eq(decoder_at(tracer->core.decoder, 0x1000, &memory).kind,
			 INSTRUCTION_RETURN);
	byte = 0x90;
	ck_assert_int_eq(tracer_mappings_changed(tracer, false), 0);
	ck_assert_int_eq(decoder_at(tracer->core.decoder, 0x1000, &memory).kind, INSTRUCTION_OTHER);
	teardown();
}
END_TEST

SUITE(tracer_maps, TEST(memory_is_read), TEST(addresses_are_offsets),
      TEST(descriptor_of_0_is_closed), LOOP(line_is_a_mapping, line_cases), TEST(hash_is_fnv_1a),
      TEST(mapping_holds_an_address), TEST(volatile_code_is_known),
      TEST(volatile_range_has_its_first_byte_and_not_its_end), TEST(changes_of_code_are_told),
      TEST(who_is_gone_has_no_mappings), TEST(mappings_that_can_not_be_read),
      TEST(decoded_code_is_forgotten))
