/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_stat_image.c - all that `stat --json` says of one image, letter by letter
 *
 * An image is an ELF file of one segment, of SEGMENT_BYTES from address 0 on, that is code as a
 * whole, and an .eh_frame of these FDEs. How long its table took to build is anything but 0, and
 * stands as 0 here; the file's name is "image".
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "tables/stat/stat.h"
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"

#define SEGMENT_BYTES 0x2000
#define EH_FRAME      0x40000 /* offset in the file and address: outside of the segment */
#define BIG_BYTES     (1u << 19)

/* ---- an image --------------------------------------------------------------------------- */

/* Writes an image to path, of sections only if there is an .eh_frame. */
static void write_image(const char *path, const void *eh_frame, size_t bytes)
{
	static const char names[] = "\0.eh_frame\0.shstrtab";
	const size_t names_offset = EH_FRAME + bytes;
	const size_t sections_offset = (names_offset + sizeof(names) + 7) / 8 * 8;
	const Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_shoff = bytes ? sections_offset : 0,
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = bytes ? 3 : 0,
		.e_shstrndx = bytes ? 2 : 0,
	};
	const Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_filesz = SEGMENT_BYTES,
		.p_memsz = SEGMENT_BYTES,
		.p_align = 0x1000,
	};
	const Elf64_Shdr section[3] = {
		{ 0 },
		{ .sh_name = 1,
		  .sh_type = SHT_PROGBITS,
		  .sh_flags = SHF_ALLOC,
		  .sh_addr = EH_FRAME,
		  .sh_offset = EH_FRAME,
		  .sh_size = bytes,
		  .sh_addralign = 8 },
		{ .sh_name = 11,
		  .sh_type = SHT_STRTAB,
		  .sh_offset = names_offset,
		  .sh_size = sizeof(names),
		  .sh_addralign = 1 },
	};
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fwrite(&header, sizeof(header), 1, file);
	fwrite(&segment, sizeof(segment), 1, file);
	fseek(file, EH_FRAME, SEEK_SET);
	if (bytes)
		fwrite(eh_frame, 1, bytes, file);
	fwrite(names, sizeof(names), 1, file);
	fseek(file, (long)sections_offset, SEEK_SET);
	fwrite(section, sizeof(section), 1, file);
	ck_assert_int_eq(fclose(file), 0);
}

/* Takes what is no two times the same out of a line. */
static void make_plain(json_t *object, const char *path)
{
	const json_int_t best = json_integer_value(json_object_get(object, "build_ns"));
	const json_int_t first = json_integer_value(json_object_get(object, "build_first_ns"));
	const char *message = json_string_value(json_object_get(object, "message"));

	ck_assert_str_eq(json_string_value(json_object_get(object, "image")), path);
	json_object_set_new(object, "image", json_string("image"));
	ck_assert(!message || !strstr(message, path));
	if (!json_object_get(object, "build_ns"))
		return;
	ck_assert_int_gt(best, 0);
	ck_assert_int_lt(best, 600ll * 1000000000); /* and no reading of the clock */
	ck_assert_int_ge(first, best);
	json_object_set_new(object, "build_ns", json_integer(0));
	json_object_set_new(object, "build_first_ns", json_integer(0));
}

/* All lines of the image in the file. ret: to be freed. */
static char *stat_lines(char *path)
{
	const struct image_path image = { .path = path, .named = true };
	char *output = NULL, *ret = NULL, *rest = NULL;
	size_t size;
	FILE *file = open_memstream(&output, &size);

	stat_image(&image, file);
	fclose(file);
	file = open_memstream(&ret, &size);
	for (char *line = strtok_r(output, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		json_t *object = json_loads(line, 0, NULL);

		ck_assert_msg(object, "%s", line);
		make_plain(object, path);
		json_dumpf(object, file, JSON_COMPACT | JSON_REAL_PRECISION(6));
		fputc('\n', file);
		json_decref(object);
	}
	fclose(file);
	free(output);
	return ret;
}

static void temporary(char *path)
{
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	close(fd);
}

/* ---- what is said of one ---------------------------------------------------------------- */

static const struct {
	const char *name;
	struct fde {
		uint64_t pc, range; /* of no bytes: there is none */
		struct literal instructions;
	} fde[3];
	const char *lines;
} cases[] = {
	{ "two_fdes",
	  { { 0x1000, 0x20, CFI(CFA_advance_loc(1), CFA_def_cfa_offset(16), CFA_offset(RBP, 2)) },
	    { 0x1020, 0x20, BYTES("") } },
	  "{\"type\":\"stat\",\"image\":\"image\",\"fdes\":2,\"rows\":2,\"rules\":2,"
	  "\"table_bytes\":164,\"bytes_per_row\":82.0,\"build_ns\":0,"
	  "\"build_first_ns\":0,\"lost\":{},\"expressions\":{},\"expressions_other\":{},"
	  "\"lost_fdes\":0,\"lost_fdes_by_reason\":{},\"executable_bytes\":8192,"
	  "\"covered_bytes\":64,\"malformed_rows\":0}\n" },
	{ "an_expression_that_no_rule_can_hold",
	  { { 0x1000, 0x20, CFI(CFA_def_cfa_expression(DW_OP_breg7, 1, DW_OP_not)) },
	    { 0x1020, 0x20, CFI(CFA_advance_loc(1), CFA_def_cfa(RBX, 8)) } },
	  "{\"type\":\"stat\",\"image\":\"image\",\"fdes\":2,\"rows\":3,\"rules\":2,"
	  "\"table_bytes\":166,\"bytes_per_row\":55.3333,\"build_ns\":0,"
	  "\"build_first_ns\":0,\"lost\":{\"unsupported_expression\":1},"
	  "\"expressions\":{\"cfa_other\":1},"
	  "\"expressions_other\":{\"cfa: breg7+1; not\":1},\"lost_fdes\":0,"
	  "\"lost_fdes_by_reason\":{},\"executable_bytes\":8192,\"covered_bytes\":64,"
	  "\"malformed_rows\":0}\n" },
	{ "a_malformed_fde",
	  { { 0x1000, 0x20, CFI(CFA_advance_loc(1), 0x3f) }, { 0x1020, 0x20, BYTES("") } },
	  "{\"type\":\"stat\",\"image\":\"image\",\"fdes\":2,\"rows\":2,\"rules\":1,"
	  "\"table_bytes\":148,\"bytes_per_row\":74.0,\"build_ns\":0,"
	  "\"build_first_ns\":0,\"lost\":{\"malformed\":1},\"expressions\":{},"
	  "\"expressions_other\":{},\"lost_fdes\":0,\"lost_fdes_by_reason\":{},"
	  "\"executable_bytes\":8192,\"covered_bytes\":64,\"malformed_rows\":1}\n"
	  "{\"type\":\"stat_diagnostic\",\"image\":\"image\","
	  "\"code\":\"cfi_instruction\",\"section\":\".eh_frame\",\"offset\":48,"
	  "\"message\":\"call frame instruction 0x3f is not defined on x86-64\","
	  "\"pc\":\"0x1000\",\"pc_end\":\"0x1020\"}\n" },
	{ "a_malformed_fde_of_no_length",
	  { { UINT64_MAX, 0x20, CFI(CFA_advance_loc(1), 0x3f) } },
	  "{\"type\":\"stat\",\"image\":\"image\",\"fdes\":0,\"rows\":0,\"rules\":0,"
	  "\"table_bytes\":102,\"bytes_per_row\":0.0,\"build_ns\":0,\"build_first_ns\":0,"
	  "\"lost\":{},\"expressions\":{},\"expressions_other\":{},\"lost_fdes\":1,"
	  "\"lost_fdes_by_reason\":{\"unread\":1},\"executable_bytes\":8192,"
	  "\"covered_bytes\":0,\"malformed_rows\":0}\n"
	  "{\"type\":\"stat_diagnostic\",\"image\":\"image\",\"code\":\"cfi_range\","
	  "\"section\":\".eh_frame\",\"offset\":22,"
	  "\"message\":\"the FDE's range 0xffffffffffffffff+0x20 wraps\","
	  "\"pc\":\"0xffffffffffffffff\"}\n" },
	{ "an_fde_outside_of_code",
	  { { 0x1000, 0x20, BYTES("") }, { 0x9000, 0x30, BYTES("") } },
	  "{\"type\":\"stat\",\"image\":\"image\",\"fdes\":2,\"rows\":0,\"rules\":1,"
	  "\"table_bytes\":142,\"bytes_per_row\":0.0,\"build_ns\":0,\"build_first_ns\":0,"
	  "\"lost\":{},\"expressions\":{},\"expressions_other\":{},\"lost_fdes\":1,"
	  "\"lost_fdes_by_reason\":{\"outside\":1},\"executable_bytes\":8192,"
	  "\"covered_bytes\":32,\"malformed_rows\":0}\n"
	  "{\"type\":\"stat_lost\",\"image\":\"image\",\"reason\":\"outside\","
	  "\"section\":\".eh_frame\",\"offset\":47,"
	  "\"message\":\"the FDE's code is in no executable segment\",\"pc\":\"0x9000\","
	  "\"pc_end\":\"0x9030\"}\n" },
};

START_TEST(all_is_said_of_an_image)
{
	char path[] = "/tmp/test_stat_image.XXXXXX";
	struct literal usual = CFI(CFA_USUAL);
	struct bytes bytes = { .size = 0 };
	size_t cie = put_cie(&bytes, 0, usual);
	FREED char *lines = NULL;

	for (int i = 0; i < 3 && cases[_i].fde[i].range; i++)
		put_fde(&bytes, cie, cases[_i].fde[i].pc, cases[_i].fde[i].range,
			cases[_i].fde[i].instructions);
	temporary(path);
	write_image(path, bytes.data, bytes.size);
	lines = stat_lines(path);
	ck_assert_msg(!strcmp(lines, cases[_i].lines), "%s:\n%s", cases[_i].name, lines);
	unlink(path);
}
END_TEST

/* Nobody uses a CIE that no FDE names: that it can't be read is no loss. */
START_TEST(a_malformed_cie_of_nobody_is_no_loss)
{
	char path[] = "/tmp/test_stat_image.XXXXXX";
	struct literal usual = CFI(CFA_USUAL), nothing = BYTES("");
	struct bytes bytes = { .size = 0 };
	size_t cie = put_cie(&bytes, 0, usual);
	FREED char *lines = NULL;

	put_fde(&bytes, cie, 0x1000, 0x20, nothing);
	cie = put_cie(&bytes, 0, usual);
	bytes.data[cie + 8] = 9;
	temporary(path);
	write_image(path, bytes.data, bytes.size);
	lines = stat_lines(path);
	ck_assert_str_eq(
		lines,
		"{\"type\":\"stat\",\"image\":\"image\",\"fdes\":1,\"rows\":0,\"rules\":1,"
		"\"table_bytes\":142,\"bytes_per_row\":0.0,\"build_ns\":0,\"build_first_ns\":0,"
		"\"lost\":{},\"expressions\":{},\"expressions_other\":{},\"lost_fdes\":0,"
		"\"lost_fdes_by_reason\":{},\"executable_bytes\":8192,"
		"\"covered_bytes\":32,\"malformed_rows\":0}\n");
	unlink(path);
}
END_TEST

START_TEST(no_cfi_is_an_empty_table)
{
	char path[] = "/tmp/test_stat_image.XXXXXX";
	FREED char *lines = NULL;

	temporary(path);
	write_image(path, NULL, 0);
	lines = stat_lines(path);
	ck_assert_str_eq(
		lines,
		"{\"type\":\"stat\",\"image\":\"image\",\"fdes\":0,\"rows\":0,\"rules\":0,"
		"\"table_bytes\":102,\"bytes_per_row\":0.0,\"build_ns\":0,\"build_first_ns\":0,"
		"\"lost\":{},\"expressions\":{},\"expressions_other\":{},\"lost_fdes\":0,"
		"\"lost_fdes_by_reason\":{},\"executable_bytes\":8192,\"covered_bytes\":0,"
		"\"malformed_rows\":0}\n");
	unlink(path);
}
END_TEST

START_TEST(what_is_no_image_is_an_error)
{
	char path[] = "/tmp/test_stat_image.XXXXXX";
	FREED char *lines = NULL;

	temporary(path);
	lines = stat_lines(path);
	ck_assert_str_eq(lines, "{\"type\":\"stat_error\",\"image\":\"image\",\"code\":\"not_elf\","
				"\"message\":\"too short for an ELF file\"}\n");
	unlink(path);
}
END_TEST

/* ---- of many, so many are said ---------------------------------------------------------- */

static size_t count_lines(const char *lines, const char *type)
{
	size_t ret = 0;

	for (const char *at = lines; (at = strstr(at, type)); at++)
		ret++;
	return ret;
}

/* An image of count FDEs, a byte each from pc on, and those instructions. ret: to be freed. */
static char *lines_of_many(size_t count, uint64_t pc, struct literal instructions)
{
	char path[] = "/tmp/test_stat_image.XXXXXX";
	struct literal usual = CFI(CFA_USUAL);
	struct bytes cie = { .size = 0 };
	uint8_t *data = calloc(1, BIG_BYTES);
	size_t size;
	char *lines;

	ck_assert_ptr_nonnull(data);
	put_cie(&cie, 0, usual);
	memcpy(data, cie.data, cie.size);
	size = cie.size;
	for (size_t i = 0; i < count; i++) {
		struct bytes fde = { .size = 0 };

		put_fde(&fde, -size, pc + i, 1, instructions);
		ck_assert_uint_le(size + fde.size, BIG_BYTES);
		memcpy(data + size, fde.data, fde.size);
		size += fde.size;
	}
	temporary(path);
	write_image(path, data, size);
	lines = stat_lines(path);
	free(data);
	unlink(path);
	return lines;
}

static const struct {
	const char *name;
	size_t count;
	uint64_t pc;
	struct literal instructions;
	const char *type; /* of the lines that are counted: */
	size_t lines;
	const char *last;
} many[] = {
	{ "outside_as_many_as_are_said", 10000, 0x100000, BYTES(""), "\"type\":\"stat_lost\"",
	  10000,
	  "{\"type\":\"stat_lost\",\"image\":\"image\",\"reason\":\"outside\","
	  "\"section\":\".eh_frame\",\"offset\":249997,"
	  "\"message\":\"the FDE's code is in no executable segment\","
	  "\"pc\":\"0x10270f\",\"pc_end\":\"0x102710\"}" },
	{ "outside_one_more", 10001, 0x100000, BYTES(""), "\"type\":\"stat_lost\"", 10001,
	  "{\"type\":\"stat_lost\",\"image\":\"image\",\"reason\":\"outside\",\"more\":1}" },
	{ "malformed_as_many_as_are_said", 1000, 0x1000, BYTES("\x3f"),
	  "\"type\":\"stat_diagnostic\"", 1000,
	  "{\"type\":\"stat_diagnostic\",\"image\":\"image\","
	  "\"code\":\"cfi_instruction\",\"section\":\".eh_frame\",\"offset\":26021,"
	  "\"message\":\"call frame instruction 0x3f is not defined on x86-64\","
	  "\"pc\":\"0x13e7\",\"pc_end\":\"0x13e8\"}" },
	{ "malformed_one_more", 1001, 0x1000, BYTES("\x3f"), "\"type\":\"stat_diagnostic\"", 1001,
	  "{\"type\":\"stat_diagnostic\",\"image\":\"image\",\"more\":1}" },
};

START_TEST(of_many_some_are_said)
{
	FREED char *lines = lines_of_many(many[_i].count, many[_i].pc, many[_i].instructions);
	size_t size = strlen(lines);
	const char *last;

	ck_assert_uint_gt(size, 0);
	lines[size - 1] = 0;
	last = strrchr(lines, '\n');
	ck_assert_ptr_nonnull(last);
	ck_assert_msg(!strcmp(last + 1, many[_i].last), "%s: %s", many[_i].name, last + 1);
	ck_assert_uint_eq(count_lines(lines, many[_i].type), many[_i].lines);
}
END_TEST

SUITE(stat_image, LOOP(all_is_said_of_an_image, cases), TEST(a_malformed_cie_of_nobody_is_no_loss),
      TEST(no_cfi_is_an_empty_table), TEST(what_is_no_image_is_an_error),
      LOOP(of_many_some_are_said, many))
