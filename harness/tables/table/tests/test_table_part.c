/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_part.c - a part of an image in each format, letter by letter: how much is shown, and what is wrong with it
 *
 * Of two functions, two sections and two pages of code: what is asked for is shown, of the rest nothing, and as much is
 * counted as is shown.
 */
#include "tables/diff/tests/readelf_words.h"
#include "tables/table/tests/table_sections.h"

/* f of two rows; g, a signal's, whose end can't be read; and one on the next page. */
static void three(struct diff_image *image)
{
	static const uint8_t signal[] = { 0, 0, 0,    0,  1, 'z', 'R',	    'S',
					  0, 1, 0x78, 16, 1, 0,	  CFA_USUAL };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));
	size_t signal_cie = diff_image_entry(image, signal, sizeof(signal));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_advance_loc(4), CFA_def_cfa_offset(16));
	DIFF_IMAGE_FDE(image, signal_cie, 0x1110, 0x10, CFA_GNU_args_size(8), CFA_advance_loc(4),
		       0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x2100, 0x10, CFA_advance_loc(1), CFA_def_cfa_offset(24));
}

static void another(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1200, 0x10, CFA_nop);
}

/* In a segment of its own, and in the first one. */
static void far(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x9100, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
}

/* A rule of each kind, for the CFA and for registers, of which some need places: those of a signal frame, too. */
static void kinds(struct diff_image *image)
{
	static const uint8_t signal[] = { 0, 0, 0,    0,  1, 'z', 'R',	    'S',
					  0, 1, 0x78, 16, 1, 0,	  CFA_USUAL };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));
	size_t signal_cie = diff_image_entry(image, signal, sizeof(signal));

	DIFF_IMAGE_FDE(
		image, cie, 0x1100, 0x10, CFA_def_cfa_expression(DW_OP_breg7, 8, DW_OP_deref),
		CFA_advance_loc(1),
		CFA_def_cfa_expression(DW_OP_breg6, SLEB(-8), DW_OP_deref, DW_OP_plus_uconst, 16),
		CFA_advance_loc(1),
		CFA_def_cfa_expression(DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and,
				       DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus),
		CFA_advance_loc(1),
		CFA_def_cfa_expression(DW_OP_breg7, 8, DW_OP_breg9, 0, DW_OP_plus, DW_OP_deref),
		CFA_advance_loc(1), CFA_def_cfa(RBP, 16), CFA_undefined(RIP));
	DIFF_IMAGE_FDE(image, signal_cie, 0x1110, 0x10, CFA_val_offset(RBX, 2),
		       CFA_register(R12, RCX), CFA_expression(R13, DW_OP_breg6, 16),
		       CFA_val_expression(R14, DW_OP_breg7, 24), CFA_undefined(R15),
		       CFA_same_value(R11), CFA_offset(RBP, 2), CFA_advance_loc(1),
		       CFA_expression(R13, DW_OP_lit8, DW_OP_minus, DW_OP_const1s, 0xf0, DW_OP_and),
		       CFA_def_cfa_expression(DW_OP_breg7, 8, DW_OP_deref, DW_OP_plus_uconst, 8));
}

#define SECTIONS                                                                                   \
	{                                                                                          \
		SECTION(".eh_frame", three), SECTION(".eh_frame", another),                        \
			SECTION(".debug_frame", debug_frame), NO_SECTION                           \
	}

/* What is said of the first FDE, and of the second. */
#define TEXT_BEGIN "stackproof table text 1\n"
#define TEXT_1                                                                                     \
	"function fde.1\n"                                                                         \
	"  +0x0 cfa=rsp+8 ra=c-8\n"                                                                \
	"  +0x4 cfa=rsp+16 ra=c-8\n"                                                               \
	"  +0x10 end\n"
#define TEXT_2                                                                                     \
	"function fde.2 signal\n"                                                                  \
	"  +0x0 cfa=rsp+8 ra=c-8 args=8\n"                                                         \
	"  diagnostic cfi_instruction\n"                                                           \
	"  +0x10 end\n"
/* Rules and shapes are those of all, whatever is asked for. */
#define COMPACT_BEGIN                                                                              \
	"rule 6 cfa=rsp+8 ra=c-8\n"                                                                \
	"rule 7 cfa=rsp+16 ra=c-8\n"                                                               \
	"rule 8 cfa=rsp+8 ra=c-8 signal\n"                                                         \
	"rule 9 cfa=rsp+24 ra=c-8\n"                                                               \
	"shape 1 +0x0 rule 6; +0x4 rule 7\n"                                                       \
	"shape 3 +0x0 rule 8; +0x4 malformed; +0x10 no_row\n"                                      \
	"shape 6 +0x0 rule 6; +0x1 rule 7; +0x10 no_row\n"                                         \
	"shape 9 +0x0 rule 6; +0x1 rule 9; +0x10 no_row\n"                                         \
	"shape 12 +0x0 no_row\n"                                                                   \
	"segment 0x0 pages 0..3\n"
#define COMPACT_PAGE_1 "page 1 0x1000 entries 1..6\n"
#define ROW(section, pc, pc_end, cfa, more)                                                        \
	"{\"type\":\"row\",\"image\":\"image\",\"section\":\"" section "\",\"pc\":\"" pc           \
	"\",\"pc_end\":\"" pc_end "\",\"cfa\":\"" cfa "\",\"rules\":{\"rip\":\"c-8\"}" more "}\n"
#define BAD                                                                                        \
	"{\"type\":\"error\",\"image\":\"image\",\"code\":\"cfi_instruction\",\"section\":"        \
	"\".eh_frame\",\"offset\":\"0x6c\",\"message\":\"call frame instruction 0x3f is "          \
	"not defined on x86-64\",\"pc\":\"0x1110\",\"pc_end\":\"0x1120\"}\n"

static const struct {
	const char *name;
	table_format_fn write;
	const char *section;
	uint64_t pc, pc_end; /* none: all */
	uint64_t shown;
	size_t diagnostics;
	const char *text;
} cases[] = {
	{ "readelf_one", table_readelf, NULL, 0x1104, 0x1105, 1, 0,
	  CONTENTS(".eh_frame") FDE("00000030", "1c", "00000034", "00000000", "1100", "1110",
				    COLUMNS "0000000000001100 rsp+8    c-8   \n"
					    "0000000000001104 rsp+16   c-8   \n")
		  CONTENTS(".eh_frame") CONTENTS(".debug_frame") },
	{ "readelf_two", table_readelf, NULL, 0x110f, 0x1111, 2, 1,
	  CONTENTS(".eh_frame") FDE("00000030", "1c", "00000034", "00000000", "1100", "1110",
				    COLUMNS "0000000000001100 rsp+8    c-8   \n"
					    "0000000000001104 rsp+16   c-8   \n")
		  FDE("00000050", "1c", "0000003c", "00000018", "1110", "1120",
		      COLUMNS "0000000000001110 rsp+8    c-8   \n"
			      "0000000000001114 rsp+8    c-8   \n") CONTENTS(".eh_frame")
			  CONTENTS(".debug_frame") },
	{ "readelf_none", table_readelf, NULL, 0x1120, 0x1121, 0, 0,
	  CONTENTS(".eh_frame") CONTENTS(".eh_frame") CONTENTS(".debug_frame") },
	{ "readelf_second", table_readelf, ".eh_frame[2]", 0, 0, 1, 0,
	  CONTENTS(".eh_frame") CIE("00000000", "00000000", "zR")
		  FDE("00000018", "1c", "0000001c", "00000000", "1200", "1210", "") },
	{ "text_one", table_text, NULL, 0x1104, 0x1105, 1, 0, TEXT_BEGIN TEXT_1 },
	{ "text_two", table_text, NULL, 0x110f, 0x1111, 2, 1, TEXT_BEGIN TEXT_1 TEXT_2 },
	{ "text_none", table_text, NULL, 0x1120, 0x1121, 0, 0, "stackproof table text 1\n" },
	{ "text_all", table_text, NULL, 0, 0, 5, 1,
	  TEXT_BEGIN TEXT_1 TEXT_2 "function fde.3\n"
				   "  +0x0 cfa=rsp+8 ra=c-8\n"
				   "  +0x10 end\n"
				   "function fde.4\n"
				   "  +0x0 cfa=rsp+8 ra=c-8\n"
				   "  +0x1 cfa=rsp+16 ra=c-8\n"
				   "  +0x10 end\n"
				   "function fde.5\n"
				   "  +0x0 cfa=rsp+8 ra=c-8\n"
				   "  +0x1 cfa=rsp+24 ra=c-8\n"
				   "  +0x10 end\n" },
	{ "text_second", table_text, ".eh_frame[2]", 0, 0, 1, 0,
	  TEXT_BEGIN "function fde.1\n"
		     "  +0x0 cfa=rsp+8 ra=c-8\n"
		     "  +0x10 end\n" },
	{ "text_debug", table_text, NULL, 0x1300, 0x1301, 1, 0,
	  TEXT_BEGIN "function fde.1\n"
		     "  +0x0 cfa=rsp+8 ra=c-8\n"
		     "  +0x1 cfa=rsp+16 ra=c-8\n"
		     "  +0x10 end\n" },
	{ "text_of_each_section", table_text, NULL, 0x111f, 0x1301, 3, 1,
	  TEXT_BEGIN "function fde.1 signal\n"
		     "  +0x0 cfa=rsp+8 ra=c-8 args=8\n"
		     "  diagnostic cfi_instruction\n"
		     "  +0x10 end\n"
		     "function fde.2\n"
		     "  +0x0 cfa=rsp+8 ra=c-8\n"
		     "  +0x10 end\n"
		     "function fde.3\n"
		     "  +0x0 cfa=rsp+8 ra=c-8\n"
		     "  +0x1 cfa=rsp+16 ra=c-8\n"
		     "  +0x10 end\n" },
	{ "compact_one", table_compact, NULL, 0x1104, 0x1105, 1, 1,
	  COMPACT_BEGIN COMPACT_PAGE_1 "0x1100 shape 1\n" },
	{ "compact_two", table_compact, NULL, 0x110f, 0x1111, 2, 1,
	  COMPACT_BEGIN COMPACT_PAGE_1 "0x1100 shape 1\n"
				       "0x1110 shape 3\n" },
	{ "compact_behind_another", table_compact, NULL, 0x1115, 0x1116, 1, 1,
	  COMPACT_BEGIN COMPACT_PAGE_1 "0x1110 shape 3\n" },
	{ "compact_all", table_compact, NULL, 0, 0, 7, 1,
	  COMPACT_BEGIN "page 0 0x0 entries 0..1\n"
			"0x0 shape 12\n" COMPACT_PAGE_1 "0x1100 shape 1\n"
			"0x1110 shape 3\n"
			"0x1200 shape 11\n"
			"0x1210 shape 12\n"
			"0x1300 shape 6\n"
			"page 2 0x2000 entries 6..7\n"
			"0x2100 shape 9\n" },
	{ "compact_second", table_compact, ".eh_frame[2]", 0, 0, 3, 0,
	  "rule 6 cfa=rsp+8 ra=c-8\n"
	  "shape 1 +0x0 no_row\n"
	  "shape 2 +0x0 rule 6\n"
	  "segment 0x0 pages 0..2\n"
	  "page 0 0x0 entries 0..1\n"
	  "0x0 shape 1\n"
	  "page 1 0x1000 entries 1..3\n"
	  "0x1200 shape 2\n"
	  "0x1210 shape 1\n" },
	{ "json_one", table_json, NULL, 0x1104, 0x1105, 1, 0,
	  ROW(".eh_frame", "0x1104", "0x1110", "rsp+16", "") },
	{ "json_two", table_json, NULL, 0x110f, 0x1111, 2, 1,
	  ROW(".eh_frame", "0x1104", "0x1110", "rsp+16", "")
		  ROW(".eh_frame", "0x1110", "0x1114", "rsp+8",
		      ",\"signal_frame\":true,\"args_size\":8") BAD },
	{ "json_debug", table_json, NULL, 0x120f, 0x1301, 2, 0,
	  ROW(".eh_frame[2]", "0x1200", "0x1210", "rsp+8", "")
		  ROW(".debug_frame", "0x1300", "0x1301", "rsp+8", "") },
	{ "json_second", table_json, ".eh_frame[2]", 0, 0, 1, 0,
	  ROW(".eh_frame[2]", "0x1200", "0x1210", "rsp+8", "") },
	{ "json_all", table_json, NULL, 0, 0, 5, 1,
	  ROW(".eh_frame", "0x1100", "0x1104", "rsp+8",
	      "") ROW(".eh_frame", "0x1104", "0x1110", "rsp+16",
		      "") ROW(".eh_frame", "0x1110", "0x1114", "rsp+8",
			      ",\"signal_frame\":true,\"args_size\":8")
		  BAD ROW(".eh_frame[2]", "0x1200", "0x1210", "rsp+8",
			  "") ROW(".debug_frame", "0x1300", "0x1301", "rsp+8", "")
			  ROW(".debug_frame", "0x1301", "0x1310", "rsp+16", "")
				  ROW(".eh_frame", "0x2100", "0x2101", "rsp+8", "")
					  ROW(".eh_frame", "0x2101", "0x2110", "rsp+24", "") },
};

START_TEST(a_part_of_an_image)
{
	const struct test_section sections[] = SECTIONS;
	uint64_t shown = 0;
	struct table_filter filter = { .section = cases[_i].section,
				       .by_pc = cases[_i].pc_end,
				       .pc = cases[_i].pc,
				       .pc_end = cases[_i].pc_end,
				       .shown = &shown };
	char *text;

	section_image_write("image", sections);
	text = formatted(cases[_i].write, &filter, 0, cases[_i].diagnostics, cases[_i].name);
	ck_assert_msg(!strcmp(text, cases[_i].text), "%s:\n%s", cases[_i].name, text);
	ck_assert_uint_eq(shown, cases[_i].shown);
	free(text);
}
END_TEST

/* g begins in f's FDE, which goes on in it. */
static void symbols(struct diff_image *image)
{
	const Elf64_Sym symbol[3] = {
		{ 0 },
		{ .st_name = 1,
		  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		  .st_shndx = 1,
		  .st_value = 0x1100,
		  .st_size = 4 },
		{ .st_name = 3,
		  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		  .st_shndx = 1,
		  .st_value = 0x1104,
		  .st_size = 12 },
	};

	diff_image_put(image, symbol, sizeof(symbol));
}

static void symbol_names(struct diff_image *image)
{
	diff_image_put(image, "\0f\0g", 5);
}

/* "f 0x1100; - 0x1200": what each row's function is called. */
static char *functions_of(const char *text)
{
	char *copy = strdup(text), *ret = NULL, *rest = NULL;
	size_t size;
	FILE *file = open_memstream(&ret, &size);

	for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char function[16] = "-", pc[16] = "";
		const char *name = strstr(line, "\"function\":\"");

		if (name)
			sscanf(name, "\"function\":\"%15[^\"]", function);
		sscanf(strstr(line, "\"pc\""), "\"pc\":\"%15[^\"]", pc);
		fprintf(file, "%s %s; ", name && name[12] == '"' ? "empty" : function, pc);
	}
	fclose(file);
	free(copy);
	return ret;
}

/* A row is of the function that it begins in; of an object's, where all sections begin at 0, only a relocation tells. */
START_TEST(each_row_has_its_function)
{
	static const struct test_section sections[] = {
		{ ".text", nothing, 0, SHF_ALLOC | SHF_EXECINSTR, 0 },
		SECTION(".eh_frame", three),
		{ ".symtab", symbols, SHT_SYMTAB, 0, 0 },
		{ ".strtab", symbol_names, SHT_STRTAB, 0, 0 },
		NO_SECTION,
	};
	static const struct {
		uint16_t type;
		const char *functions;
	} types[] = {
		{ ET_DYN, "f 0x1100; g 0x1104; - 0x1110; - 0x1110; - 0x2100; - 0x2101; " },
		{ ET_REL, "- 0x1100; - 0x1104; - 0x1110; - 0x1110; - 0x2100; - 0x2101; " },
	};
	struct table_filter filter = { .section = NULL };

	for (int i = 0; i < COUNT(types); i++) {
		char *text, *functions;
		FILE *file;

		section_image_write("image", sections);
		ck_assert(file = fopen("image", "r+"));
		fseek(file, offsetof(Elf64_Ehdr, e_type), SEEK_SET);
		fwrite(&types[i].type, sizeof(types[i].type), 1, file);
		fclose(file);
		text = formatted(table_json, &filter, 0, 1, "functions");
		functions = functions_of(text);
		ck_assert_msg(!strcmp(functions, types[i].functions), "%s\n%s", functions, text);
		free(functions);
		free(text);
	}
}
END_TEST

static const struct {
	table_format_fn write;
	const char *text;
} kinds_cases[] = {
	{ table_compact,
	  "rule 6 cfa=*(rsp+8)+0 ra=c-8\n"
	  "rule 7 cfa=*(rbp-8)+16 ra=c-8\n"
	  "rule 8 cfa=rsp+8+(((rip&15)>=11)<<3) ra=c-8\n"
	  "rule 9 cfa=*(rsp+r9*1+8)+0 ra=c-8\n"
	  "rule 10 cfa=rbp+16 ra=u\n"
	  "rule 11 cfa=rsp+8 ra=c-8 rbx=v-16 rbp=c-16 r11=r11 r12=rcx r13=*(rbp+16) r14=rsp+24 "
	  "r15=u extended signal\n"
	  "rule 12 cfa=*(rsp+8)+8 ra=c-8 rbx=v-16 rbp=c-16 r11=r11 r12=rcx "
	  "r13=*(((cfa-8)&-16)+0) r14=rsp+24 r15=u extended signal\n"
	  "shape 1 +0x0 rule 6; +0x1 rule 7; +0x2 rule 8; +0x3 rule 9; +0x4 rule 10\n"
	  "shape 6 +0x0 rule 11; +0x1 rule 12; +0x10 no_row\n"
	  "shape 9 +0x0 no_row\n"
	  "segment 0x0 pages 0..2\n"
	  "page 0 0x0 entries 0..1\n"
	  "0x0 shape 9\n"
	  "page 1 0x1000 entries 1..3\n"
	  "0x1100 shape 1\n"
	  "0x1110 shape 6\n" },
	{ table_readelf,
	  CONTENTS(".eh_frame") CIE("00000000", "00000000", "zR") CIE(
		  "00000018", "00000000", "zRS") FDE("00000030", "44", "00000034", "00000000",
						     "1100", "1110",
						     COLUMNS "0000000000001100 exp      c-8   \n"
							     "0000000000001101 exp      c-8   \n"
							     "0000000000001102 exp      c-8   \n"
							     "0000000000001103 exp      c-8   \n"
							     "0000000000001104 rbp+16   u     \n")
		  FDE("00000078", "3c", "00000064", "00000018", "1110", "1120",
		      "   LOC           CFA      rbx   rbp   r11   r12   r13   r14   r15   ra    \n"
		      "0000000000001110 rsp+8    v-16  c-16  s     r2 (rcx) exp   vexp  u     c-8  "
		      " \n"
		      "0000000000001111 exp      v-16  c-16  s     r2 (rcx) exp   vexp  u     c-8  "
		      " \n") },
	{ table_text, TEXT_BEGIN
	  "function fde.1\n"
	  "  +0x0 cfa=exp(breg7+8; deref) ra=c-8\n"
	  "  +0x1 cfa=exp(breg6-8; deref; plus_uconst 16) ra=c-8\n"
	  "  +0x2 cfa=exp(breg7+8; breg16+0; lit15; and; lit11; ge; lit3; shl; plus) ra=c-8\n"
	  "  +0x3 cfa=exp(breg7+8; breg9+0; plus; deref) ra=c-8\n"
	  "  +0x4 cfa=rbp+16 ra=undefined\n"
	  "  +0x10 end\n"
	  "function fde.2 signal\n"
	  "  +0x0 cfa=rsp+8 ra=c-8 rbx=v-16 rbp=c-16 r11=same r12=rcx r13=exp(breg6+16) "
	  "r14=val_exp(breg7+24) r15=undefined\n"
	  "  +0x1 cfa=exp(breg7+8; deref; plus_uconst 8) ra=c-8 rbx=v-16 rbp=c-16 r11=same r12=rcx "
	  "r13=exp(lit8; minus; const1s-16; and) r14=val_exp(breg7+24) r15=undefined\n"
	  "  +0x10 end\n" },
	{ table_json,
	  "{\"type\":\"row\",\"image\":\"image\",\"section\":\".eh_frame\",\"pc\":\"0x1100\",\"pc_"
	  "end\":\"0x1101\",\"cfa\":\"exp(breg7+8; deref)\",\"rules\":{\"rip\":\"c-8\"}}\n"
	  "{\"type\":\"row\",\"image\":\"image\",\"section\":\".eh_frame\",\"pc\":\"0x1101\",\"pc_"
	  "end\":\"0x1102\",\"cfa\":\"exp(breg6-8; deref; plus_uconst "
	  "16)\",\"rules\":{\"rip\":\"c-8\"}}\n"
	  "{\"type\":\"row\",\"image\":\"image\",\"section\":\".eh_frame\",\"pc\":\"0x1102\",\"pc_"
	  "end\":\"0x1103\",\"cfa\":\"exp(breg7+8; breg16+0; lit15; and; lit11; ge; lit3; shl; "
	  "plus)\",\"rules\":{\"rip\":\"c-8\"}}\n"
	  "{\"type\":\"row\",\"image\":\"image\",\"section\":\".eh_frame\",\"pc\":\"0x1103\",\"pc_"
	  "end\":\"0x1104\",\"cfa\":\"exp(breg7+8; breg9+0; plus; "
	  "deref)\",\"rules\":{\"rip\":\"c-8\"}}\n"
	  "{\"type\":\"row\",\"image\":\"image\",\"section\":\".eh_frame\",\"pc\":\"0x1104\",\"pc_"
	  "end\":\"0x1110\",\"cfa\":\"rbp+16\",\"rules\":{\"rip\":\"undefined\"}}\n"
	  "{\"type\":\"row\",\"image\":\"image\",\"section\":\".eh_frame\",\"pc\":\"0x1110\",\"pc_"
	  "end\":\"0x1111\",\"cfa\":\"rsp+8\",\"rules\":{\"rbx\":\"v-16\",\"rbp\":\"c-16\",\"r11\":"
	  "\"same\",\"r12\":\"rcx\",\"r13\":\"exp(breg6+16)\",\"r14\":\"val_exp(breg7+24)\","
	  "\"r15\":\"undefined\",\"rip\":\"c-8\"},\"signal_frame\":true}\n"
	  "{\"type\":\"row\",\"image\":\"image\",\"section\":\".eh_frame\",\"pc\":\"0x1111\",\"pc_"
	  "end\":\"0x1120\",\"cfa\":\"exp(breg7+8; deref; plus_uconst "
	  "8)\",\"rules\":{\"rbx\":\"v-16\",\"rbp\":\"c-16\",\"r11\":\"same\",\"r12\":\"rcx\","
	  "\"r13\":\"exp(lit8; minus; const1s-16; "
	  "and)\",\"r14\":\"val_exp(breg7+24)\",\"r15\":\"undefined\",\"rip\":\"c-8\"},\"signal_"
	  "frame\":true}\n" },
};

START_TEST(each_kind_of_rule)
{
	static const struct test_section sections[] = { SECTION(".eh_frame", kinds), NO_SECTION };
	struct table_filter filter = { .section = NULL };
	char *text;

	section_image_write("image", sections);
	text = formatted(kinds_cases[_i].write, &filter, 0, 0, "kinds");
	ck_assert_msg(!strcmp(text, kinds_cases[_i].text), "%s", text);
	free(text);
}
END_TEST

/* The same code, in two places. */
START_TEST(each_segment_has_pages_of_its_own)
{
	static const struct test_section sections[] = { SECTION(".eh_frame", far), NO_SECTION };
	const Elf64_Phdr second = { .p_type = PT_LOAD,
				    .p_flags = PF_R | PF_X,
				    .p_vaddr = 0x9000,
				    .p_filesz = 0x1000,
				    .p_memsz = 0x1000,
				    .p_align = 0x1000 };
	struct table_filter filter = { .section = NULL };
	const uint16_t segments = 2;
	FILE *file;
	char *text;

	section_image_write("image", sections);
	ck_assert(file = fopen("image", "r+"));
	fseek(file, offsetof(Elf64_Ehdr, e_phnum), SEEK_SET);
	fwrite(&segments, sizeof(segments), 1, file);
	fseek(file, sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), SEEK_SET);
	ck_assert_uint_eq(fwrite(&second, sizeof(second), 1, file), 1);
	ck_assert_int_eq(fclose(file), 0);
	text = formatted(table_compact, &filter, 0, 0, "two segments");
	ck_assert_str_eq(text, "rule 6 cfa=rsp+8 ra=c-8\n"
			       "shape 1 +0x0 no_row\n"
			       "shape 2 +0x0 rule 6\n"
			       "segment 0x0 pages 0..2\n"
			       "page 0 0x0 entries 0..1\n"
			       "0x0 shape 1\n"
			       "page 1 0x1000 entries 1..3\n"
			       "0x1100 shape 2\n"
			       "0x1110 shape 1\n"
			       "segment 0x9000 pages 2..3\n"
			       "page 2 0x9000 entries 3..6\n"
			       "0x9000 shape 1\n"
			       "0x9100 shape 2\n"
			       "0x9110 shape 1\n");
	free(text);
}
END_TEST

SUITE(table_part, FIXTURE(folder_enter, folder_remove), LOOP(a_part_of_an_image, cases),
      TEST(each_row_has_its_function), LOOP(each_kind_of_rule, kinds_cases),
      TEST(each_segment_has_pages_of_its_own))
