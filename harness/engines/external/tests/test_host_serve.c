/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_host_serve.c - the end of external_wire.h that an engine lives in, message by message
 *
 * What it says of itself, what it is told of a point, what it answers; and what is none of its
 * messages. Memory is asked for in test_host_serve_memory.c.
 */
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include "tests/suite.h"
#include "host_served.h"

#define FRAMES_MAX (1u << 20)

/* ---- its own words ---------------------------------------------------------------------------- */

static int no_answer(const struct stackproof_engine_point *point,
		     struct stackproof_engine_stack *ret)
{
	return 0;
}

static const struct {
	const char *name, *version;
	uint32_t stack_bytes;
} hellos[] = {
	{ "plain", "2.1 of today", 4096 },
	{ "nothing", "", 0 },
	{ "all_the_room",
	  "123456789012345678901234567890123456789012345678901234567890abcd" /* and no NUL */,
	  65536 },
};

START_TEST(hello)
{
	uint64_t stack_bytes = hellos[_i].stack_bytes;
	size_t length = strlen(hellos[_i].version);

	memcpy(about.version, hellos[_i].version,
	       length < sizeof(about.version) ? length + 1 : length);
	about.stack_bytes = hellos[_i].stack_bytes;
	start(no_answer);
	add_number(KIND_HELLO, 1);
	send_all();
	expect(KIND_HELLO, (uint64_t[]) { 1 }, 8);
	expect(KIND_VERSION, hellos[_i].version, length);
	expect(KIND_WANTS_STACK, &stack_bytes, 8);
	expect(KIND_WANTS_BATCH, (uint64_t[]) { BATCH_MAX }, 8);
	expect(KIND_READY, "", 0);
	ends_well("");
}
END_TEST

START_TEST(refusal_ends_it)
{
	char said[4096];

	refuses = true;
	start(no_answer);
	ck_assert_int_eq(end(said, sizeof(said)), HOST_STATUS_BAD);
	refuses = false;
	ck_assert_str_eq(said, OPENED "its stackproof_engine_open() refused\n");
}
END_TEST

/* ---- what is none of its messages -------------------------------------------------------------- */

static void no_hello_of_this_version(void)
{
	add_number(KIND_HELLO, 2);
}

static void hello_of_7_bytes(void)
{
	add_message(KIND_HELLO, "\1\0\0\0\0\0", 7);
}

static void hello_without_its_number(void)
{
	add(&(struct wire_header) { KIND_HELLO, 8 }, sizeof(struct wire_header));
}

static void header_cut_short(void)
{
	add(&(struct wire_header) { KIND_HELLO, 8 }, sizeof(struct wire_header) - 1);
}

static void number_cut_short(void)
{
	add(&(struct wire_header) { KIND_HELLO, 8 }, sizeof(struct wire_header));
	add("\1\0\0\0\0\0", 7);
}

static void memory_that_was_not_asked_for(void)
{
	add_message(KIND_MEMORY, "12345678", 8);
}

static void one_point_too_many(void)
{
	add_number(KIND_POINTS, BATCH_MAX + 1);
}

static void mappings_without_a_number(void)
{
	add_message(KIND_MAPPINGS, "1234567", 7);
}

static void no_mappings_follow(void)
{
	add(&(struct wire_header) { KIND_MAPPINGS, 8 }, sizeof(struct wire_header));
}

static void no_point_follows(void)
{
	add_number(KIND_POINTS, 1);
}

static void another_message_for_a_point(void)
{
	add_number(KIND_POINTS, 1);
	add_message(KIND_MEMORY, message, sizeof(struct wire_point));
}

static void point_without_its_last_byte(void)
{
	add_number(KIND_POINTS, 1);
	add_message(KIND_POINT, message, sizeof(struct wire_point) - 1);
}

static void header_of_a_point_only(void)
{
	add_number(KIND_POINTS, 1);
	add(&(struct wire_header) { KIND_POINT, sizeof(struct wire_point) },
	    sizeof(struct wire_header));
}

static const struct {
	const char *name;
	void (*add)(void);
	const char *said;
} broken[] = {
	{ "no_hello_of_this_version", no_hello_of_this_version,
	  "engine_host: a message that is none of this version" },
	{ "hello_of_7_bytes", hello_of_7_bytes, "engine_host: no number" },
	{ "hello_without_its_number", hello_without_its_number, "engine_host: no number" },
	{ "header_cut_short", header_cut_short, "engine_host: a message was cut short" },
	{ "number_cut_short", number_cut_short, "engine_host: a message was cut short" },
	{ "memory_that_was_not_asked_for", memory_that_was_not_asked_for,
	  "engine_host: a message that is none of this version" },
	{ "one_point_too_many", one_point_too_many, "engine_host: too many points" },
	{ "mappings_without_a_number", mappings_without_a_number, "engine_host: no mappings" },
	{ "no_mappings_follow", no_mappings_follow, "engine_host: no mappings" },
	{ "no_point_follows", no_point_follows, "engine_host: no point" },
	{ "another_message_for_a_point", another_message_for_a_point, "engine_host: no point" },
	{ "point_without_its_last_byte", point_without_its_last_byte, "engine_host: no point" },
	{ "header_of_a_point_only", header_of_a_point_only, "engine_host: no point" },
};

START_TEST(broken_messages_end_it)
{
	char said[4096], expected[4096];

	start(no_answer);
	broken[_i].add();
	ck_assert_int_eq(end(said, sizeof(said)), HOST_STATUS_BAD);
	snprintf(expected, sizeof(expected), OPENED "%s\n", broken[_i].said);
	ck_assert_msg(!strcmp(said, expected), "%s: %s", broken[_i].name, said);
}
END_TEST

/* ---- points ------------------------------------------------------------------------------------- */

/* Prints all of it. */
static int print_point(const struct stackproof_engine_point *point,
		       struct stackproof_engine_stack *ret)
{
	printf("%d %d of %" PRIu64 ", generation %" PRIu64 ", stack %.*s %d\n",
	       point->bytes == sizeof(*point),
	       ret->bytes == sizeof(*ret) && ret->capacity == FRAMES_MAX && !ret->count &&
		       ret->stop == STACKPROOF_ENGINE_FOREIGN,
	       point->mapping_count, point->mapping_generation, (int)point->stack_bytes,
	       (const char *)point->stack, (int)point->stack_bytes);
	for (uint64_t i = 0; i < 17; i++)
		printf("%" PRIx64 "%s", point->reg[i], i < 16 ? " " : "\n");
	for (uint64_t i = 0; i < point->mapping_count; i++) {
		const struct stackproof_engine_mapping *mapping = &point->mapping[i];

		printf("%" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %s ", mapping->start,
		       mapping->end, mapping->offset, mapping->bias, mapping->path);
		for (uint64_t k = 0; k < mapping->build_id_bytes; k++)
			printf("%02x", mapping->build_id[k]);
		printf("%s\n", mapping->build_id ? "" : "none");
	}
	return 0;
}

static void add_mapping(uint8_t **at, uint64_t start_address, const char *id, const char *path)
{
	struct wire_mapping wire = { start_address,	start_address + 0x1000,
				     start_address / 2, start_address / 4,
				     strlen(id),	strlen(path) + 1 };

	memcpy(*at, &wire, sizeof(wire));
	memcpy(*at + sizeof(wire), id, wire.build_id_bytes);
	memcpy(*at + sizeof(wire) + wire.build_id_bytes, path, wire.path_bytes);
	*at += sizeof(wire) + wire.build_id_bytes + wire.path_bytes;
}

START_TEST(engine_sees_the_whole_point)
{
	uint8_t mappings[512] = { 2 }, *at = mappings + 8;

	start(print_point);
	add_number(KIND_POINTS, 0);
	add_number(KIND_POINTS, 1);
	add_point(1, "", 0);
	add_mapping(&at, 0x4000, "\x12\xab\xff", "/lib/a");
	add_mapping(&at, 0x8000, "", "");
	add_message(KIND_MAPPINGS, mappings, (size_t)(at - mappings));
	add_number(KIND_POINTS, 2);
	add_point(2, "abc", 3);
	add_point(3, "abcdefgh", 8);
	mappings[0] = 1;
	at = mappings + 8;
	add_mapping(&at, 0xc000, "\x01", "[vdso]");
	add_message(KIND_MAPPINGS, mappings, (size_t)(at - mappings));
	add_number(KIND_POINTS, 2);
	add_point(4, "xy", 2);
	add_point(5, "abcdefghi", 9);
	mappings[0] = 0;
	add_message(KIND_MAPPINGS, mappings, 8);
	add_number(KIND_POINTS, 1);
	add_point(6, "", 0);
	send_all();
	for (uint64_t id = 1; id <= 6; id++)
		expect_stack(id, STACKPROOF_ENGINE_FOREIGN, NULL, 0);
	ends_well("1 1 of 0, generation 0, stack  0\n"
		  "64 65 66 67 68 69 6a 7ffe00000100 6c 6d 6e 6f 70 71 72 73 74\n"
		  "1 1 of 2, generation 1, stack abc 3\n"
		  "c8 c9 ca cb cc cd ce 7ffe00000100 d0 d1 d2 d3 d4 d5 d6 d7 d8\n"
		  "4000 5000 2000 1000 /lib/a 12abff\n"
		  "8000 9000 4000 2000  none\n"
		  "1 1 of 2, generation 1, stack abcdefgh 8\n"
		  "12c 12d 12e 12f 130 131 132 7ffe00000100 134 135 136 137 138 139 13a 13b 13c\n"
		  "4000 5000 2000 1000 /lib/a 12abff\n"
		  "8000 9000 4000 2000  none\n"
		  "1 1 of 1, generation 2, stack xy 2\n"
		  "190 191 192 193 194 195 196 7ffe00000100 198 199 19a 19b 19c 19d 19e 19f 1a0\n"
		  "c000 d000 6000 3000 [vdso] 01\n"
		  "1 1 of 1, generation 2, stack abcdefghi 9\n"
		  "1f4 1f5 1f6 1f7 1f8 1f9 1fa 7ffe00000100 1fc 1fd 1fe 1ff 200 201 202 203 204\n"
		  "c000 d000 6000 3000 [vdso] 01\n"
		  "1 1 of 0, generation 3, stack  0\n"
		  "258 259 25a 25b 25c 25d 25e 7ffe00000100 260 261 262 263 264 265 266 267 268\n");
}
END_TEST

/* ---- answers ------------------------------------------------------------------------------------ */

/* By rax: so many frames, of which each is its number and the point's. */
static int frames_by_rax(const struct stackproof_engine_point *point,
			 struct stackproof_engine_stack *ret)
{
	ret->count = point->reg[0];
	ret->stop = STACKPROOF_ENGINE_DEPTH;
	for (uint64_t i = 0; i < ret->count && i < FRAMES_MAX; i++)
		ret->pc[i] = point->reg[0] << 32 | i;
	return 0;
}

static uint64_t *frames(uint64_t count)
{
	uint64_t *pc = calloc(count, sizeof(*pc));

	for (uint64_t i = 0; i < count; i++)
		pc[i] = count << 32 | i;
	return pc;
}

/* A batch of as many points as there may be; their answers are more than is kept at once. */
START_TEST(answers_of_a_full_batch)
{
	uint64_t *pc = frames(BATCH_MAX * 100);

	start(frames_by_rax);
	for (int round = 0; round < 2; round++) {
		add_number(KIND_POINTS, BATCH_MAX);
		for (uint64_t id = 1; id <= BATCH_MAX; id++)
			add_point(id, "", 0);
		send_all();
		for (uint64_t id = 1; id <= BATCH_MAX; id++) {
			for (uint64_t i = 0; i < 100 * id; i++)
				pc[i] = (100 * id) << 32 | i;
			expect_stack(id, STACKPROOF_ENGINE_DEPTH, pc, 100 * id);
		}
	}
	free(pc);
	ends_well("");
}
END_TEST

static uint64_t wanted;

static int wanted_frames(const struct stackproof_engine_point *point,
			 struct stackproof_engine_stack *ret)
{
	struct stackproof_engine_point changed = *point;

	changed.reg[0] = wanted;
	return frames_by_rax(&changed, ret);
}

/* Short of what is kept (64 KiB), all of it, and behind it; the most frames, and one more. */
START_TEST(answers_of_any_size)
{
	static const uint64_t counts[] = { 0,	 1,    8188, 8189,  8190,
					   8191, 8192, 8193, 16384, FRAMES_MAX };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		uint64_t *pc = frames(counts[i]);

		wanted = counts[i];
		start(wanted_frames);
		add_number(KIND_POINTS, 2);
		add_point(1, "", 0);
		add_point(UINT64_MAX, "", 0);
		send_all();
		expect_stack(1, STACKPROOF_ENGINE_DEPTH, pc, counts[i]);
		expect_stack(UINT64_MAX, STACKPROOF_ENGINE_DEPTH, pc, counts[i]);
		ends_well("");
		free(pc);
	}
}
END_TEST

START_TEST(more_frames_than_room_are_refused)
{
	static const char text[] = "it says more frames than there is room for";

	wanted = FRAMES_MAX + 1;
	start(wanted_frames);
	add_number(KIND_POINTS, 1);
	add_point(1, "", 0);
	send_all();
	expect(KIND_REFUSED, text, strlen(text));
	ends_well("");
}
END_TEST

static int failing(const struct stackproof_engine_point *point, struct stackproof_engine_stack *ret)
{
	wanted_frames(point, ret);
	return point->reg[0] == 100 ? -1 : 1;
}

/* What it wrote before does not count. */
START_TEST(engine_that_fails_has_no_frames)
{
	wanted = 3;
	start(failing);
	add_number(KIND_POINTS, 2);
	add_point(1, "", 0);
	add_point(2, "", 0);
	send_all();
	expect_stack(1, STACKPROOF_ENGINE_FOREIGN, NULL, 0);
	expect_stack(2, STACKPROOF_ENGINE_FOREIGN, NULL, 0);
	ends_well("");
}
END_TEST

/* ---- both ends ---------------------------------------------------------------------------------- */

static int signal_seen = -1;

static void on_signal(int number)
{
	if (write(signal_seen, "", 1) != 1)
		_exit(9);
}

static void send_signal(int seen)
{
	char byte;

	ck_assert(!kill(child, SIGUSR1));
	ck_assert_int_eq(read(seen, &byte, 1), 1);
}

/* A signal that the engine takes ends no message. Most of these come while it waits for one, or while
 * nobody takes what it says. */
START_TEST(signals_end_nothing)
{
	struct sigaction action = { .sa_handler = on_signal };
	uint64_t *pc = frames(FRAMES_MAX);
	struct sigaction before;
	int seen[2];

	ck_assert(!pipe2(seen, O_CLOEXEC));
	signal_seen = fcntl(seen[1], F_DUPFD_CLOEXEC, 100);
	ck_assert(!sigaction(SIGUSR1, &action, &before));
	wanted = FRAMES_MAX;
	start(wanted_frames);
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 10; k++)
			send_signal(seen[0]);
		add_number(KIND_POINTS, 1);
		add_point(1, "", 0);
		send_all();
		ck_assert_int_eq(poll(&(struct pollfd) { from_child, POLLIN, 0 }, 1, -1), 1);
		for (int k = 0; k < 10; k++)
			send_signal(seen[0]);
		expect_stack(1, STACKPROOF_ENGINE_DEPTH, pc, FRAMES_MAX);
	}
	sigaction(SIGUSR1, &before, NULL);
	close(seen[0]);
	close(seen[1]);
	close(signal_seen);
	free(pc);
	ends_well("");
}
END_TEST

/* Nobody takes the answers any more: it ends, and says nothing. */
START_TEST(who_is_gone_is_not_answered)
{
	int status;

	start(no_answer);
	close(from_child);
	add_number(KIND_POINTS, 1);
	add_point(1, "", 0);
	send_all();
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
	close(to_child);
	close(log_fd);
	signal(SIGPIPE, SIG_IGN);
	start(no_answer);
	signal(SIGPIPE, SIG_DFL);
	close(from_child);
	add_number(KIND_POINTS, 1);
	add_point(1, "", 0);
	send_all();
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == HOST_STATUS_BAD);
	close(to_child);
	close(log_fd);
}
END_TEST

SUITE(host_serve, LOOP(hello, hellos), TEST(refusal_ends_it), LOOP(broken_messages_end_it, broken),
      TEST(engine_sees_the_whole_point), TEST(answers_of_a_full_batch), TEST(answers_of_any_size),
      TEST(more_frames_than_room_are_refused), TEST(engine_that_fails_has_no_frames),
      TEST(signals_end_nothing), TEST(who_is_gone_is_not_answered))
