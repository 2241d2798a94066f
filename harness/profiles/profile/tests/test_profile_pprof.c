/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_profile_pprof.c - pprof: messages built here, field by field, and read
 */
#include "tests/suite.h"
#include "profiles/profile/wire.h"
#include "profile_fixture.h"
#include "wire_message.h"

/* ---- messages --------------------------------------------------------------------------------- */

/* A location: id, mapping, address, and the functions of its lines. */
static void put_location(struct message *profile, uint64_t id, uint64_t mapping, uint64_t address,
			 const uint64_t *function, size_t count)
{
	struct message location = NUMBERS(id, mapping, address);

	for (size_t i = 0; i < count; i++) {
		struct message line = NUMBERS(function[i], 17);

		put_message(&location, 4, &line);
	}
	put_message(profile, 4, &location);
}

static const char *const texts[] = { "",       "samples", "count",   "cpu",   "nanoseconds",
				     "/bin/a", "5c9a",	  "main",    "_Z1fv", "f()",
				     "pid",    "comm",	  "my prog", "leaf",  "tid" };

static void put_texts(struct message *profile)
{
	for (int i = 0; i < COUNT(texts); i++)
		put_bytes(profile, 6, texts[i], strlen(texts[i]));
}

/*
 * Values cpu/nanoseconds and samples/count; mappings 1 at 0x400000, of offset 0x1000, and 2 at 0;
 * locations 1 (leaf, inlined in f), 2 (main), 3 (no line), 4 (mapping 2), 5 (the kernel's).
 * packed: as compilers of protocol buffers write repeated numbers.
 */
static struct message build(bool packed)
{
	struct message ret = { .size = 0 }, part, stack = { .size = 0 }, values = { .size = 0 };

	put_numbers(&ret, 1, NUMBERS(3, 4));
	put_numbers(&ret, 1, NUMBERS(1, 2));
	part = (struct message) { .size = 0 };
	for (uint64_t i = 1; i <= 5; i++)
		packed ? put_number(&stack, 6 - i) : put(&part, 1, 6 - i);
	packed ? put_number(&values, 900) : put(&part, 2, 900);
	packed ? put_number(&values, 3) : put(&part, 2, 3);
	if (packed) {
		put_bytes(&part, 1, stack.bytes, stack.size);
		put_bytes(&part, 2, values.bytes, values.size);
	}
	put_numbers(&part, 3, NUMBERS(10, 0, 77)); /* pid 77 */
	put_numbers(&part, 3, NUMBERS(11, 12));	   /* comm "my prog" */
	put_numbers(&part, 3, NUMBERS(14, 0, 78));
	put_message(&ret, 2, &part);
	put_numbers(&ret, 3, NUMBERS(1, 0x400000, 0x500000, 0x1000, 5, 6));
	put_numbers(&ret, 3, NUMBERS(2, 0, 0, 0, 5));
	put_location(&ret, 1, 1, 0x400123, (const uint64_t[]) { 3, 2 }, 2);
	put_location(&ret, 2, 1, 0x400456, (const uint64_t[]) { 1 }, 1);
	put_location(&ret, 3, 1, 0x3fffff, NULL, 0);
	put_location(&ret, 4, 2, 0x789, NULL, 0);
	put_location(&ret, 5, 0, 0xffffffff81000130, NULL, 0);
	put_numbers(&ret, 5, NUMBERS(1, 7));
	put_numbers(&ret, 5, NUMBERS(2, 9, 8));
	put_numbers(&ret, 5, NUMBERS(3, 13, 0));
	put_texts(&ret);
	return ret;
}

static const char head[] = "77/78 'my prog' x 3: ? r0xffffffff81000130 k, ? (/bin/a) v0x789, ? "
			   "(/bin/a 5c9a) r0x3fffff, main (/bin/a 5c9a) f0x1456, leaf (/bin/a "
			   "5c9a) f0x1123 i, _Z1fv (/bin/a 5c9a) f0x1123\n";

static void check_format(const struct message *message, enum profile_format format,
			 const char *wanted)
{
	char *text = profile_bytes_text(message->bytes, message->size, format);

	ck_assert_str_eq(text, wanted);
	free(text);
}

static void check_profile(const struct message *message, const char *wanted)
{
	check_format(message, PROFILE_ANY, wanted);
}

START_TEST(numbers_packed_or_not)
{
	struct message message = build(_i);
	char wanted[1024];

	snprintf(wanted, sizeof(wanted), "%spprof 1 of 3\n", head);
	check_profile(&message, wanted);
}
END_TEST

/* Go's runtime writes the time, the period and its type before all else. */
START_TEST(the_time_first)
{
	struct message message = { .size = 0 }, rest = build(true), type = NUMBERS(3, 4);
	char wanted[1024];

	put(&message, 9, 1700000000000000000);
	put(&message, 10, 5000000000);
	put_message(&message, 11, &type);
	put(&message, 12, 10000000);
	memcpy(message.bytes + message.size, rest.bytes, rest.size);
	message.size += rest.size;
	snprintf(wanted, sizeof(wanted), "%spprof 1 of 3\n", head);
	check_profile(&message, wanted);
}
END_TEST

/* Bytes, and how many they are. */
#define B(...) IN_BRACES(__VA_ARGS__), sizeof((uint8_t[]) { __VA_ARGS__ })

/* The beginning of a file that is no text. */
static const struct beginning {
	const char *name;
	uint8_t bytes[12];
	size_t size;
	enum profile_format format;
} beginnings[] = {
	{ "a_type_of_samples", B(1 << 3 | 2, 1, 0), PROFILE_PPROF },
	{ "a_sample", B(2 << 3 | 2, 1, 0), PROFILE_PPROF },
	{ "numbers_before", B(9 << 3, 5, 10 << 3, 1, 2 << 3 | 2, 0), PROFILE_PPROF },
	{ "every_number_before", B(7 << 3, 1, 8 << 3, 1, 12 << 3, 1, 14 << 3, 1, 15 << 3, 1, 10, 0),
	  PROFILE_PPROF },
	{ "messages_before",
	  B(3 << 3 | 2, 0, 4 << 3 | 2, 0, 5 << 3 | 2, 0, 6 << 3 | 2, 0, 11 << 3 | 2, 0, 10, 0),
	  PROFILE_PPROF },
	{ "comments_packed_or_not", B(13 << 3, 1, 13 << 3 | 2, 1, 0, 10, 0), PROFILE_PPROF },
	{ "texts_that_go_on", B(6 << 3 | 2, 200, 1, 0), PROFILE_PPROF },
	{ "damaged_behind_a_sample", B(2 << 3 | 2, 1, 0, 0xff, 0xff), PROFILE_PPROF },
	{ "no_sample", B(9 << 3, 5, 6 << 3 | 2, 1, 0), PROFILE_ANY },
	{ "field_0", B(2, 1, 0, 1 << 3 | 2, 0), PROFILE_ANY },
	{ "field_16", B(0x82, 1, 1, 0, 1 << 3 | 2, 0), PROFILE_ANY },
	{ "a_sample_that_is_a_number", B(2 << 3, 1), PROFILE_ANY },
	{ "a_time_that_is_a_message", B(9 << 3 | 2, 1, 0, 1 << 3 | 2, 0), PROFILE_ANY },
	{ "a_time_of_4_bytes", B(9 << 3 | 5, 1, 2, 3, 4, 1 << 3 | 2, 0), PROFILE_ANY },
	{ "a_time_that_goes_on", B(9 << 3, 0x80, 0x80), PROFILE_ANY },
};

START_TEST(known_by_its_fields)
{
	const struct beginning *test = &beginnings[_i];
	enum profile_format format = profile_format_of(test->bytes, test->size);

	ck_assert_msg(format == test->format, "%s: %s", test->name, profile_format_name(format));
}
END_TEST

/* ---- what can't be read ------------------------------------------------------------------------ */

/* Behind the sample that is right comes another, which is lost: where its message begins. */
static void check_lost(const struct message *sample, const char *loss, const char *what)
{
	struct message message = build(true);
	char wanted[1024];

	snprintf(wanted, sizeof(wanted), "%slost %s 1\npprof %zu: %s\npprof 1 of 3\n", head, loss,
		 message.size + 2, what);
	put_message(&message, 2, sample);
	check_profile(&message, wanted);
}

static const struct lost_case {
	const char *name, *fields, *more; /* a field's bytes behind them */
	size_t more_size;
	const char *loss, *what;
} losses[] = {
	{ "a_location_that_is_not_there", "1:9 2:1 2:1", "", 0, "bad_reference",
	  "a sample's location 9" },
	{ "a_sample_without_its_value", "1:2 2:900", "", 0, "bad_count",
	  "a sample without a count" },
	{ "a_sample_of_count_0", "1:2 2:900 2:0", "", 0, "zero_count", "a count of 0" },
	{ "a_negative_count", "1:2 2:900 2:-1", "", 0, "bad_count", "a count below 0" },
	{ "a_sample_that_is_malformed", "1:2 2:900 2:1", "\x08", 1, "bad_frame",
	  "a sample that is malformed" },
	{ "a_sample_s_first_loss_counts", "1:9 1:8 2:1 2:1", "", 0, "bad_reference",
	  "a sample's location 9" },
	{ "packed_numbers_that_are_malformed", "1:2 2:900 2:1", "\x0a\1\x80", 3, "bad_frame",
	  "a sample that is malformed" },
};

START_TEST(a_sample_that_is_lost)
{
	struct message sample = fields_of(losses[_i].fields);

	memcpy(sample.bytes + sample.size, losses[_i].more, losses[_i].more_size);
	sample.size += losses[_i].more_size;
	check_lost(&sample, losses[_i].loss, losses[_i].what);
}
END_TEST

START_TEST(cut_off)
{
	struct message message = build(true);
	char wanted[1024];

	/* The last text, "tid", loses a byte: nobody refers to it but a label. */
	snprintf(wanted, sizeof(wanted),
		 "77/-1%slost cut_off 1\npprof %zu: the profile ends in a field, or is malformed "
		 "from here on\npprof 1 of 3\n",
		 head + strlen("77/78"), message.size - 3);
	message.size--;
	check_profile(&message, wanted);
}
END_TEST

START_TEST(hostile_bytes)
{
	struct message message = build(_i);

	check_profile_hostile(message.bytes, message.size, PROFILE_PPROF);
}
END_TEST

/* It is no negative one, but too much with the other's 3. */
START_TEST(the_largest_count)
{
	struct message message = build(true), sample = fields_of("1:2 2:900 2:9223372036854775807");
	char wanted[1024];

	snprintf(wanted, sizeof(wanted),
		 "%serror text_syntax: the samples' counts add up to more than "
		 "9223372036854775807\npprof 1 of 3\n",
		 head);
	put_message(&message, 2, &sample);
	check_profile(&message, wanted);
}
END_TEST

/* Bytes, of a file that is said to be one. */
static const struct whole_case {
	const char *name;
	uint8_t bytes[12];
	size_t size;
	const char *wanted;
} wholes[] = {
	{ "nothing_can_be_read", B(1 << 3 | 2, 5),
	  "error text_syntax: the profile is malformed\n" },
	{ "an_empty_text_alone", B(6 << 3 | 2, 0), "" },
	{ "a_sample_s_type_alone", B(1 << 3 | 2, 0), "" },
	{ "malformed_behind_a_text", B(6 << 3 | 2, 0, 0xff),
	  "lost cut_off 1\npprof 2: the profile ends in a field, or is malformed from here on\n" },
	{ "malformed_behind_a_location", B(4 << 3 | 2, 0, 0xff),
	  "lost cut_off 1\npprof 2: the profile ends in a field, or is malformed from here on\n" },
};

START_TEST(of_few_bytes)
{
	const struct whole_case *test = &wholes[_i];
	char wanted[256], *text = profile_bytes_text(test->bytes, test->size, PROFILE_PPROF);

	snprintf(wanted, sizeof(wanted), "%spprof 0 of 0\n", test->wanted);
	ck_assert_msg(!strcmp(text, wanted), "%s: %s", test->name, text);
	free(text);
}
END_TEST

/* ---- which value, which numbers --------------------------------------------------------------- */

/* Texts of a value's type and unit: which of two values counts. */
static const struct value_case {
	const char *name;
	uint64_t type[2][2];
	unsigned int counts;
} value_cases[] = {
	{ "the_type_is_samples", { { 3, 4 }, { 1, 4 } }, 1 },
	{ "the_unit_is_count", { { 3, 4 }, { 3, 2 } }, 1 },
	{ "the_first_of_both", { { 3, 2 }, { 1, 2 } }, 0 },
	{ "the_first_if_none_does", { { 3, 4 }, { 3, 4 } }, 0 },
	{ "a_type_that_is_count", { { 3, 4 }, { 2, 4 } }, 0 },
	{ "a_unit_that_is_samples", { { 3, 4 }, { 3, 1 } }, 0 },
};

START_TEST(the_value_that_counts)
{
	const struct value_case *test = &value_cases[_i];
	struct message message = { .size = 0 }, part;
	char wanted[64], *text;

	for (int i = 0; i < 2; i++) {
		put_numbers(&message, 1, NUMBERS(test->type[i][0], test->type[i][1]));
	}
	part = NUMBERS(0, 5);
	put(&part, 2, 6);
	put_message(&message, 2, &part);
	put_texts(&message);
	text = profile_bytes_text(message.bytes, message.size, PROFILE_PPROF);
	snprintf(wanted, sizeof(wanted), "x %d:\npprof 1 of %d\n", 5 + test->counts,
		 5 + test->counts);
	ck_assert_msg(!strcmp(text, wanted), "%s: %s", test->name, text);
	free(text);
}
END_TEST

/* Messages whose numbers are in no order, and not 1, 2, ...; and fields that are of another kind. */
START_TEST(numbers_in_any_order)
{
	static const uint64_t id[] = { 5, 2, 40, 3, 7 };
	struct message message = { .size = 0 }, part;

	for (unsigned int field = 1; field <= 6; field++)
		put(&message, field, 1);
	for (int i = 0; i < 5; i++) {
		put_numbers(&message, 5, NUMBERS(id[i], 1 + i));
		put_numbers(&message, 3, NUMBERS(id[i], 0x1000, 0x2000, 0, 6 + i));
		part = NUMBERS(id[i], id[i], 0x1000 + i);
		put(&part, 4, 1);
		put_bytes(&part, 9, "x", 1);
		struct message line = NUMBERS(id[i]);
		put_message(&part, 4, &line);
		put_message(&message, 4, &part);
	}
	part = NUMBERS(5, 1);
	for (int i = 1; i < 5; i++)
		put(&part, 1, id[i]);
	put_message(&message, 2, &part);
	put_bytes(&message, 6, "", 0);
	for (char text = 'a'; text < 'a' + 5; text++)
		put_bytes(&message, 6, &text, 1);
	for (char text = 'A'; text < 'A' + 5; text++)
		put_bytes(&message, 6, &text, 1);
	check_format(
		&message, PROFILE_PPROF,
		"x 1: a (A) f0x0, b (B) f0x1, c (C) f0x2, d (D) f0x3, e (E) f0x4\npprof 1 of 1\n");
}
END_TEST

START_TEST(only_the_highest_bit_is_the_kernel_s)
{
	struct message message = { .size = 0 }, part = fields_of("1:1 2:1 1:2");

	put_message(&message, 2, &part);
	put_location(&message, 1, 0, INT64_MAX, NULL, 0);
	put_location(&message, 2, 0, 1ull << 63, NULL, 0);
	check_format(&message, PROFILE_PPROF,
		     "x 1: ? r0x7fffffffffffffff, ? r0x8000000000000000 k\npprof 1 of 1\n");
}
END_TEST

/* A number of a process: what is none says nothing. */
START_TEST(labels_of_processes)
{
	static const struct {
		uint64_t number;
		const char *ids;
	} labels[] = {
		{ INT32_MAX, "2147483647/5" },
		{ INT32_MAX + 1ull, "-1/5" },
		{ 1ull << 32, "-1/5" },
		{ -1, "-1/5" },
	};

	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		struct message message = { .size = 0 }, part = NUMBERS(0, 1);
		char wanted[80];

		put_numbers(&part, 3, NUMBERS(1, 0, labels[i].number));
		put_numbers(&part, 3, NUMBERS(2, 0, 5));
		put_message(&message, 2, &part);
		put_bytes(&message, 6, "", 0);
		put_bytes(&message, 6, "pid", 3);
		put_bytes(&message, 6, "thread_id", 9);
		snprintf(wanted, sizeof(wanted), "%s x 1:\npprof 1 of 1\n", labels[i].ids);
		check_format(&message, PROFILE_PPROF, wanted);
	}
}
END_TEST

/* Two samples, mappings, locations and functions: what one says the other does not. */
START_TEST(a_sample_says_nothing_of_the_next)
{
	struct message message = { .size = 0 }, part = fields_of("1:1 2:3 1:2");

	put_numbers(&part, 3, NUMBERS(10, 0, 77));
	put_numbers(&part, 3, NUMBERS(11, 12));
	put_message(&message, 2, &part);
	part = NUMBERS(3, 4);
	put_numbers(&part, 3, NUMBERS(14, 13, 78));
	put_numbers(&part, 3, NUMBERS(7, 12, 79)); /* of another kind */
	put_message(&message, 2, &part);
	put_numbers(&message, 2, NUMBERS(2, 5, 6));
	put_numbers(&message, 3, NUMBERS(1, 0x1000, 0x2000, 0x100, 5, 6));
	put_numbers(&message, 3, NUMBERS(2, 0x3000, 0x4000, 0, 13));
	put_location(&message, 1, 1, 0x1010, (const uint64_t[]) { 1, 9, 2 }, 3);
	put_location(&message, 2, 2, 0x3020, (const uint64_t[]) { 0 }, 1);
	put_location(&message, 3, 9, 0x30, NULL, 0);
	put_numbers(&message, 5, NUMBERS(1, 9, 8));
	put_numbers(&message, 5, NUMBERS(2, 7, 99)); /* its system name is not there */
	put_texts(&message);
	check_format(&message, PROFILE_PPROF,
		     "77/-1 'my prog' x 3: _Z1fv (/bin/a 5c9a) f0x110 i, ? (/bin/a 5c9a) f0x110 i, "
		     "main (/bin/a 5c9a) f0x110, ? (leaf) f0x20\n-1/78 x 4: ? r0x30\n"
		     "x 5: ? (leaf) f0x20\npprof 3 of 12\n");
}
END_TEST

/* As many frames as a sample may have, and one more. */
START_TEST(the_most_frames)
{
	static const size_t frames[] = { PROFILE_FRAMES_MAX, PROFILE_FRAMES_MAX + 1 };

	for (int i = 0; i < 2; i++) {
		struct message message = { .size = 0 };
		uint8_t *bytes = malloc(PROFILE_FRAMES_MAX + 100);
		char *text;

		put_location(&message, 1, 0, 7, NULL, 0);
		put_number(&message, 2 << 3 | 2);
		put_number(&message, 1 + 3 + frames[i] + 2);
		put_number(&message, 1 << 3 | 2);
		put_number(&message, frames[i]);
		memcpy(bytes, message.bytes, message.size);
		memset(bytes + message.size, 1, frames[i]);
		memcpy(bytes + message.size + frames[i], (uint8_t[]) { 2 << 3, 9 }, 2);
		text = profile_bytes_text(bytes, message.size + frames[i] + 2, PROFILE_PPROF);
		if (i)
			ck_assert_str_eq(text, "lost too_deep 1\npprof 10: a sample's location 1\n"
					       "pprof 0 of 0\n");
		else
			ck_assert_ptr_nonnull(strstr(text, "? r0x7, ? r0x7\npprof 1 of 9\n"));
		free(text);
		free(bytes);
	}
}
END_TEST

static int enough_at_two(void *context, const struct profile *profile,
			 const struct profile_sample *sample, struct error *error)
{
	return ++*(int *)context == 2 ? error_set(error, ERROR_TEXT_SYNTAX, "", 7, "enough") : 0;
}

START_TEST(reading_ends_when_told)
{
	struct message message = { .size = 0 }, part = NUMBERS(0, 1);
	struct profile profile;
	struct error error;
	char path[64];
	int count = 0, file;

	for (int i = 0; i < 3; i++)
		put_message(&message, 2, &part);
	file = profile_file(message.bytes, message.size, path);
	profile_init(&profile);
	ck_assert_int_eq(profile_read(&profile, path, PROFILE_PPROF, enough_at_two, &count, &error),
			 -1);
	ck_assert_str_eq(error.message, "enough");
	ck_assert_int_eq(count, 2);
	profile_deinit(&profile);
	close(file);
}
END_TEST

/* ---- the encoding ------------------------------------------------------------------------------ */

static const struct varint {
	const char *name;
	uint8_t bytes[12];
	size_t size;
	uint64_t value;
	bool bad;
} varints[] = {
	{ "zero", B(0), 0, false },
	{ "one_byte", B(0x7f), 127, false },
	{ "two_bytes", B(0x80, 1), 128, false },
	{ "zeros_behind", B(0x81, 0x80, 0), 1, false },
	{ "the_largest", B(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1), UINT64_MAX,
	  false },
	{ "too_large", B(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2), 0, true },
	{ "no_end", B(0x80, 0x80), 0, true },
	{ "nothing", { 0 }, 0, 0, false },
};

START_TEST(a_number)
{
	const struct varint *varint = &varints[_i];
	struct wire wire = { varint->bytes, varint->bytes + varint->size, false };
	uint64_t value;
	bool found = wire_number(&wire, &value);

	ck_assert_msg(found == (varint->size && !varint->bad), "%s", varint->name);
	ck_assert_int_eq(wire.bad, varint->bad);
	if (!found)
		return;
	ck_assert_uint_eq(value, varint->value);
	ck_assert_ptr_eq(wire.at, wire.end);
}
END_TEST

static const struct field_case {
	const char *name;
	uint8_t bytes[12];
	size_t size;
	int fields;
	bool bad;
} fields[] = {
	{ "a_number", B(1 << 3, 5), 1, false },
	{ "eight_bytes", B(1 << 3 | 1, 1, 2, 3, 4, 5, 6, 7, 8), 1, false },
	{ "eight_bytes_cut_off", B(1 << 3 | 1, 1, 2, 3, 4, 5, 6, 7), 0, true },
	{ "four_bytes", B(1 << 3 | 5, 1, 2, 3, 4, 1 << 3, 1), 2, false },
	{ "four_bytes_cut_off", B(1 << 3 | 5, 1, 2, 3), 0, true },
	{ "no_bytes", B(1 << 3 | 2, 0), 1, false },
	{ "bytes_to_the_end", B(1 << 3 | 2, 1, 9), 1, false },
	{ "bytes_past_the_end", B(1 << 3 | 2, 2, 9), 0, true },
	{ "a_group", B(1 << 3 | 3, 0), 0, true },
	{ "a_number_without_value", B(1 << 3), 0, true },
	{ "bytes_without_size", B(1 << 3 | 2), 0, true },
};

START_TEST(a_field)
{
	const struct field_case *test = &fields[_i];
	struct wire wire = { test->bytes, test->bytes + test->size, false };
	struct wire_field field;
	int count = 0;

	while (wire_next(&wire, &field))
		count++;
	ck_assert_msg(count == test->fields && wire.bad == test->bad, "%s: %d, %d", test->name,
		      count, wire.bad);
}
END_TEST

/* A field's number: the last one of that kind counts, as far as the message can be read. */
static const struct {
	const char *name;
	uint8_t bytes[8];
	size_t size;
	uint64_t value;
} lasts[] = {
	{ "none", B(2 << 3, 5), 0 },
	{ "one", B(2 << 3, 5, 1 << 3, 6), 6 },
	{ "the_last", B(1 << 3, 5, 1 << 3, 6, 2 << 3, 7), 6 },
	{ "not_bytes", B(1 << 3, 5, 1 << 3 | 2, 1, 7), 5 },
	{ "not_four_bytes", B(1 << 3, 5, 1 << 3 | 5, 1, 2, 3, 4), 5 },
	{ "as_far_as_it_goes", B(1 << 3, 5, 1 << 3, 0x80), 5 },
};

START_TEST(a_field_s_number)
{
	const struct wire wire = { lasts[_i].bytes, lasts[_i].bytes + lasts[_i].size, false };

	ck_assert_msg(wire_number_of(wire, 1) == lasts[_i].value, "%s", lasts[_i].name);
}
END_TEST

SUITE(profile_pprof, TIMES(numbers_packed_or_not, 2), TEST(the_time_first),
      LOOP(known_by_its_fields, beginnings), LOOP(a_sample_that_is_lost, losses), TEST(cut_off),
      TEST(the_largest_count), LOOP(of_few_bytes, wholes), LOOP(the_value_that_counts, value_cases),
      TEST(numbers_in_any_order), TEST(only_the_highest_bit_is_the_kernel_s),
      TEST(labels_of_processes), TEST(a_sample_says_nothing_of_the_next), TEST(the_most_frames),
      TEST(reading_ends_when_told), TIMES(hostile_bytes, 2), LOOP(a_number, varints),
      LOOP(a_field, fields), LOOP(a_field_s_number, lasts))
