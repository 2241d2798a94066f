/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_json.c - all that lint says of an image, as JSON
 *
 * A few functions of assembly at a known address, and each object that lint_file() writes of them, whole but
 * for times, paths, and the line of the build.
 */
#include "tests/suite.h"
#include "analysis/lint/lint_json.c"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cli/json_counts.h"
#include "analysis/code/code.h"
#include "analysis/lint/lint.h"
#include "analysis/lint/lint_inside.h"
#include "stepped_folder.h"

#define LINKED NULL
#define OBJECT "-c"
/* Both wrong, in one row each; and one of which nobody knows what it does. */
#define THREE                                                                                      \
	START "call f\ncall g\n" EXIT F "push rbx\nnop\npop rbx\nret\n" END_F                      \
	      ".type g, @function\ng:\n.cfi_startproc\n.cfi_same_value rbx\nxor ebx, "             \
	      "ebx\nret\n.cfi_endproc\n.size g, . - g\n"                                           \
	      ".type h, @function\nh:\n.cfi_startproc\npush rax\n.cfi_def_cfa_offset 16\njmp "     \
	      "rax\npop "                                                                          \
	      "rax\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n.size h, . - h\n"

/* What no FDE covers. */
#define GAP	".balign 16\n5: xor eax, eax\nret\n.balign 16\n" F "ret\n" END_F
#define UNNAMED ".cfi_startproc\npush rax\n.cfi_def_cfa_offset 16\njmp rax\nnop\n.cfi_endproc\n"

static const struct json_case {
	const char *rule, *flags, *text;
	struct lint_options options;
	const char *expected;
} json_cases[] = {
	{ "all findings, in the order of addresses",
	  LINKED,
	  THREE,
	  { .only = UINT32_MAX },
	  "{'type':'lint_finding','id':'SP001','table':'cfi','pc':'0x401014',"
	  "'pc_end':'0x401016','function':'f','offset':1,'instruction':'nop',"
	  "'disassembly':'0x401013 push rbx; 0x401014 nop; 0x401015 pop rbx; 0x401016 ret"
	  "','path':'','fde':'0x401013','declared':'cfa=rsp+8','actual':'cfa=rsp+16',"
	  "'mend':'.cfi_adjust_cfa_offset 8'}\n"
	  "{'type':'lint_finding','id':'SP004','table':'cfi','pc':'0x401019',"
	  "'pc_end':'0x40101a','function':'g','offset':2,'instruction':'ret',"
	  "'disassembly':'0x401017 xor ebx, ebx; 0x401019 ret','path':'',"
	  "'fde':'0x401017','register':'rbx','declared':'rbx=same','actual':'it is 0'}\n"
	  "{'type':'lint','status':'linted','kind':'executable','findings':{'SP001':1,"
	  "'SP004':1},'wanted_findings':2,'fdes':4,'proven':1,'mismatch':2,'unproven':1,"
	  "'unproven_reasons':{'jump_unknown':1},'instructions':15,"
	  "'instructions_proven':9,'calls_not_returning':0,'lost_fdes':0,"
	  "'lost_fdes_by_reason':{},'executable_bytes':31,'covered_bytes':31}\n" },
	{ "and which FDEs are unproven",
	  LINKED,
	  THREE,
	  { .only = UINT32_MAX, .unproven = true },
	  "{'type':'lint_finding','id':'SP001','table':'cfi','pc':'0x401014',"
	  "'pc_end':'0x401016','function':'f','offset':1,'instruction':'nop',"
	  "'disassembly':'0x401013 push rbx; 0x401014 nop; 0x401015 pop rbx; 0x401016 ret"
	  "','path':'','fde':'0x401013','declared':'cfa=rsp+8','actual':'cfa=rsp+16',"
	  "'mend':'.cfi_adjust_cfa_offset 8'}\n"
	  "{'type':'lint_finding','id':'SP004','table':'cfi','pc':'0x401019',"
	  "'pc_end':'0x40101a','function':'g','offset':2,'instruction':'ret',"
	  "'disassembly':'0x401017 xor ebx, ebx; 0x401019 ret','path':'',"
	  "'fde':'0x401017','register':'rbx','declared':'rbx=same','actual':'it is 0'}\n"
	  "{'type':'lint_unproven','fde':'0x40101a','pc':'0x40101a','function':'h',"
	  "'offset':0,'reason':'jump_unknown'}\n"
	  "{'type':'lint','status':'linted','kind':'executable','findings':{'SP001':1,"
	  "'SP004':1},'wanted_findings':2,'fdes':4,'proven':1,'mismatch':2,'unproven':1,"
	  "'unproven_reasons':{'jump_unknown':1},'instructions':15,"
	  "'instructions_proven':9,'calls_not_returning':0,'lost_fdes':0,"
	  "'lost_fdes_by_reason':{},'executable_bytes':31,'covered_bytes':31}\n" },
	{ "of one function",
	  LINKED,
	  THREE,
	  { .only = UINT32_MAX, .unproven = true, .function = "g" },
	  "{'type':'lint_finding','id':'SP004','table':'cfi','pc':'0x401019',"
	  "'pc_end':'0x40101a','function':'g','offset':2,'instruction':'ret',"
	  "'disassembly':'0x401017 xor ebx, ebx; 0x401019 ret','path':'',"
	  "'fde':'0x401017','register':'rbx','declared':'rbx=same','actual':'it is 0'}\n"
	  "{'type':'lint','status':'linted','kind':'executable','findings':{'SP001':1,"
	  "'SP004':1},'wanted_findings':1,'wanted_fdes':1,'wanted_proven':0,"
	  "'wanted_unproven':0,'fdes':4,'proven':1,'mismatch':2,'unproven':1,"
	  "'unproven_reasons':{'jump_unknown':1},'instructions':15,"
	  "'instructions_proven':9,'calls_not_returning':0,'lost_fdes':0,"
	  "'lost_fdes_by_reason':{},'executable_bytes':31,'covered_bytes':31}\n" },
	{ "of functions by a pattern",
	  LINKED,
	  THREE,
	  { .only = UINT32_MAX, .unproven = true, .function = "[fh]" },
	  "{'type':'lint_finding','id':'SP001','table':'cfi','pc':'0x401014',"
	  "'pc_end':'0x401016','function':'f','offset':1,'instruction':'nop',"
	  "'disassembly':'0x401013 push rbx; 0x401014 nop; 0x401015 pop rbx; 0x401016 ret"
	  "','path':'','fde':'0x401013','declared':'cfa=rsp+8','actual':'cfa=rsp+16',"
	  "'mend':'.cfi_adjust_cfa_offset 8'}\n"
	  "{'type':'lint_unproven','fde':'0x40101a','pc':'0x40101a','function':'h',"
	  "'offset':0,'reason':'jump_unknown'}\n"
	  "{'type':'lint','status':'linted','kind':'executable','findings':{'SP001':1,"
	  "'SP004':1},'wanted_findings':1,'wanted_fdes':2,'wanted_proven':0,"
	  "'wanted_unproven':1,'fdes':4,'proven':1,'mismatch':2,'unproven':1,"
	  "'unproven_reasons':{'jump_unknown':1},'instructions':15,"
	  "'instructions_proven':9,'calls_not_returning':0,'lost_fdes':0,"
	  "'lost_fdes_by_reason':{},'executable_bytes':31,'covered_bytes':31}\n" },
	{ "of one kind",
	  LINKED,
	  THREE,
	  { .only = 1u << LINT_OVERWRITTEN },
	  "{'type':'lint_finding','id':'SP004','table':'cfi','pc':'0x401019',"
	  "'pc_end':'0x40101a','function':'g','offset':2,'instruction':'ret',"
	  "'disassembly':'0x401017 xor ebx, ebx; 0x401019 ret','path':'',"
	  "'fde':'0x401017','register':'rbx','declared':'rbx=same','actual':'it is 0'}\n"
	  "{'type':'lint','status':'linted','kind':'executable','findings':{'SP001':1,"
	  "'SP004':1},'wanted_findings':1,'fdes':4,'proven':1,'mismatch':2,'unproven':1,"
	  "'unproven_reasons':{'jump_unknown':1},'instructions':15,"
	  "'instructions_proven':9,'calls_not_returning':0,'lost_fdes':0,"
	  "'lost_fdes_by_reason':{},'executable_bytes':31,'covered_bytes':31}\n" },
	{ "the compact table, too",
	  LINKED,
	  THREE "k: .cfi_startproc\n.cfi_escape 0x0f, 5, 0x77, 8, 0x06, 0x23, 8\nnop\n.cfi_def_cfa "
		"rsp, 8\nret\n.cfi_endproc\n",
	  { .only = UINT32_MAX, .compact = true },
	  "{'type':'lint_finding','id':'SP001','table':'cfi','pc':'0x401014',"
	  "'pc_end':'0x401016','function':'f','offset':1,'instruction':'nop',"
	  "'disassembly':'0x401013 push rbx; 0x401014 nop; 0x401015 pop rbx; 0x401016 ret"
	  "','path':'','fde':'0x401013','declared':'cfa=rsp+8','actual':'cfa=rsp+16',"
	  "'mend':'.cfi_adjust_cfa_offset 8'}\n"
	  "{'type':'lint_finding','id':'SP004','table':'cfi','pc':'0x401019',"
	  "'pc_end':'0x40101a','function':'g','offset':2,'instruction':'ret',"
	  "'disassembly':'0x401017 xor ebx, ebx; 0x401019 ret','path':'',"
	  "'fde':'0x401017','register':'rbx','declared':'rbx=same','actual':'it is 0'}\n"
	  "{'type':'lint','status':'linted','kind':'executable',"
	  "'tables':{'compact':{'proven':11,'mismatch':0,'as_cfi':2,'missing':0,"
	  "'rows_beyond':0,'marked':0,'marked_reasons':{},'unproven':4,"
	  "'unproven_reasons':{'jump_unknown':2,'value_unknown':1,'not_kept':1},"
	  "'findings':{}}},'findings':{'SP001':1,'SP004':1},'wanted_findings':2,'fdes':5,"
	  "'proven':1,'mismatch':2,'unproven':2,'unproven_reasons':{'jump_unknown':1,"
	  "'value_unknown':1},'instructions':17,'instructions_proven':10,"
	  "'calls_not_returning':0,'lost_fdes':0,'lost_fdes_by_reason':{},"
	  "'executable_bytes':33,'covered_bytes':33}\n" },
	{ "an object file",
	  OBJECT,
	  THREE "call x\n",
	  { .only = UINT32_MAX, .unproven = true },
	  "{'type':'lint_finding','id':'SP001','table':'cfi','pc':'0x14',"
	  "'section':'.text','pc_end':'0x16','function':'f','offset':1,"
	  "'instruction':'nop','disassembly':'0x13 push rbx; 0x14 nop; 0x15 pop rbx; 0x16"
	  " ret','path':'','fde':'0x13','fde_section':'.text','declared':'cfa=rsp+8',"
	  "'actual':'cfa=rsp+16',"
	  "'mend':'.cfi_adjust_cfa_offset 8'}\n"
	  "{'type':'lint_finding','id':'SP004','table':'cfi','pc':'0x19',"
	  "'section':'.text','pc_end':'0x1a','function':'g','offset':2,"
	  "'instruction':'ret','disassembly':'0x17 xor ebx, ebx; 0x19 ret','path':'',"
	  "'fde':'0x17','fde_section':'.text','register':'rbx','declared':'rbx=same',"
	  "'actual':'it is 0'}\n"
	  "{'type':'lint_unproven','fde':'0x1a','fde_section':'.text','pc':'0x1a',"
	  "'section':'.text','function':'h','offset':0,'reason':'jump_unknown'}\n"
	  "{'type':'lint','status':'linted','kind':'object_file','findings':{'SP001':1,"
	  "'SP004':1},'wanted_findings':2,'fdes':4,'proven':1,'mismatch':2,'unproven':1,"
	  "'unproven_reasons':{'jump_unknown':1},'instructions':15,"
	  "'instructions_proven':9,'calls_not_returning':0,'relocations':{'resolved':4,"
	  "'undefined':1},'lost_fdes':0,'lost_fdes_by_reason':{},'executable_bytes':36,"
	  "'covered_bytes':31}\n" },
	{ "of an FDE without a name",
	  OBJECT,
	  UNNAMED ".section .text.b, \"ax\"\nnop\n" UNNAMED,
	  { .only = UINT32_MAX, .unproven = true, .function = "fde@.text*" },
	  "{'type':'lint_unproven','fde':'0x0','fde_section':'.text','pc':'0x0',"
	  "'section':'.text','function':'fde@.text+0x0','offset':0,"
	  "'reason':'jump_unknown'}\n"
	  "{'type':'lint_unproven','fde':'0x1','fde_section':'.text.b','pc':'0x1',"
	  "'section':'.text.b','function':'fde@.text.b+0x1','offset':0,"
	  "'reason':'jump_unknown'}\n"
	  "{'type':'lint','status':'linted','kind':'object_file','findings':{},"
	  "'wanted_findings':0,'wanted_fdes':2,'wanted_proven':0,'wanted_unproven':2,"
	  "'fdes':2,'proven':0,'mismatch':0,'unproven':2,"
	  "'unproven_reasons':{'jump_unknown':2},'instructions':4,"
	  "'instructions_proven':2,'calls_not_returning':0,'relocations':{'resolved':2},"
	  "'lost_fdes':0,'lost_fdes_by_reason':{},'executable_bytes':9,'covered_bytes':8}\n" },
	{ "two findings of one function",
	  LINKED,
	  START "call f\n" EXIT F
		"push rbx\nnop\npop rbx\nxor eax, eax\npush rbp\nnop\npop rbp\nret\n" END_F,
	  { .only = UINT32_MAX },
	  "{'type':'lint_finding','id':'SP001','table':'cfi','pc':'0x40100f',"
	  "'pc_end':'0x401011','function':'f','offset':1,'instruction':'nop',"
	  "'disassembly':'0x40100e push rbx; 0x40100f nop; 0x401010 pop rbx; 0x401011 xor"
	  " eax, eax','path':'','fde':'0x40100e','declared':'cfa=rsp+8',"
	  "'actual':'cfa=rsp+16',"
	  "'mend':'.cfi_adjust_cfa_offset 8'}\n"
	  "{'type':'lint_finding','id':'SP001','table':'cfi','pc':'0x401014',"
	  "'pc_end':'0x401016','function':'f','offset':6,'instruction':'nop',"
	  "'disassembly':'0x401010 pop rbx; 0x401011 xor eax,"
	  " eax; 0x401013 push rbp; 0x401014 nop; 0x401015 pop rbp; 0x401016 ret',"
	  "'path':'','fde':'0x40100e','declared':'cfa=rsp+8','actual':'cfa=rsp+16',"
	  "'mend':'.cfi_adjust_cfa_offset 8'}\n"
	  "{'type':'lint','status':'linted','kind':'executable','findings':{'SP001':2},"
	  "'wanted_findings':2,'fdes':2,'proven':1,'mismatch':1,'unproven':0,"
	  "'unproven_reasons':{},'instructions':12,'instructions_proven':8,"
	  "'calls_not_returning':0,'lost_fdes':0,'lost_fdes_by_reason':{},"
	  "'executable_bytes':23,'covered_bytes':23}\n" },
	{ "the address of a function that only a number has",
	  LINKED,
	  START "mov esi, offset 5f\n" EXIT GAP,
	  { .only = UINT32_MAX },
	  "{'type':'lint_finding','id':'SP006','table':'cfi','pc':'0x401010',"
	  "'pc_end':'0x401013','function':'gap@0x40100e','offset':2,"
	  "'instruction':'xor eax, eax','disassembly':'0x401010 xor eax,"
	  " eax; 0x401012 ret','declared':'no FDE covers it','actual':'it is a function,"
	  " or something leads there',"
	  "'mend':'.cfi_startproc'}\n"
	  "{'type':'lint','status':'linted','kind':'executable','findings':{'SP006':1},"
	  "'wanted_findings':1,'fdes':2,'proven':2,'mismatch':0,'unproven':0,"
	  "'unproven_reasons':{},'instructions':5,'instructions_proven':5,"
	  "'calls_not_returning':0,'lost_fdes':0,'lost_fdes_by_reason':{},"
	  "'executable_bytes':33,'covered_bytes':15}\n" },
	{ "of 64 bits",
	  LINKED,
	  START "nop\nmov r9, offset 5f\n" EXIT GAP,
	  { .only = UINT32_MAX },
	  "{'type':'lint_finding','id':'SP006','table':'cfi','pc':'0x401020',"
	  "'pc_end':'0x401023','function':'gap@0x401011','offset':15,"
	  "'instruction':'xor eax, eax','disassembly':'0x401020 xor eax, eax;"
	  " 0x401022 ret',"
	  "'declared':'no FDE covers it','actual':'it is a function,"
	  " or something leads there',"
	  "'mend':'.cfi_startproc'}\n"
	  "{'type':'lint','status':'linted','kind':'executable','findings':{'SP006':1},"
	  "'wanted_findings':1,'fdes':2,'proven':2,'mismatch':0,'unproven':0,"
	  "'unproven_reasons':{},'instructions':6,'instructions_proven':6,"
	  "'calls_not_returning':0,'lost_fdes':0,'lost_fdes_by_reason':{},"
	  "'executable_bytes':49,'covered_bytes':18}\n" },
	{ "code behind an FDE that ends inside an instruction, up to the next",
	  LINKED,
	  START "test edi, edi\njz 1f\n.byte 0xb8, 1, 0\n.cfi_endproc\n.byte 0, 0\nxor edi, edi\n"
		"1: mov eax, 60\nsyscall\nhlt\n" F "ret\n" END_F,
	  { .only = UINT32_MAX },
	  "{'type':'lint_finding','id':'SP006','table':'cfi','pc':'0x40100b',"
	  "'pc_end':'0x401013','function':'gap@0x401007','offset':4,"
	  "'instruction':'mov eax, 0x3c','disassembly':'0x401002 jz 0x40100b;"
	  " 0x401004 mov eax, 0x01; 0x401009 xor edi, edi; 0x40100b mov eax, 0x3c;"
	  " 0x401010 syscall; 0x401012 hlt','declared':'no FDE covers it',"
	  "'actual':'it is a function, or something leads there',"
	  "'mend':'.cfi_startproc'}\n"
	  "{'type':'lint','status':'linted','kind':'executable','findings':{'SP006':1},"
	  "'wanted_findings':1,'fdes':2,'proven':1,'mismatch':0,'unproven':1,"
	  "'unproven_reasons':{'undecoded':1},'instructions':5,'instructions_proven':3,"
	  "'calls_not_returning':0,'lost_fdes':0,'lost_fdes_by_reason':{},"
	  "'executable_bytes':20,'covered_bytes':8}\n" },
	{ "in an instruction that moves nothing",
	  LINKED,
	  START "cmp eax, offset 5f\n" EXIT GAP,
	  { .only = UINT32_MAX },
	  "{'type':'lint','status':'linted','kind':'executable','findings':{},"
	  "'wanted_findings':0,'fdes':2,'proven':2,'mismatch':0,'unproven':0,"
	  "'unproven_reasons':{},'instructions':5,'instructions_proven':5,"
	  "'calls_not_returning':0,'lost_fdes':0,'lost_fdes_by_reason':{},"
	  "'executable_bytes':33,'covered_bytes':15}\n" },
	{ "in a register's other half",
	  LINKED,
	  START "add eax, offset 5f\nmov eax, 7\n" EXIT GAP,
	  { .only = UINT32_MAX },
	  "{'type':'lint','status':'linted','kind':'executable','findings':{},"
	  "'wanted_findings':0,'fdes':2,'proven':2,'mismatch':0,'unproven':0,"
	  "'unproven_reasons':{},'instructions':6,'instructions_proven':6,"
	  "'calls_not_returning':0,'lost_fdes':0,'lost_fdes_by_reason':{},"
	  "'executable_bytes':49,'covered_bytes':20}\n" },
	{ "no CFI",
	  LINKED,
	  ".globl _start\n_start: ret\n",
	  { .only = UINT32_MAX },
	  "{'type':'lint','status':'no_cfi','kind':'executable','findings':{},'wanted_findings':0,"
	  "'fdes':0,'proven':0,'mismatch':0,'unproven':0,'unproven_reasons':{},'instructions':0,"
	  "'instructions_proven':0,'calls_not_returning':0,'lost_fdes':0,"
	  "'lost_fdes_by_reason':{},'executable_bytes':1,'covered_bytes':0,"
	  "'no_cfi_reasons':{'untyped':1}}\n" },
	{ "a function without CFI, in a file without",
	  LINKED,
	  ".globl _start\n.type _start, @function\n_start: push rbx\npop rbx\nret\n",
	  { .only = UINT32_MAX, .compact = true },
	  "{'type':'lint_finding','id':'SP006','table':'cfi','pc':'0x401000',"
	  "'pc_end':'0x401003','function':'_start','offset':0,'instruction':'push rbx',"
	  "'disassembly':'0x401000 push rbx; 0x401001 pop rbx; 0x401002 ret',"
	  "'declared':'no FDE covers it','actual':'it is a function, or something leads there',"
	  "'mend':'.cfi_startproc','no_cfi':true}\n"
	  "{'type':'lint','status':'no_cfi','kind':'executable','findings':{'SP006':1},"
	  "'wanted_findings':1,'fdes':0,'proven':0,'mismatch':0,'unproven':0,"
	  "'unproven_reasons':{},'instructions':0,'instructions_proven':0,"
	  "'calls_not_returning':0,'lost_fdes':0,'lost_fdes_by_reason':{},"
	  "'executable_bytes':3,'covered_bytes':0}\n" },
	{ "a word that a way leads to with two frames",
	  LINKED,
	  START "call f\n" EXIT F "test edi, edi\nje 1f\npush rax\n.cfi_def_cfa_offset 16\njmp "
		"1f\n.cfi_def_cfa_offset 8\n1: nop\nret\n" END_F,
	  { .only = UINT32_MAX },
	  "{'type':'lint_finding','id':'SP001','table':'cfi','pc':'0x401015',"
	  "'pc_end':'0x401015','function':'f','offset':7,'instruction':'nop',"
	  "'disassembly':'0x401010 jz 0x401015; 0x401012 push rax; 0x401013 jmp 0x401015;"
	  " 0x401015 nop; 0x401016 ret','path':'0x401013 jmp 0x401015','from':'0x401013',"
	  "'fde':'0x40100e','declared':'cfa=rsp+8','actual':'cfa=rsp+16'}\n"
	  "{'type':'lint','status':'linted','kind':'executable','findings':{'SP001':1},"
	  "'wanted_findings':1,'fdes':2,'proven':1,'mismatch':1,'unproven':0,"
	  "'unproven_reasons':{},'instructions':10,'instructions_proven':8,"
	  "'calls_not_returning':0,'lost_fdes':0,'lost_fdes_by_reason':{},"
	  "'executable_bytes':23,'covered_bytes':23}\n" },
};

/* An array of lines, as "pc instruction". */
static void shorten(json_t *object, const char *key)
{
	json_t *lines = json_object_get(object, key), *line;
	char text[512] = "";
	size_t i;

	if (!lines)
		return;
	json_array_foreach(lines, i, line)
	{
		const char *section = json_text(line, "section");

		sprintf(text + strlen(text), "%s%s%s%s %s", i ? "; " : "", section,
			section[0] ? "+" : "", json_text(line, "pc"),
			json_text(line, "instruction"));
	}
	json_object_set_new(object, key, json_string(text));
}

static char *say(const struct lint_options *options)
{
	static const char *const left_out[] = { "image",     "seconds",	    "producer",
						"compilers", "source_file", "source_line",
						"build_id",  "title" };
	const struct image_path file_path = { .path = path, .named = true };
	char *text = NULL, *lines = NULL, *save = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size), *output;

	lint_file(options, &file_path, file);
	fclose(file);
	output = open_memstream(&lines, &size);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		json_t *object = json_loads(line, 0, NULL);

		ck_assert_ptr_nonnull(object);
		ck_assert_str_eq(json_text(object, "image"), path);
		for (int i = 0; i < COUNT(left_out); i++)
			json_object_del(object, left_out[i]);
		shorten(object, "disassembly");
		shorten(object, "path");
		json_dumpf(object, output, JSON_COMPACT);
		fputc('\n', output);
		json_decref(object);
	}
	fclose(output);
	free(text);
	for (char *at = lines; *at; at++) /* readable in a test */
		if (*at == '"')
			*at = '\'';
	return lines;
}

START_TEST(an_image_is_said)
{
	const struct json_case *test = &json_cases[_i];
	char *text;

	if (test->flags)
		make_of(path, test->flags, test->text);
	else
		make_program(path, test->text);
	text = say(&test->options);
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s\nexpected:\n%s\n", test->rule, text,
		      test->expected);
	free(text);
}
END_TEST

/* ---- FDEs, each by itself ------------------------------------------------------------------- */

/* In whichever order they come, they are said by address. */
START_TEST(unproven_fdes_are_said_in_order)
{
	static const struct lint_fde fdes[] = {
		{ 0x401008, 0x40100a, FLOW_ROW_UNPROVEN, FLOW_UNDECODED, 0x401009, false },
		{ 0x401000, 0x401008, FLOW_ROW_UNPROVEN, FLOW_JUMP_UNKNOWN, 0x401000, false },
		{ 0x401008, 0x401009, FLOW_ROW_UNPROVEN, FLOW_JUMP_UNKNOWN, 0x401008, false },
		{ 0x401001, 0x401002, FLOW_ROW_PROVEN, FLOW_JUMP_UNKNOWN, 0, false },
		{ 0x401002, 0x401003, FLOW_ROW_MISMATCH, FLOW_JUMP_UNKNOWN, 0, false },
		{ 0x401008, 0x40100b, FLOW_ROW_UNPROVEN, FLOW_JUMP_UNKNOWN, 0x40100a, false },
	};
	const struct lint_options options = { .unproven = true, .function = "*" };
	struct lint_fdes list = { .options = &options, .path = "a" };
	json_t *object = json_object();
	struct error error;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert(open_program(
		".globl _start\n_start: .cfi_startproc\n.fill 20, 1, 0x90\n.cfi_endproc\n"));
	list.cfi = cfi;
	for (int i = 0; i < COUNT(fdes); i++)
		lint_fdes_take(&list, &fdes[i]);
	ck_assert_int_eq(lint_fdes_print(&list, object, file, &error), 0);
	fclose(file);
	ck_assert_uint_eq(json_number(object, "wanted_fdes"), 6);
	ck_assert_uint_eq(json_number(object, "wanted_proven"), 1);
	ck_assert_uint_eq(json_number(object, "wanted_unproven"), 4);
	for (char *at = text; *at; at++)
		if (*at == '"')
			*at = '\'';
	ck_assert_str_eq(text,
			 "{'type':'lint_unproven','image':'a','fde':'0x401000','pc':'0x401000',"
			 "'function':'_start','offset':0,'reason':'jump_unknown',"
			 "'title':'behind a jump whose targets are not known'}\n"
			 "{'type':'lint_unproven','image':'a','fde':'0x401008','pc':'0x401008',"
			 "'function':'_start','offset':8,'reason':'jump_unknown',"
			 "'title':'behind a jump whose targets are not known'}\n"
			 "{'type':'lint_unproven','image':'a','fde':'0x401008','pc':'0x401009',"
			 "'function':'_start','offset':9,'reason':'undecoded',"
			 "'title':'instructions that can't be decoded'}\n"
			 "{'type':'lint_unproven','image':'a','fde':'0x401008','pc':'0x40100a',"
			 "'function':'_start','offset':10,'reason':'jump_unknown',"
			 "'title':'behind a jump whose targets are not known'}\n");
	free(text);
	lint_fdes_deinit(&list);
	json_decref(object);
	close_program();
}
END_TEST

START_TEST(addresses_are_kept_once)
{
	static const uint64_t met[] = { 9, 3, 9, 7, 3, 3, 12 }, kept[] = { 3, 7, 9, 12 };
	static const struct {
		uint64_t pc;
		size_t number;
	} from[] = { { 0, 0 }, { 3, 0 },  { 4, 1 },  { 7, 1 }, { 8, 2 },
		     { 9, 2 }, { 10, 3 }, { 12, 3 }, { 13, 4 } };
	struct error error = { .code = ERROR_NONE };
	const struct flow_world world = { .error = &error };
	struct lint_addresses list = { NULL };

	lint_addresses_sort(&list);
	ck_assert_uint_eq(lint_addresses_from(&list, 5), 0);
	for (int i = 0; i < COUNT(met); i++)
		lint_addresses_add(&list, met[i], &world);
	lint_addresses_sort(&list);
	ck_assert_uint_eq(list.count, COUNT(kept));
	ck_assert_mem_eq(list.address, kept, sizeof(kept));
	for (int i = 0; i < COUNT(from); i++)
		ck_assert_uint_eq(lint_addresses_from(&list, from[i].pc), from[i].number);
	ck_assert(!flow_lacks(&world));
	free(list.address);
}
END_TEST

START_TEST(an_image_that_is_none)
{
	const struct lint_options options = { .only = UINT32_MAX };
	FILE *file = fopen(path, "w");
	char *text;

	ck_assert_ptr_nonnull(file);
	fputs("no ELF", file);
	fclose(file);
	text = say(&options);
	ck_assert_str_eq(text, "{'type':'lint','status':'unread','code':'not_elf',"
			       "'message':'too short for an ELF file'}\n");
	free(text);
}
END_TEST

#define NOPS                                                                                       \
	".globl _start\n_start: .fill 16, 1, 0x90\n.cfi_startproc\n.fill 32, 1, 0x90\n"            \
	".cfi_endproc\n.fill 16, 1, 0x90\n"

/* At a segment's end there are fewer bytes. */
START_TEST(bytes_of_a_place)
{
	const char *section;
	size_t size;

	ck_assert(open_program(NOPS));
	ck_assert_ptr_nonnull(lint_place_bytes(NULL, image, STEPPED_TEXT, &size));
	ck_assert_uint_eq(size, CODE_BYTES_MAX);
	ck_assert_ptr_null(lint_place_bytes(NULL, image, 0x10, &size));
	ck_assert_uint_eq(size, 0);
	ck_assert_uint_eq(lint_place_offset(NULL, 77, &section), 77);
	ck_assert_str_eq(section, "");
	close_program();
}
END_TEST

SUITE(lint_json, FIXTURE(begin, end), LOOP(an_image_is_said, json_cases),
      TEST(unproven_fdes_are_said_in_order), TEST(addresses_are_kept_once),
      TEST(an_image_that_is_none), TEST(bytes_of_a_place))
