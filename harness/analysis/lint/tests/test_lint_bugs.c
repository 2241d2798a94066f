/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_bugs.c - bugs that others found in tables, found by lint: docs/LINT.md, "Known bugs"
 *
 * Each is a file of testprogs/lint, which says whose bug it is and is the bug; with -DRIGHT it is what
 * stands there once it is mended, in which nothing may be found. Expected are all findings, as
 * "SPnnn function+begin..end declared / actual", and then what the FDEs came to. Paths hold at the
 * project's root.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "cfi/code_name.h"
#include "analysis/lint/lint.h"

#define SHARED "-shared -nostdlib -Wl,-z,noseparate-code,-z,norelro"
/* With addresses that no linker chooses: they are in what is said of the search table. */
#define HEADER                                                                                     \
	"-static -nostdlib -Wl,--no-eh-frame-hdr,-e0,-Ttext=0x401000,"                             \
	"--section-start=.eh_frame=0x402000,--section-start=.eh_frame_hdr=0x403000"
#define BARE "-static -nostdlib -Wl,--eh-frame-hdr,-e0"
/* No linker keeps two sections of a name. */
#define RENAMED	  BARE " && objcopy --rename-section other_frames=.eh_frame $image"
#define PROGRAM	  "-static -nostdlib -Wl,--eh-frame-hdr"
#define UNCOVERED " no FDE covers it / it is a function, or something leads there\n"

static const struct bug {
	const char *file, *flags, *wrong, *expected, *right;
} bugs[] = {
	{ "first_caller", PROGRAM, "",
	  "SP002 _start+0..11 ra=c-8 / a process begins here, with argc there\n"
	  "1 wrong, 1 proven",
	  "0 wrong, 2 proven" },
	{ "hash_rounds", SHARED, "", "0 wrong, 0 proven, 1 value_unknown", "0 wrong, 1 proven" },
	{ "hidden_fde", HEADER, "",
	  "SP009 entry 0 leads to no FDE: there is none at 0x402030\n"
	  "SP009 the FDE of 0x401000 is not in the search table\n"
	  "0 wrong, 1 proven",
	  "0 wrong, 1 proven" },
	{ "hidden_fde", HEADER, "-DBOTH",
	  "SP009 entry 1 leads to no FDE: there is none at 0x402030\n"
	  "0 wrong, 1 proven",
	  "0 wrong, 1 proven" },
	{ "hoisted_add", SHARED, "",
	  "SP001 hoisted_add+20..24 cfa=rsp+32 / cfa=rsp+24\n"
	  "1 wrong, 1 proven",
	  "0 wrong, 2 proven" },
	{ "late_restore", SHARED, "",
	  "SP001 late_restore+17..24 cfa=rsp+16 / cfa=rsp+176\n"
	  "SP006 inner+0..4" UNCOVERED "1 wrong, 0 proven",
	  "0 wrong, 2 proven" },
	{ "merged_tails", SHARED, "",
	  "SP001 merged_tails+29..29 from merged_tails+27 cfa=rsp+16 / cfa=rsp+32\n"
	  "1 wrong, 1 proven",
	  "0 wrong, 2 proven" },
	{ "more_stack", SHARED, "",
	  "SP005 more_stack+0..1 cfa=rsp+16 / cfa=rsp+8\n"
	  "SP001 more_stack+1..9 cfa=rsp+24 / cfa=rsp+16\n"
	  "1 wrong, 2 proven",
	  "0 wrong, 3 proven" },
	{ "new_thread", SHARED, "", "SP006 new_thread+5..18" UNCOVERED "0 wrong, 1 proven",
	  "0 wrong, 0 proven, 1 value_unknown" },
	{ "no_plt_rows", SHARED, "-Wl,--no-ld-generated-unwind-info",
	  "SP006 callee@plt+0..6" UNCOVERED "0 wrong, 1 proven", "0 wrong, 2 proven" },
	{ "no_search_table", SHARED, "-Wl,--no-eh-frame-hdr",
	  "SP013 no PT_GNU_EH_FRAME leads there\n"
	  "0 wrong, 1 proven",
	  "0 wrong, 1 proven" },
	{ "other_stack", SHARED, "", "0 wrong, 1 proven, 1 value_unknown", "0 wrong, 2 proven" },
	{ "probe_loop", SHARED, "",
	  "SP001 probe_loop+9..9 from probe_loop+27 cfa=rsp+16 / cfa=rsp+4112\n"
	  "SP001 probe_loop+16..29 cfa=rsp+16 / cfa=rsp+4112\n"
	  "1 wrong, 1 proven",
	  "0 wrong, 2 proven" },
	{ "put_aside", SHARED, "",
	  "SP004 put_aside+5..7 rbx=none / it is the caller's rsi\n"
	  "SP004 put_aside+7..10 rbx=none / it is another value\n"
	  "1 wrong, 0 proven",
	  "0 wrong, 1 proven" },
	{ "reaching", "-static -nostdlib -Wl,--no-eh-frame-hdr,-e0", "",
	  "SP008 second+0..9 by the FDE of 0x401000 / and by that of 0x401004\n"
	  "SP012 second+0..9 an FDE of 13 bytes from 0x401000 / its function ends at 0x401004, "
	  "here "
	  "another begins that has an FDE\n"
	  "0 wrong, 1 proven, 1 not_reached",
	  "0 wrong, 2 proven" },
	{ "reaching", BARE, "-DALONE",
	  "SP001 second+1..8 cfa=rsp+8 / cfa=rsp+16\n"
	  "SP012 second+0..9 an FDE of 13 bytes from 0x401000 / its function ends at 0x401004, "
	  "here "
	  "another begins that has other rows\n"
	  "1 wrong, 0 proven",
	  "0 wrong, 2 proven" },
	{ "reaching", BARE, "-DALONE -DRIGHT", "0 wrong, 1 proven", "0 wrong, 2 proven" },
	{ "reaching", BARE, "-DCODE",
	  "SP012 second+0..9 an FDE of 1048576 bytes from 0x401004 / the code ends at 0x40100d\n"
	  "0 wrong, 1 proven, 1 undecoded",
	  "0 wrong, 2 proven" },
	{ "reaching", BARE, "-DDATA", "SP006 first+0..4" UNCOVERED "0 wrong, 1 proven, 1 no_entry",
	  "0 wrong, 2 proven" },
	{ "reaching", BARE, "-DNOWHERE",
	  "SP006 first+0..4" UNCOVERED
	  "SP012 +0..8 an FDE of 8 bytes from 0x1401000 / no code is there\n"
	  "0 wrong, 1 proven, 1 undecoded",
	  "0 wrong, 2 proven" },
	{ "realigned", SHARED, "",
	  "SP003 realigned+39..44 rbx=exp(breg6-16) / it is in rbx, and that word counts from the "
	  "caller's rbp-16\n"
	  "1 wrong, 1 proven",
	  "0 wrong, 2 proven" },
	{ "restore_rt", SHARED, "", "SP006 __restore_rt+0..7" UNCOVERED "0 wrong, 1 proven",
	  "0 wrong, 1 proven, 1 signal_frame" },
	{ "second_epilogue", SHARED, "",
	  "SP001 second_epilogue+14..18 cfa=rsp+8 / cfa=rsp+16\n"
	  "1 wrong, 1 proven",
	  "0 wrong, 2 proven" },
	{ "second_section", RENAMED, "",
	  "SP009 the FDE of 0x401001 is not in the search table\n"
	  "SP013 there is another, at which unwinders begin\n"
	  "0 wrong, 2 proven",
	  "0 wrong, 2 proven" },
	{ "split_warm", SHARED, "",
	  "SP001 split_warm.warm+0..8 cfa=rsp+8 / cfa=rsp+32\n"
	  "1 wrong, 2 proven",
	  "0 wrong, 3 proven" },
	{ "stack_growth", SHARED, "",
	  "SP001 stack_growth+28..35 cfa=rsp+16 / cfa=rsp+8\n"
	  "1 wrong, 1 proven",
	  "0 wrong, 2 proven" },
	{ "stack_probe", SHARED, "",
	  "SP001 stack_probe+7..18 cfa=rsp+8 / cfa=rsp+32776\n"
	  "1 wrong, 1 proven",
	  "0 wrong, 2 proven" },
	{ "start_files", PROGRAM, "",
	  "SP006 _init+0..14" UNCOVERED "SP006 _start+0..12" UNCOVERED "0 wrong, 1 proven",
	  "0 wrong, 3 proven" },
	{ "unnamed_saves", SHARED, "",
	  "SP001 unnamed_saves+1..4 cfa=rsp+8 / cfa=rsp+16\n"
	  "SP001 unnamed_saves+4..14 cfa=rsp+8 / cfa=rsp+16\n"
	  "1 wrong, 0 proven",
	  "0 wrong, 1 proven" },
};

/* The function that pc lies in: its begin. */
static uint64_t say_function(FILE *file, const struct cfi *cfi, uint64_t pc)
{
	struct code_name name;

	code_name_find(cfi->image, cfi, pc, &name);
	fprintf(file, "%s%s+%" PRIu64, name.name ? name.name : "",
		name.kind == CODE_STUB ? "@plt" : "", pc - name.start);
	return name.start;
}

struct said {
	FILE *file;
	const struct cfi *cfi;
};

static void say(void *context, const struct lint_finding *finding)
{
	struct said *said = context;
	uint64_t begin;

	fprintf(said->file, "%s ", lint_ids[finding->id].name);
	if (!finding->pc_end) {
		fprintf(said->file, "%s\n", finding->actual);
		return;
	}
	begin = say_function(said->file, said->cfi, finding->pc);
	fprintf(said->file, "..%" PRIu64, finding->pc_end - begin);
	if (finding->from) {
		fprintf(said->file, " from ");
		say_function(said->file, said->cfi, finding->from);
	}
	fprintf(said->file, " %s / %s\n", finding->declared, finding->actual);
}

static void say_counts(FILE *file, const struct lint_counts *counts)
{
	fprintf(file, "%" PRIu64 " wrong, %" PRIu64 " proven", counts->mismatch, counts->proven);
	for (int i = 0; i < FLOW_REASON_COUNT; i++)
		if (counts->unproven[i])
			fprintf(file, ", %" PRIu64 " %s", counts->unproven[i],
				lint_reasons[i].name);
}

static void check(const struct bug *bug, const char *flag, const char *expected)
{
	char folder[] = "/tmp/test_lint_bugs.XXXXXX", command[512], path[64], *text = NULL;
	struct said said = { NULL };
	const struct lint_watch watch = { .finding = say, .context = &said };
	struct lint_counts counts;
	struct image *image;
	struct cfi *cfi;
	struct error error;
	size_t size;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/image", folder);
	snprintf(command, sizeof(command),
		 "image=%s; gcc-12 %s -Itestprogs/asm -o $image testprogs/lint/%s.S %s", path, flag,
		 bug->file, bug->flags);
	ck_assert_msg(!system(command), "%s", command);
	ck_assert_int_eq(image_create(path, &image, &error), 0);
	ck_assert_int_eq(cfi_create(image, &cfi, &error), 0);
	said.cfi = cfi;
	said.file = open_memstream(&text, &size);
	ck_assert_int_eq(lint_image(cfi, NULL, &watch, &counts, &error), 0);
	say_counts(said.file, &counts);
	fclose(said.file);
	ck_assert_msg(!strcmp(text, expected), "%s %s:\n%s\nexpected:\n%s", bug->file, flag, text,
		      expected);
	free(text);
	cfi_destroy(cfi);
	image_destroy(image);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}

START_TEST(the_bug_is_found)
{
	check(&bugs[_i], bugs[_i].wrong, bugs[_i].expected);
}
END_TEST

START_TEST(nothing_is_found_once_it_is_mended)
{
	check(&bugs[_i], "-DRIGHT", bugs[_i].right);
}
END_TEST

SUITE(lint_bugs, LOOP(the_bug_is_found, bugs), LOOP(nothing_is_found_once_it_is_mended, bugs))
