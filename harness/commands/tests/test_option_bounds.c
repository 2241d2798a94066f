/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_option_bounds.c - the least and the greatest value of each option, and one beyond
 *
 * What is allowed is followed by --help: options are parsed one after another, so a value that is
 * refused ends the command with 2 before that, and one that is not ends it with 0. Of one that is
 * refused the first line says why.
 */
#include "tests/suite.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "base/cli/exit_status.h"

#define COUNT_OF(array) (int)(sizeof(array) / sizeof((array)[0]))
#define SECONDS		"--timeout is between 1 and 4294967, not "
#define EIGHT		"1,2,3,4,5,6,7,8"

static const struct {
	int (*command)(int argc, char **argv);
	const char *value;
	const char *message; /* NULL: it is allowed */
} cases[] = {
	{ command_bench, "--runs=1", NULL },
	{ command_bench, "--runs=50", NULL },
	{ command_bench, "--runs=0", "--runs is between 1 and 50, not 0" },
	{ command_bench, "--runs=51", "--runs is between 1 and 50, not 51" },
	{ command_compare, "--every=1", NULL },
	{ command_compare, "--every=18446744073709551615", NULL },
	{ command_compare, "--every=0", "--every is between 1 and 18446744073709551615, not 0" },
	{ command_compare, "--every=18446744073709551616",
	  "--every takes a whole number, not '18446744073709551616'" },
	{ command_compare, "--limit=1", NULL },
	{ command_compare, "--limit=0", "--limit is between 1 and 18446744073709551615, not 0" },
	{ command_compare, "--timeout=1", NULL },
	{ command_compare, "--timeout=4294967", NULL },
	{ command_compare, "--timeout=0", SECONDS "0" },
	{ command_compare, "--timeout=4294968", SECONDS "4294968" },
	{ command_compare, "--method=loop", NULL },
	{ command_compare, "--method=chain", NULL },
	{ command_compare, "--method=chains", "--method takes loop or chain" },
	{ command_compare, "--engine=cfi", NULL },
	{ command_compare, "--engine=table,cfi", NULL },
	{ command_compare, "--engine=table,cfi,table", "--engine: 'table' is named twice" },
	{ command_compare, "--engine=cfi,,table", "--engine: a value of the list is empty" },
	{ command_compare, "--record=", "--record: the value is empty" },
	{ command_generate, "--depth=4", NULL },
	{ command_generate, "--depth=200", NULL },
	{ command_generate, "--depth=3", "--depth is between 4 and 200, not 3" },
	{ command_generate, "--depth=201", "--depth is between 4 and 200, not 201" },
	{ command_generate, "--drop=0", NULL },
	{ command_generate, "--drop=79", NULL },
	{ command_generate, "--drop=80", "--drop is between 0 and 79, not 80" },
	{ command_generate, "--functions=1", NULL },
	{ command_generate, "--functions=80", NULL },
	{ command_generate, "--functions=0", "--functions is between 1 and 80, not 0" },
	{ command_generate, "--functions=81", "--functions is between 1 and 80, not 81" },
	{ command_generate, "--flags=gcc", NULL },
	{ command_generate, "--flags=clang", NULL },
	{ command_generate, "--flags=icc", "--flags takes gcc or clang, not 'icc'" },
	{ command_generate, "--language=c", NULL },
	{ command_generate, "--language=d", "no programs in 'd' are made, only in c" },
	{ command_generate, "--levels=O0,O1,O2,O3,Os,Og,Oz,Ofast", NULL },
	{ command_generate, "--levels=O0 Ofast", NULL },
	{ command_generate, "--levels=O0 Ofas", "--levels: 'Ofas' is no level" },
	{ command_generate, "--levels=O0  O1", "--levels: a value of the list is empty" },
	{ command_generate, "--levels= , ", "--levels names none" },
	{ command_generate, "--levels=", "--levels names none" },
	{ command_plant, "--jobs=1", NULL },
	{ command_plant, "--jobs=64", NULL },
	{ command_plant, "--jobs=0", "--jobs is between 1 and 64, not 0" },
	{ command_plant, "--jobs=65", "--jobs is between 1 and 64, not 65" },
	{ command_plant, "--per-kind=1", NULL },
	{ command_plant, "--per-kind=4294967295", NULL },
	{ command_plant, "--per-kind=0", "--per-kind is between 1 and 4294967295, not 0" },
	{ command_plant, "--per-kind=4294967296",
	  "--per-kind is between 1 and 4294967295, not 4294967296" },
	{ command_plant, "--points=1", NULL },
	{ command_plant, "--points=0", "--points is between 1 and 18446744073709551615, not 0" },
	{ command_plant, "--programs=1", NULL },
	{ command_plant, "--programs=0", "--programs is between 1 and 4294967295, not 0" },
	{ command_plant, "--row=0", NULL },
	{ command_plant, "--row=4294967295", NULL },
	{ command_plant, "--row=4294967296", "--row is between 0 and 4294967295, not 4294967296" },
	{ command_plant, "--seed=0", NULL },
	{ command_plant, "--seed=x", "--seed takes a whole number, not 'x'" },
	{ command_prove, "--jobs=1", NULL },
	{ command_prove, "--jobs=256", NULL },
	{ command_prove, "--jobs=0", "--jobs is between 1 and 256, not 0" },
	{ command_prove, "--jobs=257", "--jobs is between 1 and 256, not 257" },
	{ command_prove, "--every=1", NULL },
	{ command_prove, "--every=4294967295", NULL },
	{ command_prove, "--every=0", "--every is between 1 and 4294967295, not 0" },
	{ command_prove, "--every=4294967296",
	  "--every is between 1 and 4294967295, not 4294967296" },
	{ command_prove, "--timeout=1", NULL },
	{ command_prove, "--timeout=0", SECONDS "0" },
	{ command_run, "--jobs=1", NULL },
	{ command_run, "--jobs=1024", NULL },
	{ command_run, "--jobs=0", "--jobs is between 1 and 1024, not 0" },
	{ command_run, "-j1025", "--jobs is between 1 and 1024, not 1025" },
	{ command_run, "--timeout=1", NULL },
	{ command_run, "--timeout=0", SECONDS "0" },
	{ command_run, "--guests=step", NULL },
	{ command_run, "--guests=play", NULL },
	{ command_run, "--guests=steps", "--guests takes step or play, not 'steps'" },
	{ command_run, "--require=bpf,vm,gcc,clang,rustc", NULL },
	{ command_run, "--require=bpf,x,y", "nothing is known as \"x,y\" to be required" },
	{ command_run, "--engine=cfi,table,bpf,fp,libdw", NULL },
	{ command_run, "--engine=cfi,x", "--engine: no engine is called 'x'" },
	{ command_run, "--kernels=host,5.10,/a/b", NULL },
	{ command_run, "--kernels=/23456789012345678901234567890123456789012345678901234567890123",
	  NULL },
	{ command_run, "--kernels=/234567890123456789012345678901234567890123456789012345678901234",
	  "the kernel's name is too long: "
	  "/234567890123456789012345678901234567890123456789012345678901234" },
	{ command_run, "--kernels=host,1.0",
	  "\"1.0\" is neither host, nor a series that any suite holds, nor the path of a bzImage" },
	{ command_sample, "--rate=1", NULL },
	{ command_sample, "--rate=1000000,1", NULL },
	{ command_sample, "--rate=" EIGHT, NULL },
	{ command_sample, "--rate=" EIGHT ",9", "--rate: more than 8 values" },
	{ command_sample, "--rate=1,0", "--rate is between 1 and 1000000, not 0" },
	{ command_sample, "--rate=1000001", "--rate is between 1 and 1000000, not 1000001" },
	{ command_sample, "--drain=1", NULL },
	{ command_sample, "--drain=2147483647", NULL },
	{ command_sample, "--drain=0", "--drain is between 1 and 2147483647, not 0" },
	{ command_sample, "--drain=2147483648",
	  "--drain is between 1 and 2147483647, not 2147483648" },
	{ command_sample, "--runs=1", NULL },
	{ command_sample, "--runs=4294967295", NULL },
	{ command_sample, "--runs=0", "--runs is between 1 and 4294967295, not 0" },
	{ command_sample, "--runs=4294967296",
	  "--runs is between 1 and 4294967295, not 4294967296" },
	{ command_sample, "--samples=1", NULL },
	{ command_sample, "--samples=0", "--samples is between 1 and 18446744073709551615, not 0" },
	{ command_sample, "--timeout=1", NULL },
	{ command_sample, "--timeout=0", SECONDS "0" },
	{ command_sample, "--method=loop", NULL },
	{ command_sample, "--bind-now", NULL },
	{ command_stat, "--jobs=1", NULL },
	{ command_stat, "--jobs=256", NULL },
	{ command_stat, "--jobs=0", "--jobs is between 1 and 256, not 0" },
	{ command_stat, "--jobs=257", "--jobs is between 1 and 256, not 257" },
	{ command_table, "--pc=0", NULL },
	{ command_table, "--pc=0xffffffffffffffff", NULL },
	{ command_table, "--pc=0x10000000000000000",
	  "--pc takes an address, not '0x10000000000000000'" },
	{ command_table, "--pc=1g", "--pc takes an address, not '1g'" },
	{ command_table, "--pc=-1", "--pc takes an address, not '-1'" },
	{ command_vm, "--memory=1", NULL },
	{ command_vm, "--memory=1048576", NULL },
	{ command_vm, "--memory=0", "--memory is between 1 and 1048576, not 0" },
	{ command_vm, "--memory=1048577", "--memory is between 1 and 1048576, not 1048577" },
	{ command_vm, "--timeout=1", NULL },
	{ command_vm, "--timeout=0", SECONDS "0" },
	{ command_vm, "--kernel=5.10,/a", NULL },
	{ command_vm, "--kernel=/a,b",
	  "\"b\" is neither a series that any suite holds, nor the path of a bzImage" },
	{ command_vm, "--file=a:b", NULL },
	{ command_vm, "--file=a:", "--file takes HOST or HOST:GUEST, not 'a:'" },
	{ command_vm, "--file=:a", "--file takes HOST or HOST:GUEST, not ':a'" },
	{ command_vm, "--file=", "--file takes HOST or HOST:GUEST, not ''" },
	{ command_witness, "--timeout=1", NULL },
	{ command_witness, "--timeout=0", SECONDS "0" },
	{ command_prove, "--coverage=0", NULL },
	{ command_prove, "--coverage=100", NULL },
	{ command_prove, "--coverage=99.5", NULL },
	{ command_prove, "--coverage=100.1",
	  "--coverage takes a number from 0 to 100, not '100.1'" },
	{ command_prove, "--coverage=nan", "--coverage takes a number from 0 to 100, not 'nan'" },
	{ command_prove, "--coverage=1.2.3",
	  "--coverage takes a number from 0 to 100, not '1.2.3'" },
	{ command_prove, "--coverage=", "--coverage takes a number from 0 to 100, not ''" },
};

START_TEST(value_is_allowed_or_refused)
{
	char value[128], help[] = "--help", *arguments[] = { "command", value, help, NULL };
	char expected[256];
	int status;

	snprintf(value, sizeof(value), "%s", cases[_i].value);
	FREED char *output = command_output(cases[_i].command, arguments, &status);
	ck_assert_msg(status == (cases[_i].message ? EXIT_USAGE : EXIT_OK), "%s: %d: %s",
		      cases[_i].value, status, output);
	snprintf(expected, sizeof(expected), "command: %s\n",
		 cases[_i].message ? cases[_i].message : "");
	ck_assert_msg(!cases[_i].message || !strncmp(output, expected, strlen(expected)), "%s: %s",
		      cases[_i].value, output);
}
END_TEST

SUITE(option_bounds, LOOP(value_is_allowed_or_refused, cases))
