/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_place_names.c - each name is looked up once, whatever process it was met in; made code is each process's own
 */
#include "made_space.h"
#include "tests/suite.h"
#include "profiles/record/place_names.c"

static struct error error;
static struct stackproof_space space, other;
static struct place_names names;

static void begin(void)
{
	memset(&asked, 0, sizeof(asked));
	memset(&names, 0, sizeof(names));
	space = other = (struct stackproof_space) { 0 };
}

static void end(void)
{
	place_names_deinit(&names);
}

static uint32_t user(const struct stackproof_space *in, uint64_t pc, bool before)
{
	const struct stackproof_stack stack = { .space = in, .pc = &pc, .time_ns = 77 };

	return place_names_user(&names, &stack, 0, before, &error);
}

static void name_all(void)
{
	do
		ck_assert_int_eq(place_names_name(&names, NULL, &error), 0);
	while (names.unnamed_count);
}

static const char *text(uint32_t number)
{
	return profile_texts_get(&names.texts, number);
}

/* A handler returns to the begin of the code that ends it. */
START_TEST(a_signal_frame_is_named_where_it_is)
{
	uint32_t frame = user(&space, 0x5160, true), same = user(&space, 0x5160, false);

	name_all();
	ck_assert_uint_eq(frame, same);
	ck_assert(names.place[frame - 1].signal_frame);
	ck_assert_str_eq(text(names.place[frame - 1].function.name), "f_105160");
	ck_assert(!names.place[user(&space, 0x5170, true) - 1].signal_frame);
}
END_TEST

START_TEST(an_address_of_an_image_is_named_once)
{
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq(user(&space, 0x1234, false), 1);
		ck_assert_uint_eq(user(&other, 0x1234, false), 1);
		ck_assert_uint_eq(user(&space, 0x1235, true), 1); /* it returns to behind it */
		ck_assert_uint_eq(user(&space, 0x1235, false), 2);
		ck_assert_uint_eq(user(&space, 0x8000, false), 3);
		ck_assert_uint_eq(names.unnamed_count, i ? 0 : 3);
		name_all();
		ck_assert_uint_eq(asked.images, 2);
	}
	ck_assert_uint_eq(asked.found, 3);
	ck_assert_uint_eq(asked.located, 15);
	ck_assert_uint_eq(asked.read, 0);
	ck_assert_uint_eq(names.count, 3);
	ck_assert_str_eq(text(names.place[0].function.name), "f_101234");
	ck_assert_str_eq(text(names.place[1].function.name), "f_101235");
}
END_TEST

START_TEST(a_place_has_its_mapping)
{
	const struct collected_mapping *mapping;

	user(&space, 0x1234, false);
	user(&space, 0x8000, false);
	user(&space, 0x10000, false);
	mapping = &names.place[0].mapping;
	ck_assert_str_eq(text(mapping->path), "/bin/made");
	ck_assert_str_eq(text(mapping->build_id), "ab0c");
	ck_assert_uint_eq(mapping->start, 0x101000);
	ck_assert_uint_eq(mapping->limit, 0x108000);
	ck_assert_uint_eq(mapping->offset, 0x1000);
	ck_assert_int_eq(mapping->image, COLLECTED_FILE);
	ck_assert_int_eq(names.place[1].mapping.image, COLLECTED_VDSO);
	ck_assert_uint_eq(names.place[1].mapping.build_id, 0);
	ck_assert_int_eq(names.place[2].mapping.image, COLLECTED_ANONYMOUS);
	ck_assert_uint_eq(names.place[2].address, 0x10000);
}
END_TEST

/* Names as they are linked, and as people read them. */
START_TEST(a_mangled_name_has_both)
{
	asked.function = "_ZN3foo3barEv";
	user(&space, 0x1234, false);
	name_all();
	asked.function = "plain";
	user(&space, 0x1235, false);
	name_all();
	asked.function = "";
	user(&space, 0x1236, false);
	name_all();
	asked.function = "[lost: x]";
	user(&space, 0x1237, false);
	name_all();
	ck_assert_str_eq(text(names.place[3].function.name), "\\x5blost: x]");
	ck_assert_str_eq(text(names.place[0].function.name), "foo::bar()");
	ck_assert_str_eq(text(names.place[0].function.linkage), "_ZN3foo3barEv");
	ck_assert_str_eq(text(names.place[1].function.name), "plain");
	ck_assert_uint_eq(names.place[1].function.linkage, 0);
	ck_assert_uint_eq(names.place[2].function.name, 0);
}
END_TEST

/* Two processes have other code at one address, and one may put another there. */
START_TEST(made_code_is_known_by_its_name)
{
	space.generated = "one";
	other.generated = "two";
	ck_assert_uint_eq(user(&space, 0x10000, false), 1);
	ck_assert_uint_eq(user(&other, 0x10000, false), 2);
	ck_assert_uint_eq(user(&space, 0x10000, false), 1);
	ck_assert_uint_eq(asked.time_ns, 77);
	space.generated = NULL;
	ck_assert_uint_eq(user(&space, 0x10000, false), 3);
	ck_assert_str_eq(text(names.place[0].function.name), "one");
	ck_assert_str_eq(text(names.place[1].function.name), "two");
	ck_assert_uint_eq(names.place[2].function.name, 0);
	ck_assert_uint_eq(asked.read, 4); /* it may have grown */
}
END_TEST

START_TEST(what_is_mapped_nowhere_has_no_mapping)
{
	ck_assert_uint_eq(user(&space, 1, true), 1);
	ck_assert_uint_eq(names.place[0].mapping.path, 0);
	ck_assert_uint_eq(names.place[0].function.name, 0);
}
END_TEST

START_TEST(first_code_is_kept)
{
	asked.first_code = true;
	user(&space, 0x1234, false);
	name_all();
	asked.first_code = false;
	user(&space, 0x1235, false);
	name_all();
	ck_assert(names.place[0].first_code && !names.place[1].first_code);
}
END_TEST

START_TEST(an_error_is_handed_on)
{
	space.failing = true;
	ck_assert_uint_eq(user(&space, 0x1234, false), 0);
	ck_assert_int_eq(error.code, ERROR_MEMORY);
	ck_assert_str_eq(error.message, "no memory: made");
	space.failing = false;
	asked.failing = true;
	ck_assert_uint_ne(user(&space, 0x1234, false), 0);
	ck_assert_int_eq(place_names_name(&names, NULL, &error), -1);
	ck_assert_uint_eq(names.unnamed_count, 0); /* it is not tried again */
	ck_assert_str_eq(error.message, "no memory: made");
}
END_TEST

SUITE(place_names, FIXTURE(begin, end), TEST(a_signal_frame_is_named_where_it_is),
      TEST(an_address_of_an_image_is_named_once), TEST(a_place_has_its_mapping),
      TEST(a_mangled_name_has_both), TEST(made_code_is_known_by_its_name),
      TEST(what_is_mapped_nowhere_has_no_mapping), TEST(first_code_is_kept),
      TEST(an_error_is_handed_on))
