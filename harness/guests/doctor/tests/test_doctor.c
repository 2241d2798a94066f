/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_doctor.c - what each ability says of itself, and what adds the missing ones
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "base/cli/exit_status.h"
#include "base/cli/tests/command_output.h"
#include "commands/commands.h"
#include "guests/doctor/doctor.h"

enum { MOST = 64 };

/* All are there, but those that are named, separated by blanks. */
static char *remedy_without(const char *missing)
{
	struct doctor_found found[MOST] = { 0 };
	const struct ability *ability;
	struct error error;

	for (size_t i = 0; (ability = doctor_ability(i)); i++) {
		const char *at = strstr(missing, ability->name);

		ck_assert_uint_lt(i, MOST);
		found[i].answer = at && strchr(" ", at[strlen(ability->name)]) ? DOCTOR_MISSING
									       : DOCTOR_THERE;
	}
	return doctor_remedy(found, &error);
}

static const struct {
	const char *missing, *remedy;
} remedies[] = {
	{ "", "" },
	{ "bpf step perf", "" }, /* nothing can be installed for them */
	{ "qemu", "apt-get install --no-install-recommends qemu-system-x86\n" },
	{ "rustc gcc-12", "apt-get install --no-install-recommends gcc-12 rustc\n" },
	{ "emulator mke2fs", "apt-get install --no-install-recommends e2fsprogs\n"
			     "stackproof emulators fetch bookworm-backports\n" },
};

START_TEST(what_adds_the_missing)
{
	char *said = remedy_without(remedies[_i].missing);

	ck_assert_pstr_eq(said, remedies[_i].remedy);
	free(said);
}
END_TEST

/* One is slow: it is not missing. */
START_TEST(what_is_slow_needs_no_remedy)
{
	struct doctor_found found[MOST] = { 0 };
	struct error error;
	char *said;

	for (size_t i = 0; i < MOST; i++)
		found[i].answer = DOCTOR_SLOW;
	said = doctor_remedy(found, &error);
	ck_assert_pstr_eq(said, "");
	free(said);
}
END_TEST

START_TEST(a_program_is_looked_for_in_path)
{
	const struct ability there = { .program = "sh" }, none = { .program = "no-such-program" };
	struct doctor_found found;

	doctor_ask_program(&there, &found);
	ck_assert_int_eq(found.answer, DOCTOR_THERE);
	ck_assert_msg(strstr(found.text, "/sh") != NULL, "%s", found.text);
	doctor_ask_program(&none, &found);
	ck_assert_int_eq(found.answer, DOCTOR_MISSING);
	ck_assert_str_eq(found.text, "there is no no-such-program in PATH");
}
END_TEST

/* Each has a name of its own, who needs it, and how it is asked; a program's has its package. */
START_TEST(each_is_whole)
{
	const struct ability *ability, *other;

	for (size_t i = 0; (ability = doctor_ability(i)); i++) {
		ck_assert(ability->name[0] && ability->purpose[0] && ability->commands[0]);
		ck_assert(ability->ask && ability->skip);
		ck_assert(!ability->program ||
			  (ability->package && ability->ask == doctor_ask_program));
		for (size_t j = 0; (other = doctor_ability(j)); j++)
			ck_assert(i == j || strcmp(ability->name, other->name) != 0);
	}
}
END_TEST

/* An empty cache: kernels and emulators are missing, which fails only where they are required. */
static const struct {
	const char *require;
	int status;
	const char *says;
} required[] = {
	{ "--json", EXIT_OK, "\"name\":\"kernels\",\"answer\":\"missing\"" },
	{ "--require=kernels", EXIT_FINDINGS, "missing  kernels    none was fetched\n" },
	{ "--require=step,nothing", EXIT_USAGE, "" },
};

START_TEST(what_is_required)
{
	char option[64], *argv[] = { "stackproof doctor", option, NULL }, *said;
	int status;

	snprintf(option, sizeof(option), "%s", required[_i].require);
	ck_assert(!setenv("STACKPROOF_CACHE", "/nonexistent/cache", 1));
	said = command_output(command_doctor, argv, &status);
	ck_assert_msg(status == required[_i].status && strstr(said, required[_i].says), "%d: %s",
		      status, said);
	free(said);
}
END_TEST

SUITE(doctor, LOOP(what_adds_the_missing, remedies), TEST(what_is_slow_needs_no_remedy),
      TEST(a_program_is_looked_for_in_path), TEST(each_is_whole), LOOP(what_is_required, required))
