/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_diff.c - `stackproof diff`: what is the same, what differs, and what isn't a table
 *
 * A case is two files and all that the command must print and return. IMAGE is the ELF file of
 * diff_image.h; its readelf dump is what readelf of binutils 2.40 prints for it, the dumps of Parca
 * Agent and of the OpenTelemetry profiler are written by hand in the formats of the tools' printing
 * functions, which diff_parca.c and diff_otel.c name. Then real images are held against readelf.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "tables/diff/diff.h"
#include "diff_image.h"
#include "base/cli/exit_status.h"

#define IMAGE  NULL
#define HEADER "stackproof table text 1\n"
#define EQUAL(n)                                                                                   \
	n " functions equal, 0 changed, 0 added, 0 removed; rows: 0 changed, 0 added, 0 removed\n"

/* ---- the image's dumps ------------------------------------------------------------------- */

#define TEXT_REST                                                                                  \
	"function fde.2\n  +0x0 cfa=rsp+8 ra=undefined\n  +0x10 end\n"                             \
	"function fde.3\n  +0x0 cfa=rsp+16 ra=c-8\n  +0x6 cfa=rsp+24 ra=c-8\n"                     \
	"  +0x10 cfa=exp(breg7+8; breg16+0; lit15; and; lit11; ge; lit3; shl; plus) ra=c-8\n"      \
	"  +0x20 end\n"                                                                            \
	"function fde.4 signal\n  +0x0 cfa=exp(breg7+160; deref) ra=exp(breg7+168)\n  +0x9 end\n"  \
	"function fde.5\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x4 cfa=r10+0 ra=c-8\n"                       \
	"  +0x8 cfa=exp(breg6-8; deref) ra=c-8 rbp=exp(breg6+0)\n  +0x10 end\n"                    \
	"function fde.6\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x1 cfa=rsp+0 ra=rdi\n  +0x8 end\n"
#define TEXT_FIRST                                                                                 \
	"function fde.1\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x1 cfa=rsp+16 ra=c-8 rbp=c-16\n"             \
	"  +0x4 cfa=rbp+16 ra=c-8 rbp=c-16\n  +0x1f cfa=rsp+8 ra=c-8 rbp=c-16\n  +0x20 end\n"

#define READELF_HEAD                                                                               \
	"Contents of the .eh_frame section:\n\n\n"                                                 \
	"00000000 0000000000000014 00000000 CIE \"zR\" cf=1 df=-8 ra=16\n"                         \
	"   LOC           CFA      ra    \n0000000000000000 rsp+8    c-8   \n\n"                   \
	"00000018 0000000000000014 00000000 CIE \"zRS\" cf=1 df=-8 ra=16\n\n"                      \
	"00000030 0000000000000024 00000034 FDE cie=00000000 "                                     \
	"pc=0000000000001000..0000000000001020\n"
#define READELF_FIRST                                                                              \
	"   LOC           CFA      rbp   ra    \n"                                                 \
	"0000000000001000 rsp+8    u     c-8   \n0000000000001001 rsp+16   c-16  c-8   \n"         \
	"0000000000001004 rbp+16   c-16  c-8   \n000000000000101f rsp+8    c-16  c-8   \n\n"
#define READELF_MIDDLE                                                                             \
	"00000058 000000000000001c 0000005c FDE cie=00000000 "                                     \
	"pc=0000000000001020..0000000000001030\n"                                                  \
	"   LOC           CFA      ra    \n0000000000001020 rsp+8    u     \n\n"                   \
	"00000078 000000000000002c 0000007c FDE cie=00000000 "                                     \
	"pc=0000000000001040..0000000000001060\n"                                                  \
	"   LOC           CFA      ra    \n0000000000001040 rsp+16   c-8   \n"                     \
	"0000000000001046 rsp+24   c-8   \n0000000000001050 exp      c-8   \n\n"                   \
	"000000a8 0000000000000024 00000094 FDE cie=00000018 "                                     \
	"pc=0000000000001060..0000000000001069\n"                                                  \
	"   LOC           CFA      ra    \n0000000000001060 exp      exp   \n\n"                   \
	"000000d0 0000000000000024 000000d4 FDE cie=00000000 "                                     \
	"pc=0000000000001070..0000000000001080\n"                                                  \
	"   LOC           CFA      rbp   ra    \n0000000000001070 rsp+8    u     c-8   \n"         \
	"0000000000001074 r10+0    u     c-8   \n0000000000001078 exp      exp   c-8   \n\n"
#define READELF_LAST                                                                               \
	"000000f8 000000000000001c 000000fc FDE cie=00000000 "                                     \
	"pc=0000000000001080..0000000000001088\n"                                                  \
	"   LOC           CFA      ra    \n0000000000001080 rsp+8    c-8   \n"                     \
	"0000000000001081 rsp+0    r5 (rdi) \n\n"
#define READELF READELF_HEAD READELF_FIRST READELF_MIDDLE READELF_LAST
/* An FDE of the CIE's row alone. */
#define SECTION(heading, range)                                                                    \
	"Contents of the " heading ":\n\n\n"                                                       \
	"00000000 0000000000000014 ffffffff CIE \"\" cf=1 df=-8 ra=16\n"                           \
	"   LOC           CFA      ra    \n0000000000000000 rsp+8    c-8   \n\n"                   \
	"00000018 0000000000000014 00000000 FDE cie=00000000 pc=" range "\n\n"
#define DEBUG_FRAME(range)		SECTION(".debug_frame section", range)
#define COMPRESSED_DEBUG_FRAME(range)	SECTION(".zdebug_frame section", range)
#define OTHER_FILE_S_DEBUG_FRAME(range) SECTION(".debug_frame section (loaded from a.debug)", range)
#define READELF_COMPARED                                                                           \
	"compared: CFA, return address and registers; of expressions and registers above rip "     \
	"only that there is one, and undefined is no rule\n"

/* parca-dev/parca-agent, pkg/stack/unwind: PrintTable and ToString. */
#define PARCA_ROW(pc, cfa, rbp, cfa_offset, rbp_offset)                                            \
	"pc: " pc " cfa_type: " cfa "  rbp_type: " rbp "  cfa_offset: " cfa_offset                 \
	" rbp_offset: " rbp_offset "\n"
#define PARCA_FIRST                                                                                \
	PARCA_ROW("1000", "2", "0", "8   ", "0   ")                                                \
	PARCA_ROW("1001", "2", "1", "16  ", "-16 ")                                                \
	PARCA_ROW("1004", "1", "1", "16  ", "-16 ")                                                \
	PARCA_ROW("101f", "2", "1", "8   ", "-16 ")
#define PARCA_SECOND PARCA_ROW("1020", "2", "4", "8   ", "0   ")
#define PARCA_PLT                                                                                  \
	PARCA_ROW("1040", "2", "0", "16  ", "0   ")                                                \
	PARCA_ROW("1046", "2", "0", "24  ", "0   ")                                                \
	PARCA_ROW("1050", "3", "0", "1   ", "0   ")
#define PARCA_SIGNAL PARCA_ROW("1060", "3", "0", "0   ", "0   ")
#define PARCA_REALIGNED                                                                            \
	PARCA_ROW("1070", "2", "0", "8   ", "0   ")                                                \
	PARCA_ROW("1074", "0", "0", "0   ", "0   ")                                                \
	PARCA_ROW("1078", "3", "3", "0   ", "0   ")
#define PARCA_LAST                                                                                 \
	PARCA_ROW("1080", "2", "0", "8   ", "0   ") PARCA_ROW("1081", "2", "0", "0   ", "0   ")
#define PARCA_END(pc) PARCA_ROW(pc, "4", "0", "0   ", "0   ")
#define PARCA_FLAT                                                                                 \
	PARCA_FIRST PARCA_SECOND PARCA_END("1030") PARCA_PLT PARCA_SIGNAL PARCA_END("1069")        \
		PARCA_REALIGNED PARCA_LAST PARCA_END("1088")
#define PARCA_FUNCTION(start, end) "=> Function start: " start ", Function end: " end "\n"
#define PARCA_LOSSES                                                                               \
	"changed function fde.4\n  - +0x0 cfa=exp ra=exp(breg7+168)\n  + +0x0 cfa=exp ra=c-8\n"    \
	"changed function fde.5\n  - +0x4 cfa=r10+0 ra=c-8\n  + +0x4 cfa=other+0 ra=c-8\n"         \
	"changed function fde.6\n  - +0x1 cfa=rsp+0 ra=rdi\n  + +0x1 cfa=rsp+0 ra=c-8\n"           \
	"compared: CFA, rbp, and whether the return address is undefined; of expressions the two " \
	"PLT forms\n"                                                                              \
	"3 functions equal, 3 changed, 0 added, 0 removed; rows: 3 changed, 0 added, 0 removed\n"

#define OTEL_HEAD "# addr           cfa             fp               flags\n"
/* open-telemetry/opentelemetry-ebpf-profiler, tools/stackdeltas: dumpDelta. */
#define OTEL_FIRST                                                                                 \
	"0000000000001000 sp+8            ?                keep\n"                                 \
	"0000000000001001 sp+10           cfa-10          \n"                                      \
	"0000000000001004 fp+10           cfa-10          \n"                                      \
	"000000000000101f sp+8            ?               \n"
#define OTEL_MIDDLE                                                                                \
	"0000000000001020 stop                            \n"                                      \
	"0000000000001030 invalid                          end\n"                                  \
	"0000000000001040 sp+10           ?               \n"                                      \
	"0000000000001046 sp+18           ?               \n"                                      \
	"0000000000001050 plt                             \n"                                      \
	"0000000000001060 signal                          \n"
#define OTEL_REALIGNED                                                                             \
	"0000000000001070 sp+8            ?               \n"                                      \
	"0000000000001074 r11+0           ?               \n"                                      \
	"0000000000001078 *(fp-8)         fp+0            \n"
#define OTEL_LAST                                                                                  \
	"0000000000001080 sp+8            ?               \n"                                      \
	"0000000000001081 invalid                         \n"                                      \
	"0000000000001088 invalid                          end\n"                                  \
	"# /bin/example: 18 deltas, 18 (100.0%) merged\n"
#define OTEL_COMPARED                                                                              \
	"compared: CFA, rbp above the stack pointer, PLT, signal frames and outermost frames; "    \
	"other registers by their offset only\n"

/* ---- cases ------------------------------------------------------------------------------- */

struct diff_case {
	const char *name;
	const char *a; /* IMAGE: the file image; else what the file a holds */
	const char *b;
	const char *option; /* or NULL */
	int status;
	const char *output; /* standard output and error */
};

#define F(name, rows) "function " name "\n" rows
#define ROWS1	      "  +0x0 cfa=rsp+8 ra=c-8\n  +0x10 end\n"
#define ROWS2	      "  +0x0 cfa=rsp+8 ra=c-8\n  +0x4 cfa=rsp+16 ra=c-8\n  +0x10 end\n"
#define ROWS3	      "  +0x0 cfa=rsp+8 ra=c-8\n  +0x4 cfa=rsp+24 ra=c-8\n  +0x10 end\n"

#define ROW_HIGH(hash) "  +0x0 cfa=rsp+8 ra=c-8 high=" hash "\n  +0x10 end\n"

static const struct diff_case cases[] = {
	/* images and texts */
	{ "an_image_equals_itself", IMAGE, IMAGE, NULL, EXIT_OK, EQUAL("6") },
	{ "an_image_equals_its_text", IMAGE, HEADER TEXT_FIRST TEXT_REST, NULL, EXIT_OK,
	  EQUAL("6") },
	{ "a_text_equals_the_image", HEADER TEXT_FIRST TEXT_REST, IMAGE, NULL, EXIT_OK,
	  EQUAL("6") },
	{ "a_missing_unnamed_function_is_removed_whatever_the_numbers", IMAGE,
	  HEADER "function fde.1\n  +0x0 cfa=rsp+8 ra=undefined\n  +0x10 end\n", NULL,
	  EXIT_FINDINGS,
	  "removed function fde.1\n  - +0x0 cfa=rsp+8 ra=c-8\n  - +0x1 cfa=rsp+16 ra=c-8 rbp=c-16\n"
	  "  - +0x4 cfa=rbp+16 ra=c-8 rbp=c-16\n  - +0x1f cfa=rsp+8 ra=c-8 rbp=c-16\n  - +0x20 "
	  "end\n"
	  "removed function fde.3\n  - +0x0 cfa=rsp+16 ra=c-8\n  - +0x6 cfa=rsp+24 ra=c-8\n"
	  "  - +0x10 cfa=exp(breg7+8; breg16+0; lit15; and; lit11; ge; lit3; shl; plus) ra=c-8\n"
	  "  - +0x20 end\n"
	  "removed function fde.4\n  - +0x0 cfa=exp(breg7+160; deref) ra=exp(breg7+168)\n"
	  "  - +0x9 end\n"
	  "removed function fde.5\n  - +0x0 cfa=rsp+8 ra=c-8\n  - +0x4 cfa=r10+0 ra=c-8\n"
	  "  - +0x8 cfa=exp(breg6-8; deref) ra=c-8 rbp=exp(breg6+0)\n  - +0x10 end\n"
	  "removed function fde.6\n  - +0x0 cfa=rsp+8 ra=c-8\n  - +0x1 cfa=rsp+0 ra=rdi\n"
	  "  - +0x8 end\n"
	  "1 functions equal, 0 changed, 0 added, 5 removed; rows: 0 changed, 0 added, 13 "
	  "removed\n" },
	{ "functions_match_by_name_in_any_order", HEADER F("a", ROWS1) F("b", ROWS2),
	  HEADER F("b", ROWS2) F("a", ROWS1), NULL, EXIT_OK, EQUAL("2") },
	{ "a_changed_row_is_shown_from_both", HEADER F("a", ROWS2), HEADER F("a", ROWS3), NULL,
	  EXIT_FINDINGS,
	  "changed function a\n  - +0x4 cfa=rsp+16 ra=c-8\n  + +0x4 cfa=rsp+24 ra=c-8\n"
	  "0 functions equal, 1 changed, 0 added, 0 removed; rows: 1 changed, 0 added, 0 "
	  "removed\n" },
	{ "a_rule_of_a_register_above_rip", HEADER F("a", ROW_HIGH("1")),
	  HEADER F("a", ROW_HIGH("2")), NULL, EXIT_FINDINGS,
	  "changed function a\n  - +0x0 cfa=rsp+8 ra=c-8 high=1\n  + +0x0 cfa=rsp+8 ra=c-8 high=2\n"
	  "0 functions equal, 1 changed, 0 added, 0 removed; rows: 1 changed, 0 added, 0 "
	  "removed\n" },
	{ "added_and_removed_rows", HEADER F("a", ROWS1), HEADER F("a", ROWS2), NULL, EXIT_FINDINGS,
	  "changed function a\n  + +0x4 cfa=rsp+16 ra=c-8\n"
	  "0 functions equal, 1 changed, 0 added, 0 removed; rows: 0 changed, 1 added, 0 "
	  "removed\n" },
	{ "length_signal_and_diagnostic_count",
	  HEADER "function a signal\n  +0x1 end\nfunction b\n  diagnostic cfi_state\n  +0x1 end\n",
	  HEADER "function a\n  +0x2 end\nfunction b signal\n  +0x1 end\n", NULL, EXIT_FINDINGS,
	  "changed function a: length 0x1, 0x2; signal frame only in the first\n"
	  "changed function b: signal frame only in the second; diagnostic cfi_state, none\n"
	  "0 functions equal, 2 changed, 0 added, 0 removed; rows: 0 changed, 0 added, 0 "
	  "removed\n" },
	{ "functions_of_one_name_match_by_contents", HEADER F("s", ROWS1) F("s", ROWS2),
	  HEADER F("s", ROWS2) F("s", ROWS1), NULL, EXIT_OK, EQUAL("2") },
	{ "the_changed_one_of_several_of_one_name_is_found_by_order",
	  HEADER F("s", ROWS1) F("s", ROWS2) F("s", ROWS1),
	  HEADER F("s", ROWS1) F("s", ROWS3) F("s", ROWS1), NULL, EXIT_FINDINGS,
	  "changed function s\n  - +0x4 cfa=rsp+16 ra=c-8\n  + +0x4 cfa=rsp+24 ra=c-8\n"
	  "2 functions equal, 1 changed, 0 added, 0 removed; rows: 1 changed, 0 added, 0 "
	  "removed\n" },
	{ "an_unnamed_function_put_in_front_is_the_only_one_added",
	  HEADER F("fde.1", ROWS1) F("fde.2", ROWS2),
	  HEADER F("fde.1", ROWS3) F("fde.2", ROWS1) F("fde.3", ROWS2), NULL, EXIT_FINDINGS,
	  "added function fde.1\n  + +0x0 cfa=rsp+8 ra=c-8\n  + +0x4 cfa=rsp+24 ra=c-8\n"
	  "  + +0x10 end\n"
	  "2 functions equal, 0 changed, 1 added, 0 removed; rows: 0 changed, 2 added, 0 "
	  "removed\n" },
	{ "stripping_changes_nothing", HEADER F("a", ROWS1) F("b", ROWS2),
	  HEADER F("fde.1", ROWS1) F("fde.2", ROWS2), NULL, EXIT_OK, EQUAL("2") },
	{ "another_name_is_another_function", HEADER F("a", ROWS1), HEADER F("b", ROWS1), "-s",
	  EXIT_FINDINGS,
	  "0 functions equal, 0 changed, 1 added, 1 removed; rows: 0 changed, 1 added, 1 "
	  "removed\n" },
	{ "func_chooses_functions", HEADER F("a1", ROWS1) F("b1", ROWS2),
	  HEADER F("a1", ROWS2) F("b1", ROWS3), "--func=b*", EXIT_FINDINGS,
	  "changed function b1\n  - +0x4 cfa=rsp+16 ra=c-8\n  + +0x4 cfa=rsp+24 ra=c-8\n"
	  "0 functions equal, 1 changed, 0 added, 0 removed; rows: 1 changed, 0 added, 0 "
	  "removed\n" },
	{ "json_has_an_object_per_function_and_a_summary", HEADER F("a", ROWS2) F("c\\x20d", ROWS1),
	  HEADER F("a", ROWS3) F("c\\x20d", ROWS1), "--json", EXIT_FINDINGS,
	  "{\"type\":\"function\",\"function\":\"a\",\"change\":\"changed\",\"rows\":[{\"offset\":"
	  "\"0x4\",\"change\":\"changed\",\"a\":\"cfa=rsp+16 ra=c-8\",\"b\":\"cfa=rsp+24 "
	  "ra=c-8\"}],"
	  "\"a\":{\"name\":\"a\",\"length\":\"0x10\",\"rows\":2},"
	  "\"b\":{\"name\":\"a\",\"length\":\"0x10\",\"rows\":2}}\n"
	  "{\"type\":\"diff\",\"a\":\"a\",\"b\":\"b\",\"dialect\":\"text\",\"compared\":"
	  "\"everything\",\"functions_equal\":1,\"functions_changed\":1,\"functions_added\":0,"
	  "\"functions_removed\":0,\"rows_changed\":1,\"rows_added\":0,\"rows_removed\":0,"
	  "\"checked\":2,\"checked_unit\":\"functions\",\"not_checked\":{},\"exit_status\":1}\n" },

	/* readelf */
	{ "readelf_says_the_same", IMAGE, READELF, NULL, EXIT_OK, READELF_COMPARED EQUAL("6") },
	{ "readelf_against_a_text", HEADER TEXT_FIRST TEXT_REST, READELF, NULL, EXIT_OK,
	  READELF_COMPARED EQUAL("6") },
	{ "readelf_against_readelf", READELF, READELF, NULL, EXIT_OK, READELF_COMPARED EQUAL("6") },
	{ "readelf_may_begin_with_a_warning", IMAGE,
	  "readelf: Warning: something\nSection '.eh_frame' has no debugging data.\n" READELF, NULL,
	  EXIT_OK, READELF_COMPARED EQUAL("6") },
	{ "readelf_may_repeat_rows_and_pass_the_end", IMAGE,
	  READELF_HEAD "   LOC           CFA      rbp   ra    \n"
		       "0000000000001000 rsp+8    u     c-8   \n"
		       "0000000000001001 rsp+99   u     c-8   \n"
		       "0000000000001001 rsp+16   c-16  c-8   \n"
		       "0000000000001003 rsp+16   c-16  c-8   \n"
		       "0000000000001004 rbp+16   c-16  c-8   \n"
		       "000000000000101f rsp+8    c-16  c-8   \n"
		       "0000000000001020 rsp+99   c-16  c-8   \n\n" READELF_MIDDLE READELF_LAST,
	  NULL, EXIT_OK, READELF_COMPARED EQUAL("6") },
	{ "another_section_of_readelf_is_not_compared", IMAGE,
	  READELF "Contents of the .sframe section:\n\nwhatever\n", NULL, EXIT_OK,
	  READELF_COMPARED EQUAL("6") },
	{ "readelf_s_debug_frame_adds_nothing_to_code_that_eh_frame_has", IMAGE,
	  READELF DEBUG_FRAME("0000000000001010..0000000000001018"), NULL, EXIT_OK,
	  READELF_COMPARED EQUAL("6") },
	{ "readelf_s_debug_frame_adds_nothing_at_0", IMAGE,
	  READELF DEBUG_FRAME("0000000000000000..0000000000000018"), NULL, EXIT_OK,
	  READELF_COMPARED EQUAL("6") },
	{ "readelf_s_debug_frame_adds_other_code", IMAGE,
	  READELF DEBUG_FRAME("0000000000009000..0000000000009010"), NULL, EXIT_FINDINGS,
	  "added function 0x9000\n  + +0x0 cfa=rsp+8 ra=c-8\n  + +0x10 end\n" READELF_COMPARED
	  "6 functions equal, 0 changed, 1 added, 0 removed; rows: 0 changed, 1 added, 0 "
	  "removed\n" },
	{ "readelf_s_compressed_debug_frame_is_one", IMAGE,
	  READELF COMPRESSED_DEBUG_FRAME("0000000000009000..0000000000009010"), NULL, EXIT_FINDINGS,
	  "added function 0x9000\n  + +0x0 cfa=rsp+8 ra=c-8\n  + +0x10 end\n" READELF_COMPARED
	  "6 functions equal, 0 changed, 1 added, 0 removed; rows: 0 changed, 1 added, 0 "
	  "removed\n" },
	{ "readelf_s_debug_frame_may_come_first", IMAGE,
	  DEBUG_FRAME("0000000000001010..0000000000001018") READELF, NULL, EXIT_OK,
	  READELF_COMPARED EQUAL("6") },
	{ "readelf_s_debug_frame_of_another_file_is_not_the_image_s", IMAGE,
	  READELF OTHER_FILE_S_DEBUG_FRAME("0000000000009000..0000000000009010"), NULL, EXIT_OK,
	  READELF_COMPARED EQUAL("6") },
	{ "readelf_s_eh_frame_of_no_code_hides_nothing", IMAGE,
	  READELF "00000200 0000000000000014 00000204 FDE cie=00000000 "
		  "pc=0000000000009004..0000000000009004\n\n" DEBUG_FRAME(
			  "0000000000009000..0000000000009010"),
	  NULL, EXIT_FINDINGS,
	  "added function 0x9004\n  + +0x0 end\nadded function 0x9000\n  + +0x0 cfa=rsp+8 ra=c-8\n"
	  "  + +0x10 end\n" READELF_COMPARED "6 functions equal, 0 changed, 2 added, 0 removed; "
	  "rows: 0 changed, 1 added, 0 removed\n" },
	{ "readelf_has_a_rule_of_a_register_above_rip", IMAGE,
	  READELF_HEAD READELF_FIRST READELF_MIDDLE
	  "000000f8 000000000000001c 000000fc FDE cie=00000000 "
	  "pc=0000000000001080..0000000000001088\n"
	  "   LOC           CFA      ra    xmm6  xmm7  \n0000000000001080 rsp+8    c-8   u     u   "
	  "  \n"
	  "0000000000001081 rsp+0    r5 (rdi) u     c-32  \n\n",
	  NULL, EXIT_FINDINGS,
	  "changed function fde.6\n  - +0x1 cfa=rsp+0 ra=rdi\n  + +0x1 cfa=rsp+0 ra=rdi "
	  "high\n" READELF_COMPARED
	  "5 functions equal, 1 changed, 0 added, 0 removed; rows: 1 changed, 0 added, 0 "
	  "removed\n" },
	{ "readelf_differs", IMAGE,
	  READELF_HEAD READELF_MIDDLE READELF_LAST
	  "00000200 0000000000000014 00000204 FDE cie=00000000 "
	  "pc=0000000000001100..0000000000001104\n",
	  NULL, EXIT_FINDINGS,
	  "changed function fde.1\n  - +0x1 cfa=rsp+16 ra=c-8 rbp=c-16\n"
	  "  - +0x4 cfa=rbp+16 ra=c-8 rbp=c-16\n  - +0x1f cfa=rsp+8 ra=c-8 rbp=c-16\n"
	  "added function 0x1100\n  + +0x0 cfa=rsp+8 ra=c-8\n  + +0x4 end\n" READELF_COMPARED
	  "5 functions equal, 1 changed, 1 added, 0 removed; rows: 0 changed, 1 added, 3 "
	  "removed\n" },

	/* Parca Agent */
	{ "parca_by_address", IMAGE, PARCA_FLAT, NULL, EXIT_FINDINGS, PARCA_LOSSES },
	{ "parca_by_function", IMAGE,
	  PARCA_FUNCTION("1000", "1020") PARCA_FIRST PARCA_FUNCTION("1020", "1030")
		  PARCA_SECOND PARCA_FUNCTION("1070",
					      "1080") PARCA_REALIGNED /* in the section's order */
			  PARCA_FUNCTION("1040", "1060") PARCA_PLT PARCA_FUNCTION("1060", "1069")
				  PARCA_SIGNAL PARCA_FUNCTION("1080", "1088") PARCA_LAST,
	  NULL, EXIT_FINDINGS, PARCA_LOSSES },
	{ "parca_a_row_at_the_functions_end_is_not_its_own", IMAGE,
	  PARCA_FUNCTION("1000", "1020") PARCA_FIRST PARCA_ROW("1020", "2", "0", "99  ", "0   "),
	  "--func=fde.1", EXIT_OK,
	  "compared: CFA, rbp, and whether the return address is undefined; of expressions the two "
	  "PLT forms\n" EQUAL("1") },
	{ "parca_rows_a_gap_and_a_stray", IMAGE,
	  PARCA_FIRST PARCA_SECOND PARCA_END("1028") PARCA_ROW("1090", "2", "0", "8   ", "0   ")
		  PARCA_END("1098"),
	  "--func=*2", EXIT_FINDINGS,
	  "changed function fde.2\n  + +0x8 no row\n"
	  "compared: CFA, rbp, and whether the return address is undefined; of expressions the two "
	  "PLT forms\n"
	  "0 functions equal, 1 changed, 0 added, 0 removed; rows: 0 changed, 1 added, 0 "
	  "removed\n" },
	{ "parca_a_row_outside_of_any_function_is_added", IMAGE,
	  PARCA_FLAT PARCA_ROW("1090", "2", "0", "8   ", "0   ") PARCA_END("1098"), "--func=0x*",
	  EXIT_FINDINGS,
	  "added function 0x1090\n  + +0x0 cfa=rsp+8 ra=c-8\n  + +0x8 end\n"
	  "compared: CFA, rbp, and whether the return address is undefined; of expressions the two "
	  "PLT forms\n"
	  "0 functions equal, 0 changed, 1 added, 0 removed; rows: 0 changed, 1 added, 0 "
	  "removed\n" },
	{ "parca_plain_rows", IMAGE,
	  PARCA_FUNCTION(
		  "1000",
		  "1020") "\tLoc: 1000 CFA: $rsp=8   \tRBP: u\n"
			  "\tLoc: 1001 CFA: $rsp=16  \tRBP: c-16 \n\tLoc: 1004 CFA: $rbp=16  "
			  "\tRBP: c-16 \n"
			  "\tLoc: 101f CFA: $rsp=8   \tRBP: c-16 \n" PARCA_FUNCTION("1020", "1030") "\tLoc: 1020 CFA: $rsp=8   \tRBP: u\n" PARCA_FUNCTION(
				  "1040",
				  "1060") "\tLoc: 1040 CFA: $rsp=16  \tRBP: u\n\tLoc: 1046 CFA: "
					  "$rsp=24  \tRBP: u\n"
					  "\tLoc: 1050 CFA: exp (plt 1)\tRBP: u\n" PARCA_FUNCTION(
						  "1060",
						  "1069") "\tLoc: 1060 CFA: exp     \tRBP: "
							  "u\n" PARCA_FUNCTION(
								  "1070",
								  "1080") "\tLoc: "
									  "1070 CFA: "
									  "$rsp=8   "
									  "\tRBP: "
									  "u\n\tLoc: "
									  "1074 CFA: "
									  "$r10=0   "
									  "\tRBP: u\n"
									  "\tLoc: "
									  "1078 CFA: "
									  "exp     "
									  "\tRBP: "
									  "exp"
									  "\n" PARCA_FUNCTION(
										  "108"
										  "0",
										  "108"
										  "8") "\tLoc: "
										       "1080 CFA: "
										       "$rsp=8   "
										       "\tRBP: "
										       "u\n\tLoc: "
										       "1081 CFA: "
										       "$rsp=0   "
										       "\tRBP: u\n",
	  NULL, EXIT_OK, "compared: CFA and rbp; of expressions the two PLT forms\n" EQUAL("6") },

	/* OpenTelemetry */
	{ "otel_as_it_prints_now", IMAGE, OTEL_HEAD OTEL_FIRST OTEL_MIDDLE OTEL_REALIGNED OTEL_LAST,
	  NULL, EXIT_FINDINGS,
	  "changed function fde.6\n  - +0x1 cfa=rsp+0 ra=rdi\n  + +0x1 invalid\n" OTEL_COMPARED
	  "5 functions equal, 1 changed, 0 added, 0 removed; rows: 1 changed, 0 added, 0 "
	  "removed\n" },
	{ "otel_as_it_printed_before", IMAGE,
	  OTEL_HEAD "0000000000001000 sp+8            invalid          keep\n"
		    "0000000000001001 sp+10           cfa-10           keep merged\n"
		    "0000000000001004 fp+18           cfa-10          \n"
		    "000000000000101f sp+8            invalid         \n",
	  "--func=fde.1", EXIT_FINDINGS,
	  "changed function fde.1\n  - +0x4 cfa=rbp+16 rbp=c-16\n  + +0x4 cfa=rbp+24 "
	  "rbp=c-16\n" OTEL_COMPARED "0 functions equal, 1 changed, 0 added, 0 removed; rows: 1 "
	  "changed, 0 added, 0 removed\n" },
	{ "otel_a_dereference_with_an_offset_behind", IMAGE,
	  OTEL_HEAD "0000000000001078 *(fp-8)+8       fp+0            \n", "--func=fde.5",
	  EXIT_FINDINGS,
	  "changed function fde.5\n  - +0x0 cfa=rsp+8\n  + +0x0 no row\n  - +0x4 cfa=register+0\n"
	  "  - +0x8 cfa=*(rbp-8) rbp=*(rbp+0)\n  + +0x8 cfa=*(rbp-8)+8 rbp=*(rbp+0)\n" OTEL_COMPARED
	  "0 functions equal, 1 changed, 0 added, 0 removed; rows: 2 changed, 0 added, 1 "
	  "removed\n" },
	{ "otel_an_empty_table_covers_nothing", IMAGE, OTEL_HEAD, "-s", EXIT_FINDINGS,
	  OTEL_COMPARED "0 functions equal, 6 changed, 0 added, 0 removed; rows: 6 changed, 0 "
			"added, 8 removed\n" },

	/* what can't be compared, and what can't be read */
	{ "two_kinds_of_dump", READELF, PARCA_FLAT, NULL, EXIT_USAGE,
	  "stackproof diff: dumps of two kinds (readelf and parca): hold each against the "
	  "image\n" },
	{ "addresses_against_a_text", HEADER TEXT_FIRST TEXT_REST, PARCA_FLAT, NULL, EXIT_USAGE,
	  "stackproof diff: the dump knows addresses only, no functions: hold it against the "
	  "image\n" },
	{ "something_else", IMAGE, "hello\n", NULL, EXIT_BAD_INPUT,
	  "b: neither an ELF file nor a table in a format that is known\n" },
	{ "nothing", IMAGE, "", NULL, EXIT_BAD_INPUT,
	  "b: neither an ELF file nor a table in a format that is known\n" },
	{ "an_elf_file_cut_off", IMAGE, "\177ELF\2\1\1", NULL, EXIT_BAD_INPUT, NULL },
	{ "both_files_are_reported", HEADER "x\n", HEADER "\n", NULL, EXIT_BAD_INPUT,
	  "a: line 2: neither a function nor a row\nb: line 2: neither a function nor a row\n" },
	{ "from_says_what_it_is", IMAGE, READELF, "--from=otel", EXIT_BAD_INPUT,
	  "b: line 1: a row before the line that names the columns\n" },
	{ "from_text", IMAGE, READELF, "--from=text", EXIT_BAD_INPUT,
	  "b: line 1: not a table's text, or of another version\n" },
	{ "from_nothing_known", IMAGE, READELF, "--from=gdb", EXIT_USAGE, NULL },
	{ "readelf_an_unknown_rule", IMAGE,
	  READELF_HEAD "   LOC           CFA      ra    \n0000000000001000 rsp+8    x-8   \n", NULL,
	  EXIT_BAD_INPUT, "b: line 12: not a rule\n" },
	{ "readelf_an_unknown_cfa", IMAGE,
	  READELF_HEAD "   LOC           CFA      ra    \n0000000000001000 rsp8     c-8   \n", NULL,
	  EXIT_BAD_INPUT, "b: line 12: not a row\n" },
	{ "readelf_a_missing_rule", IMAGE,
	  READELF_HEAD "   LOC           CFA      rbp   ra    \n0000000000001000 rsp+8    c-8   \n",
	  NULL, EXIT_BAD_INPUT, "b: line 12: not a rule\n" },
	{ "readelf_a_rule_too_many", IMAGE,
	  READELF_HEAD "   LOC           CFA      ra    \n0000000000001000 rsp+8    c-8   u\n",
	  NULL, EXIT_BAD_INPUT, "b: line 12: more rules than columns\n" },
	{ "readelf_an_fde_that_ends_before_it_begins", IMAGE,
	  READELF "00000200 0000000000000014 00000204 FDE cie=00000000 pc=0000000000001104.."
		  "0000000000001100\n",
	  NULL, EXIT_BAD_INPUT, "b: line 42: not an FDE\n" },
	{ "readelf_columns_without_an_entry", IMAGE,
	  "Contents of the .eh_frame section:\n\n\n   LOC           CFA      ra    \n", NULL,
	  EXIT_BAD_INPUT, "b: line 4: columns outside of an entry\n" },
	{ "readelf_a_row_without_an_entry", IMAGE,
	  "Contents of the .eh_frame section:\n\n\n0000000000001000 rsp+8    c-8   \n", NULL,
	  EXIT_BAD_INPUT, "b: line 4: not a row\n" },
	{ "readelf_something_else_in_between", IMAGE,
	  "Contents of the .eh_frame section:\n\n\nhello\n", NULL, EXIT_BAD_INPUT,
	  "b: line 4: neither an entry nor a row\n" },
	{ "parca_a_field_missing", IMAGE, PARCA_FIRST "pc: 1010 cfa_type: 2\n", NULL,
	  EXIT_BAD_INPUT, "b: line 5: not a row\n" },
	{ "parca_an_unknown_type", IMAGE, PARCA_ROW("1000", "7", "0", "8", "0"), NULL,
	  EXIT_BAD_INPUT, "b: line 1: an unknown cfa_type\n" },
	{ "parca_an_unknown_rbp_type", IMAGE, PARCA_ROW("1000", "2", "9", "8", "0"), NULL,
	  EXIT_BAD_INPUT, "b: line 1: an unknown rbp_type\n" },
	{ "parca_of_arm64", IMAGE,
	  "pc: 1000 cfa_type: 2  rbp_type: 0  cfa_offset: 8    rbp_offset: 0   lr_offset: 0   \n",
	  NULL, EXIT_BAD_INPUT, "b: line 1: a table of another machine\n" },
	{ "parca_rows_out_of_order", IMAGE,
	  PARCA_ROW("1004", "2", "0", "8", "0") PARCA_ROW("1000", "2", "0", "8", "0"), NULL,
	  EXIT_BAD_INPUT, "b: line 2: rows are not in order\n" },
	{ "parca_a_function_after_rows_without_one", IMAGE,
	  PARCA_FIRST PARCA_FUNCTION("1000", "1020"), NULL, EXIT_BAD_INPUT,
	  "b: line 5: a function after rows that have none\n" },
	{ "parca_a_function_cut_off", IMAGE,
	  PARCA_FUNCTION("1000", "1020") PARCA_FIRST "=> Function start: 1020\n", NULL,
	  EXIT_BAD_INPUT, "b: line 6: not a function\n" },
	{ "parca_failed", IMAGE, PARCA_FIRST "failed with: failed to find .eh_frame section\n",
	  NULL, EXIT_BAD_INPUT, "b: line 5: the tool failed: there is no whole table\n" },
	{ "parca_failed_at_once", IMAGE, "failed with: failed to read ELF file\n", NULL,
	  EXIT_BAD_INPUT, "b: line 1: the tool failed: there is no whole table\n" },
	{ "parca_plain_rows_failed", IMAGE,
	  PARCA_FUNCTION("1000", "1020") "\tLoc: 1000 CFA: $rsp=8    \tRBP: u\n"
					 "failed with: unhandled DWARF instruction\n",
	  NULL, EXIT_BAD_INPUT, "b: line 3: the tool failed: there is no whole table\n" },
	{ "parca_plain_rows_of_arm64", IMAGE,
	  PARCA_FUNCTION("1000", "1020") "\tLoc: 1000 CFA: $sp=0    \tRBP: u\tRA: c-8\n", NULL,
	  EXIT_BAD_INPUT, "b: line 2: a table of another machine\n" },
	{ "otel_failed", IMAGE,
	  OTEL_HEAD "# /bin/x: failed to extract stack deltas: no such file\n", NULL,
	  EXIT_BAD_INPUT, "b: line 2: the tool failed: there is no table\n" },
	{ "otel_an_unknown_register", IMAGE, OTEL_HEAD "0000000000001000 lr+8            ?\n", NULL,
	  EXIT_BAD_INPUT, "b: line 2: rules that are not known\n" },
	{ "otel_an_offset_without_digits", IMAGE, OTEL_HEAD "0000000000001000 sp+             ?\n",
	  NULL, EXIT_BAD_INPUT, "b: line 2: rules that are not known\n" },
	{ "otel_an_unknown_flag", IMAGE, OTEL_HEAD "0000000000001000 sp+8   ?  new\n", NULL,
	  EXIT_BAD_INPUT, "b: line 2: an unknown flag\n" },
	{ "otel_an_address_too_short", IMAGE, OTEL_HEAD "1000 sp+8   ?\n", NULL, EXIT_BAD_INPUT,
	  "b: line 2: not a row\n" },
	{ "otel_rows_out_of_order", IMAGE,
	  OTEL_HEAD "0000000000001001 sp+8 ?\n0000000000001000 sp+8 ?\n", NULL, EXIT_BAD_INPUT,
	  "b: line 3: rows are not in order\n" },
	{ "otel_two_tables", IMAGE, OTEL_HEAD OTEL_HEAD, NULL, EXIT_BAD_INPUT,
	  "b: line 2: a second table\n" },
};

/* ---- running them ------------------------------------------------------------------------ */

START_TEST(test_case)
{
	const struct diff_case *test = &cases[_i];
	char directory[] = "/tmp/test_diff.XXXXXX";
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert_int_eq(chdir(directory), 0);
	struct diff_image image;
	diff_image_make(&image);
	file_write("image", image.bytes, image.size);
	if (test->a)
		file_write("a", test->a, strlen(test->a));
	if (test->b)
		file_write("b", test->b, strlen(test->b));
	char *arguments[] = { "diff", test->a ? "a" : "image", test->b ? "b" : "image",
			      (char *)test->option, NULL };
	int status;
	FREED char *output = command_output(command_diff, arguments, &status);
	ck_assert_int_eq(chdir("/"), 0);
	nftw(directory, tree_remove_one, 8, FTW_DEPTH | FTW_PHYS);
	ck_assert_msg(status == test->status, "%s: exit status %d:\n%s", test->name, status,
		      output);
	ck_assert_msg(!test->output || !strcmp(output, test->output), "%s:\nexpected\n%sactual\n%s",
		      test->name, test->output, output);
}
END_TEST

/* ---- a rule in a tool's words ------------------------------------------------------------- */

#define PLT(reg, offset, limit)                                                                    \
	{                                                                                          \
		0x70 + reg, offset, 0x80, 0, 0x3f, 0x1a, 0x30 + limit, 0x2a, 0x33, 0x24, 0x22      \
	}

static const struct {
	const char *name;
	const struct diff_dialect *dialect;
	uint8_t cfa[12]; /* an expression */
	size_t cfa_bytes;
	const char *words;
} words[] = {
	{ "parca_plt_11", &diff_dialect_parca, PLT(7, 8, 11), 11, "cfa=plt(11) ra=c-8" },
	{ "parca_plt_10", &diff_dialect_parca, PLT(7, 8, 10), 11, "cfa=plt(10) ra=c-8" },
	{ "parca_plt_9", &diff_dialect_parca, PLT(7, 8, 9), 11, "cfa=exp ra=c-8" },
	{ "parca_plt_at_16", &diff_dialect_parca, PLT(7, 16, 11), 11, "cfa=exp ra=c-8" },
	{ "parca_plt_of_rbp", &diff_dialect_parca, PLT(6, 8, 11), 11, "cfa=exp ra=c-8" },
	{ "parca_rsp_plus_8_is_no_plt", &diff_dialect_parca, { 0x77, 8 }, 2, "cfa=exp ra=c-8" },
	{ "otel_plt_of_any_limit", &diff_dialect_otel, PLT(7, 8, 9), 11, "plt" },
	{ "otel_deref", &diff_dialect_otel, { 0x77, 8, 0x06 }, 3, "cfa=*(rsp+8)" },
	{ "otel_deref_and_more",
	  &diff_dialect_otel,
	  { 0x76, 0x78, 0x06, 0x23, 16 },
	  5,
	  "cfa=*(rbp-8)+16" },
	{ "otel_deref_of_another_register",
	  &diff_dialect_otel,
	  { 0x79, 8, 0x06 },
	  3,
	  "cfa=*(register+8)" },
	{ "otel_deref_of_an_array",
	  &diff_dialect_otel,
	  { 0x77, 8, 0x79, 0, 0x22, 0x06 },
	  6,
	  "cfa=exp" },
	{ "otel_another_expression", &diff_dialect_otel, { 0x30 }, 1, "cfa=exp" },
	{ "readelf_any_expression", &diff_dialect_readelf, PLT(7, 8, 11), 11, "cfa=exp ra=c-8" },
};

START_TEST(test_rule_in_a_tools_words)
{
	struct row row = { .cfa = { .kind = RULE_CFA_EXPRESSION,
				    .expression = words[_i].cfa,
				    .expression_bytes = words[_i].cfa_bytes },
			   .reg[REGISTER_RIP] = { .kind = RULE_OFFSET, .offset = -8 } };
	char text[128] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");
	ck_assert_ptr_nonnull(file);
	words[_i].dialect->print(file, &row);
	fclose(file);
	ck_assert_msg(!strcmp(text, words[_i].words), "%s: %s", words[_i].name, text);
}
END_TEST

/* ---- real images against the readelf of this machine -------------------------------------- */

static const char *const images[] = {
	"/proc/self/exe", "/lib/x86_64-linux-gnu/libc.so.6",	      "/lib64/ld-linux-x86-64.so.2",
	"/bin/bash",	  "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
};

START_TEST(test_readelf_says_the_same_of_an_image)
{
	char real[4096];
	char dump[] = "/tmp/test_diff.XXXXXX";
	char command[8192];
	ssize_t length = readlink("/proc/self/exe", real, sizeof(real) - 1);
	ck_assert_int_gt(length, 0);
	real[length] = '\0';
	if (_i)
		snprintf(real, sizeof(real), "%s", images[_i]);
	if (access(real, R_OK) || system("readelf --version > /dev/null 2>&1")) {
		printf("%s, or readelf, isn't here: left out\n", real);
		return;
	}
	int file = mkstemp(dump);
	ck_assert_int_ge(file, 0);
	close(file);
	snprintf(command, sizeof(command), "LC_ALL=C readelf -wF '%s' > %s 2> /dev/null", real,
		 dump);
	/* It returns 1 for a separate debug file that isn't here, and prints all the same. */
	int readelf_status = system(command);
	ck_assert_msg(WIFEXITED(readelf_status) && WEXITSTATUS(readelf_status) < 2, "%s", command);
	char *arguments[] = { "diff", real, dump, NULL };
	int status;
	FREED char *output = command_output(command_diff, arguments, &status);
	unlink(dump);
	ck_assert_msg(status == EXIT_OK, "%s: exit status %d:\n%.2000s", real, status, output);
	unsigned long equal = 0;
	ck_assert(sscanf(output + strlen(READELF_COMPARED), "%lu functions equal", &equal) == 1);
	ck_assert_uint_gt(equal, 100);
}
END_TEST

/* Names are a file's, and may be longer than all of its CFI. */
START_TEST(names_of_a_table_have_a_limit)
{
	struct diff_table table = { 0 };
	const struct diff_function function = { .named = true, .pc = 0x10 };
	char number[DIFF_NUMBER_BYTES];
	struct error error;

	ck_assert_int_eq(diff_table_add_function(&table, "abc", &function, &error), 0);
	ck_assert_uint_eq(table.name_bytes, 4);
	ck_assert_str_eq(diff_function_name(&table.function[0], number), "abc");
	table.name_bytes = DIFF_NAME_BYTES_MAX - 4;
	ck_assert_int_eq(diff_table_add_function(&table, "abcd", &function, &error), -1);
	ck_assert_int_eq(error.code, ERROR_TABLE_LIMIT);
	ck_assert_int_eq(diff_table_add_function(&table, "abc", &function, &error), 0);
	/* One without a name takes nothing. */
	ck_assert_int_eq(diff_table_add_function(&table, NULL, &function, &error), 0);
	ck_assert_str_eq(diff_function_name(&table.function[2], number), "0x10");
	table.function[2].number = 12;
	ck_assert_str_eq(diff_function_name(&table.function[2], number), "fde.12");
	ck_assert_uint_eq(table.function_count, 3);
	diff_table_deinit(&table);
}
END_TEST

START_TEST(rows_and_functions_are_counted_in_32_bits)
{
	struct diff_words interned = { 0 };
	struct diff_table table = { .words = &interned };
	const struct diff_function function = { .pc = 0x10 };
	struct error error;

	ck_assert_int_eq(diff_table_add_function(&table, NULL, &function, &error), 0);
	table.row_count = DIFF_COUNT_MAX;
	ck_assert_int_eq(diff_table_add_row(&table, 0, "cfa=rsp+8", &error), -1);
	ck_assert_int_eq(error.code, ERROR_TABLE_LIMIT);
	table.row_count = 0;
	table.function_count = DIFF_COUNT_MAX;
	ck_assert_int_eq(diff_table_add_function(&table, NULL, &function, &error), -1);
	ck_assert_int_eq(error.code, ERROR_TABLE_LIMIT);
	table.function_count = 1;
	diff_table_deinit(&table);
	diff_words_deinit(&interned);
}
END_TEST

SUITE(diff, LOOP(test_case, cases), LOOP(test_rule_in_a_tools_words, words),
      LOOP(test_readelf_says_the_same_of_an_image, images), TEST(names_of_a_table_have_a_limit),
      TEST(rows_and_functions_are_counted_in_32_bits))
