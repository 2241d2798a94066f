/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_table.c - other tables against the code: right ones, and ones with one rule wrong
 *
 * The code is one function whose CFI is right:
 *
 *	0 push rbp; 1 mov rbp, rsp; 4 push rbx; 5 sub rsp, 8; 9 xor ebx, ebx; b mov rbx, [rbp-8];
 *	f leave; 10 ret
 *
 * A case is what a tool printed of it, "@5" for the address of its byte 5; expected are the findings, as
 * "SPnnn begin..end declared / actual", and then the counts. The compact table is held likewise.
 */
#include "base/finding/tests/finding_fixture.h"
#include "analysis/lint/lint_table.c"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "assembly_fixture.h"
#include "analysis/lint/lint_table.h"
#include "tables/diff/diff.h"

#define FUNCTION                                                                                   \
	"f: startproc; push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; push rbx; "       \
	"offset rbx, -24; sub rsp, 8; xor ebx, ebx; mov rbx, [rbp-8]; leave; cfa rsp, 8; "         \
	"same_value rbp; same_value rbx; ret; endproc; "

#define READELF_HEAD                                                                               \
	"Contents of the .eh_frame section:\n\n\n"                                                 \
	"00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"                         \
	"   LOC           CFA      ra    \n0000000000000000 rsp+8    c-8   \n\n"                   \
	"00000018 0000000000000014 0000001c FDE cie=00000000 pc=@0..@11\n"                         \
	"   LOC           CFA      rbx   rbp   ra    \n"
#define READELF(at0, at1, at4, at5, at10)                                                          \
	READELF_HEAD "@0 " at0 "\n@1 " at1 "\n@4 " at4 "\n@5 " at5 "\n@10 " at10 "\n"
#define AT0  "rsp+8 u u c-8"
#define AT1  "rsp+16 u c-16 c-8"
#define AT4  "rbp+16 u c-16 c-8"
#define AT5  "rbp+16 c-24 c-16 c-8"
#define AT10 "rsp+8 u u c-8"
#define PARCA(at0, at1, at4, at10)                                                                 \
	"=> Function start: @0, Function end: @11\n"                                               \
	"pc: @0 " at0 "\npc: @1 " at1 "\npc: @4 " at4 "\npc: @10 " at10 "\n"
#define PARCA0 "cfa_type: 2 rbp_type: 0 cfa_offset: 8 rbp_offset: 0"
#define PARCA1 "cfa_type: 2 rbp_type: 1 cfa_offset: 16 rbp_offset: -16"
#define PARCA4 "cfa_type: 1 rbp_type: 1 cfa_offset: 16 rbp_offset: -16"
#define OTEL(at0, at1, at4, at10)                                                                  \
	"# addr           cfa             fp               flags\n"                                \
	"@0 " at0 "\n@1 " at1 "\n@4 " at4 "\n@10 " at10 "\n@11 invalid end\n"
#define ALL "8 proven"

static const struct held_case {
	const char *rule, *dump, *expected;
} held_cases[] = {
	{ "readelf: all that the code does", READELF(AT0, AT1, AT4, AT5, AT10), ALL },
	{ "readelf: the CFA's offset", READELF(AT0, "rsp+24 u c-16 c-8", AT4, AT5, AT10),
	  "SP001 1..4 cfa=rsp+24 / cfa=rsp+16\n7 proven, 1 mismatch" },
	{ "readelf: another register, that gives the CFA, too",
	  READELF(AT0, AT1, "rsp+16 u c-16 c-8", AT5, AT10), ALL },
	{ "readelf: another, that does not", READELF(AT0, AT1, AT4, "rsp+16 c-24 c-16 c-8", AT10),
	  "SP001 5..9 cfa=rsp+16 / cfa=rsp+24\nSP001 9..10 cfa=rsp+16 / cfa=rsp+32\n"
	  "4 proven, 4 mismatch" },
	{ "readelf: a row too late",
	  READELF_HEAD "@0 " AT0 "\n@4 " AT4 "\n@5 " AT5 "\n@10 " AT10 "\n",
	  "SP001 1..4 cfa=rsp+8 / cfa=rsp+16\n7 proven, 1 mismatch" },
	{ "readelf: a row inside an instruction",
	  READELF_HEAD "@0 " AT0 "\n@1 " AT1 "\n@3 " AT4 "\n@5 " AT5 "\n@10 " AT10 "\n",
	  "SP007 1..4 a row begins at 0x3 / the instruction has 3 bytes from 0x1\n"
	  "7 proven, 1 mismatch" },
	{ "readelf: the return address", READELF(AT0, "rsp+16 u c-16 c-16", AT4, AT5, AT10),
	  "SP002 1..4 ra=c-16 / there is the caller's rbp\n7 proven, 1 mismatch" },
	{ "readelf: no caller, and it returns to one", READELF(AT0, AT1, AT4, AT5, "rsp+8 u u u"),
	  "SP002 10..11 ra=undefined / there is the return address\n7 proven, 1 mismatch" },
	{ "readelf: a register's word", READELF(AT0, AT1, AT4, "rbp+16 c-32 c-16 c-8", AT10),
	  "SP003 5..10 rbx=c-32 / nothing was written there\n4 proven, 4 mismatch" },
	{ "readelf: another register's word", READELF(AT0, AT1, AT4, "rbp+16 c-24 c-24 c-8", AT10),
	  "SP003 5..10 rbp=c-24 / there is the caller's rbx\n4 proven, 4 mismatch" },
	{ "readelf: a register too early", READELF(AT0, AT1, AT5, AT5, AT10),
	  "SP003 4..5 rbx=c-24 / nothing was written there\n7 proven, 1 mismatch" },
	{ "readelf: u of a register that this frame keeps is wrong either way",
	  READELF(AT0, AT1, AT4, "rbp+16 u c-16 c-8", AT10),
	  "SP004 b..f rbx=none / it is 0\n7 proven, 1 mismatch" },
	{ "readelf: u of one that is lost says nothing",
	  READELF(AT0, "rsp+16 u u c-8", AT4, AT5, AT10), ALL },
	{ "readelf: a register in another", READELF(AT0, AT1, AT4, "rbp+16 r12 c-16 c-8", AT10),
	  "SP003 5..10 rbx=r12 / there is the caller's r12\n4 proven, 4 mismatch" },
	{ "readelf: an expression accuses nobody",
	  READELF(AT0, AT1, "exp u c-16 c-8", "rbp+16 exp c-16 c-8", AT10), "3 proven, 5 other" },
	{ "readelf: no row is missing", READELF_HEAD "@4 " AT4 "\n@5 " AT5 "\n@10 " AT10 "\n",
	  "6 proven, 2 missing" },
	{ "readelf: a row where the CFI has none",
	  READELF(AT0, AT1, AT4, AT5, AT10) "\n00000038 0000000000000014 0000003c FDE cie=00000000 "
					    "pc=@40..@50\n   LOC           CFA      ra    \n"
					    "@40 rsp+8 c-8\n",
	  ALL ", 1 beyond" },
	{ "parca: all that the code does", PARCA(PARCA0, PARCA1, PARCA4, PARCA0), ALL },
	{ "parca: the CFA's offset", PARCA(PARCA0, PARCA1, PARCA4, PARCA4),
	  "SP001 10..11 cfa=rbp+16 / cfa=rsp+8\n7 proven, 1 mismatch" },
	{ "parca: the CFA's register", PARCA(PARCA0, PARCA1, PARCA1, PARCA0),
	  "SP001 5..9 cfa=rsp+16 / cfa=rsp+24\nSP001 9..10 cfa=rsp+16 / cfa=rsp+32\n"
	  "4 proven, 4 mismatch" },
	{ "parca: rbp's word",
	  PARCA(PARCA0, "cfa_type: 2 rbp_type: 1 cfa_offset: 16 rbp_offset: -8", PARCA4, PARCA0),
	  "SP003 1..4 rbp=c-8 / there is the return address\n7 proven, 1 mismatch" },
	{ "parca: rbp unchanged",
	  PARCA(PARCA0, PARCA1, "cfa_type: 1 rbp_type: 0 cfa_offset: 16 rbp_offset: 0", PARCA0),
	  "SP004 4..10 rbp=none / it is cfa-16\n3 proven, 5 mismatch" },
	{ "parca: the outermost frame",
	  PARCA(PARCA0, "cfa_type: 2 rbp_type: 4 cfa_offset: 16 rbp_offset: 0", PARCA4, PARCA0),
	  "SP002 1..4 ra=undefined / there is the return address\n7 proven, 1 mismatch" },
	{ "parca: something else",
	  PARCA(PARCA0, "cfa_type: 0 rbp_type: 1 cfa_offset: 1 rbp_offset: 1", PARCA4, PARCA0),
	  "7 proven, 1 other" },
	{ "parca's rows say no return address",
	  "=> Function start: @0, Function end: @11\n\tLoc: @0 CFA: $rsp=8   \tRBP: u\n"
	  "\tLoc: @1 CFA: $rsp=24  \tRBP: c-16 \n\tLoc: @4 CFA: $rbp=16  \tRBP: c-16 \n"
	  "\tLoc: @10 CFA: $rsp=8   \tRBP: u\n",
	  "SP001 1..4 cfa=rsp+24 / cfa=rsp+16\n7 proven, 1 mismatch" },
	{ "otel: all that the code does",
	  OTEL("sp+8 ? keep", "sp+10 cfa-10", "fp+10 cfa-10", "sp+8 ?"), ALL },
	{ "otel: the CFA's offset", OTEL("sp+10 ?", "sp+10 cfa-10", "fp+10 cfa-10", "sp+8 ?"),
	  "SP001 0..1 cfa=rsp+16 / cfa=rsp+8\n7 proven, 1 mismatch" },
	{ "otel: the CFA's register", OTEL("sp+8 ?", "fp+10 cfa-10", "fp+10 cfa-10", "sp+8 ?"),
	  "SP001 1..4 cfa=rbp+16 / cfa=rsp+16\n7 proven, 1 mismatch" },
	{ "otel: rbp's word", OTEL("sp+8 ?", "sp+10 cfa-18", "fp+10 cfa-10", "sp+8 ?"),
	  "SP003 1..4 rbp=c-24 / nothing was written there\n7 proven, 1 mismatch" },
	{ "otel: rbp by itself", OTEL("sp+8 ?", "sp+10 cfa-10", "fp+10 fp+0", "sp+8 fp+0"),
	  "SP003 10..11 rbp=exp(breg6+0) / it is in rbp, and that word counts from the caller's "
	  "rbp\n7 proven, 1 mismatch" },
	{ "otel: the CFA in memory", OTEL("sp+8 ?", "sp+10 cfa-10", "*(fp+0)+8 cfa-10", "sp+8 ?"),
	  "SP001 4..5 cfa=exp(breg6+0; deref; consts+8; plus) / cfa=rsp+16\n"
	  "SP001 5..9 cfa=exp(breg6+0; deref; consts+8; plus) / cfa=rsp+24\n"
	  "SP001 9..10 cfa=exp(breg6+0; deref; consts+8; plus) / cfa=rsp+32\n"
	  "3 proven, 5 mismatch" },
	{ "otel: stop", OTEL("sp+8 ?", "sp+10 cfa-10", "fp+10 cfa-10", "stop"),
	  "SP002 10..11 ra=undefined / there is the return address\n7 proven, 1 mismatch" },
	{ "otel: commands accuse nobody", OTEL("invalid", "plt", "framepointer", "signal"),
	  "7 marked, 1 other" },
};

/* ---- the fixture -------------------------------------------------------------------------- */

struct said {
	FILE *file;
	uint64_t begin;
};

/* Addresses in the text become distances from begin. */
static void say(void *context, const struct lint_finding *finding)
{
	const struct said *said = context;
	char declared[96], actual[96], *at;

	snprintf(declared, sizeof(declared), "%s", finding->declared);
	snprintf(actual, sizeof(actual), "%s", finding->actual);
	if (finding->id == LINT_ROW_INSIDE) {
		at = strstr(declared, "0x");
		snprintf(at, 20, "%#" PRIx64, strtoul(at, NULL, 16) - said->begin);
		at = strstr(actual, "0x");
		snprintf(at, 20, "%#" PRIx64, strtoul(at, NULL, 16) - said->begin);
	}
	fprintf(said->file, "%s %" PRIx64 "..%" PRIx64 " %s / %s\n", lint_ids[finding->id].name,
		finding->pc - said->begin, finding->pc_end - said->begin, declared, actual);
}

static void say_counts(FILE *file, const struct lint_table_counts *counts)
{
	uint64_t other = 0, marked = 0;

	for (int i = 0; i < FLOW_REASON_COUNT; i++)
		other += counts->unproven[i];
	for (int i = 0; i < ROW_MARKS_MAX; i++)
		marked += counts->marked[i];
	const struct {
		uint64_t count;
		const char *name;
	} columns[] = {
		{ counts->proven, "proven" },
		{ counts->mismatch, "mismatch" },
		{ counts->as_cfi, "as CFI" },
		{ counts->missing, "missing" },
		{ marked, "marked" },
		{ other, "other" },
		{ counts->rows_beyond, "beyond" },
	};
	const char *comma = "";

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		if (!columns[i].count)
			continue;
		fprintf(file, "%s%" PRIu64 " %s", comma, columns[i].count, columns[i].name);
		comma = ", ";
	}
}

struct fixture {
	char directory[32], dump[64];
	struct image *image;
	struct cfi *cfi;
	uint64_t begin;
};

static void fixture_make(struct fixture *fixture, const char *assembly)
{
	struct error error;
	char path[64];

	snprintf(fixture->directory, sizeof(fixture->directory), "/tmp/test_lint_table.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(fixture->directory));
	assemble(fixture->directory, assembly);
	snprintf(path, sizeof(path), "%s/f.so", fixture->directory);
	snprintf(fixture->dump, sizeof(fixture->dump), "%s/dump", fixture->directory);
	ck_assert_int_eq(image_create(path, &fixture->image, &error), 0);
	ck_assert_int_eq(cfi_create(fixture->image, &fixture->cfi, &error), 0);
	fixture->begin = image_symbol_address(fixture->image, "f");
}

static void fixture_remove(struct fixture *fixture)
{
	char command[64];

	cfi_destroy(fixture->cfi);
	image_destroy(fixture->image);
	snprintf(command, sizeof(command), "rm -r %s", fixture->directory);
	ck_assert_int_eq(system(command), 0);
}

/* "@10": an address, with as many digits as the dialects want. */
static void write_dump(const struct fixture *fixture, const char *dump)
{
	FILE *file = fopen(fixture->dump, "w");

	ck_assert_ptr_nonnull(file);
	while (*dump) {
		char *end = (char *)dump + 1;

		if (*dump == '@')
			fprintf(file, "%016" PRIx64, fixture->begin + strtoul(dump + 1, &end, 16));
		else
			fputc(*dump, file);
		dump = end;
	}
	ck_assert_int_eq(fclose(file), 0);
}

/* What is said of the source: the caller's. */
static char *hold(const struct fixture *fixture, const struct row_source *source)
{
	struct said said = { .begin = fixture->begin };
	struct lint_options options = { .source = source, .source_count = 1 };
	struct lint_table_counts counts;
	struct lint_counts cfi_counts;
	struct lint_tables tables = { .finding = say, .context = &said };
	struct lint_watch watch;
	struct error error;
	char *text = NULL;
	size_t size;

	said.file = open_memstream(&text, &size);
	ck_assert_int_eq(lint_tables_init(&tables, &options, fixture->cfi, &watch, &error), 0);
	ck_assert_int_eq(lint_image(fixture->cfi, NULL, &watch, &cfi_counts, &error), 0);
	ck_assert_int_eq(lint_table_end(tables.table[0], say, &said, &counts, &error), 0);
	say_counts(said.file, &counts);
	lint_tables_deinit(&tables);
	fclose(said.file);
	return text;
}

START_TEST(a_dump_is_held_against_the_code)
{
	const struct held_case *test = &held_cases[_i];
	struct fixture fixture;
	struct row_source source;
	struct dumped_rows *dump;
	struct error error;
	char *text;

	fixture_make(&fixture, FUNCTION);
	write_dump(&fixture, test->dump);
	ck_assert_msg(!dumped_rows_create(fixture.dump, NULL, &dump, &error), "%s: %s", test->rule,
		      error.message);
	source = dumped_rows_source(dump);
	text = hold(&fixture, &source);
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s\nexpected:\n%s", test->rule, text,
		      test->expected);
	free(text);
	dumped_rows_destroy(dump);
	fixture_remove(&fixture);
}
END_TEST

/* ---- what only the CFI tells -------------------------------------------------------------- */

static const struct cfi_case {
	const char *rule, *assembly, *expected;
} cfi_cases[] = {
	{ "the conversion of right CFI is right", FUNCTION, ALL },
	{ "a fault of the CFI is not the table's",
	  "f: startproc; push rbx; mov eax, 1; pop rbx; ret; endproc",
	  "SP001 1..7 cfa=rsp+8 / cfa=rsp+16\n2 proven, 2 as CFI" },
	{ "a signal frame is nobody's", "f: startproc; signal_frame; ret; endproc", "1 other" },
	{ "no caller, where a process begins",
	  "_start: f: startproc; undefined rip; push rax; ud2; endproc", "2 proven" },
	{ "no caller, where nothing returns: nobody knows",
	  "f: startproc; undefined rip; push rax; ud2; endproc", "2 other" },
	{ "a marker is counted", "f: startproc; escape 0x0f,4,0x77,8,0x30,0x21; ret; endproc",
	  "1 marked" },
	{ "what no way leads to is unproven", "f: startproc; ret; mov eax, 1; endproc",
	  "1 proven, 1 other" },
	{ "code is followed in another order than its rows have",
	  "f: startproc; jmp 1f; cfa 16; 2: pop rax; cfa 8; ret; 1: push rax; cfa 16; push rax; "
	  "cfa 24; pop rax; cfa 16; jmp 2b; endproc",
	  "7 proven" },
	{ "a return from where the return address was put is as it is in the CFI",
	  "f: startproc; mov rcx, [rsp]; sub rsp, 64; cfa 72; mov [rsp], rcx; cfa 8; ret; endproc",
	  "3 proven, 1 other" },
	{ "realigned: the CFA in a word, rbp by itself",
	  "f: startproc; lea r10, [rsp+8]; cfa r10, 0; and rsp, -32; push [r10-8]; push rbp; mov "
	  "rbp, rsp; escape 0x10,6,2,0x76,0; push r10; escape 0x0f,3,0x76,0x78,0x06; sub rsp, 40; "
	  "mov r10, [rbp-8]; cfa r10, 0; leave; restore rbp; lea rsp, [r10-8]; cfa rsp, 8; ret; "
	  "endproc",
	  "11 proven" },
};

START_TEST(the_compact_table_is_held_against_the_code)
{
	const struct cfi_case *test = &cfi_cases[_i];
	struct compact_rows *compact;
	struct row_source source;
	struct fixture fixture;
	struct error error;
	char *text;

	fixture_make(&fixture, test->assembly);
	ck_assert_int_eq(compact_rows_create(fixture.image, &compact, &error), 0);
	source = compact_rows_source(compact);
	text = hold(&fixture, &source);
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s\nexpected:\n%s", test->rule, text,
		      test->expected);
	free(text);
	compact_rows_destroy(compact);
	fixture_remove(&fixture);
}
END_TEST

/* A caller is claimed where the CFI says that there is none, and nothing returns: nobody knows. */
START_TEST(an_outermost_frame_is_not_proven_to_have_a_caller)
{
	static const char *const dumps[][2] = {
		{ READELF_HEAD "@0 rsp+8 u u c-8\n@1 rsp+16 u u c-8\n", "2 other" },
		{ READELF_HEAD "@0 rsp+8 u u u\n", "2 proven" },
	};
	struct fixture fixture;
	struct row_source source;
	struct dumped_rows *dump;
	struct error error;
	char *text;

	fixture_make(&fixture, cfi_cases[3].assembly);
	for (size_t i = 0; i < 2; i++) {
		write_dump(&fixture, dumps[i][0]);
		ck_assert_int_eq(dumped_rows_create(fixture.dump, NULL, &dump, &error), 0);
		source = dumped_rows_source(dump);
		text = hold(&fixture, &source);
		ck_assert_str_eq(text, dumps[i][1]);
		free(text);
		dumped_rows_destroy(dump);
	}
	fixture_remove(&fixture);
}
END_TEST

/* ---- for people --------------------------------------------------------------------------- */

START_TEST(a_table_has_a_line)
{
	json_t *image = json_pack(
		"{s:s, s:s, s:s, s:i, s:i, s:{s:{s:i, s:i, s:i, s:i, s:i, s:i, s:i}, s:{s:i}}}",
		"type", "lint", "image", "a", "status", "linted", "fdes", 1, "proven", 1, "tables",
		"x\n", "proven", 5, "mismatch", 4, "as_cfi", 3, "missing", 2, "marked", 6,
		"unproven", 1, "rows_beyond", 7, "compact", "proven", 8);
	json_t *finding = json_pack("{s:s, s:s, s:s, s:s, s:s}", "image", "a", "id", "SP001",
				    "title", "t", "table", "x", "actual", "b");
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	lint_text_print(file, RECORD(finding), false);
	lint_text_print(file, RECORD(image), false);
	fclose(file);
	ck_assert_str_eq(
		text,
		"a: SP001 t (in x)\n    actual      b\n"
		"a: 1 of 1 FDEs proven (100.000 %), 0 with mismatches\n"
		"    x?: 5 of 21 instructions proven, 4 with mismatches, 3 as wrong as the CFI, 2 "
		"without a row, 6 marked as not to be said, 1 unproven; 7 rows where no FDE is\n"
		"    compact: 8 of 8 instructions proven, 0 with mismatches\n");
	free(text);
	json_decref(image);
	json_decref(finding);
}
END_TEST

SUITE(lint_table, GROUP(held), LOOP(a_dump_is_held_against_the_code, held_cases),
      LOOP(the_compact_table_is_held_against_the_code, cfi_cases),
      TEST(an_outermost_frame_is_not_proven_to_have_a_caller), TEST(a_table_has_a_line))
