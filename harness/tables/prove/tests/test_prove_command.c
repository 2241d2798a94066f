/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_prove_command.c - `prove` and `stat` as they are run: what they say, and their exit status
 *
 * In a directory lie this program, and copies of it that someone spoilt: they cost themselves, and
 * the program is proven all the same. A readelf that says something else, or that isn't there, must
 * show in the exit status.
 */
#include <dwarf.h>
#include <elf.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "base/cli/exit_status.h"
#include "image/image.h"

/* ---- spoilt copies ------------------------------------------------------------------------ */

struct file {
	uint8_t *bytes;
	size_t size;
	uint8_t *eh_frame; /* in bytes */
	size_t eh_frame_size;
	uint8_t *eh_frame_hdr;
};

static void keep(struct file *file)
{
}

static void only_magic(struct file *file)
{
	file->size = SELFMAG;
}

static void cut_in_half(struct file *file)
{
	file->size /= 2;
}

static void lengths_of_all_ones(struct file *file)
{
	memset(file->eh_frame, 0xff, file->eh_frame_size);
}

static void random_cfi(struct file *file)
{
	uint64_t state = 1;

	for (size_t i = 24; i < file->eh_frame_size; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		file->eh_frame[i] = state >> 56;
	}
}

/* Each tenth byte of what follows the first CIE. */
static void some_wrong_bytes(struct file *file)
{
	for (size_t i = 64; i < file->eh_frame_size; i += 10)
		file->eh_frame[i] ^= 1 << i % 8;
}

static void another_machine(struct file *file)
{
	((Elf64_Ehdr *)file->bytes)->e_machine = EM_RISCV;
}

static void many_sections(struct file *file)
{
	((Elf64_Ehdr *)file->bytes)->e_shnum = 0xfffe;
}

/* .eh_frame is then found by PT_GNU_EH_FRAME. */
static void no_sections(struct file *file)
{
	Elf64_Ehdr *header = (Elf64_Ehdr *)file->bytes;

	header->e_shoff = 0;
	header->e_shnum = header->e_shstrndx = 0;
}

/* "eh_frame": readelf goes by names, and shows nothing. */
static void another_name(struct file *file)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file->bytes;
	Elf64_Shdr *section = (Elf64_Shdr *)(file->bytes + header->e_shoff);
	uint64_t offset = (uint64_t)(file->eh_frame - file->bytes);

	for (int i = 0; i < header->e_shnum; i++)
		section[i].sh_name += section[i].sh_offset == offset;
}

/* An entry in the middle becomes a length of 0 and an FDE without a CIE. Without a search table
 * libdw gets no further. */
static void terminator_in_the_middle(struct file *file)
{
	uint32_t length, offset = 0, id = 0x7fffffff;

	file->eh_frame_hdr[3] = DW_EH_PE_omit; /* the search table's encoding */
	do {
		memcpy(&length, file->eh_frame + offset, sizeof(length));
		offset += sizeof(length) + length;
	} while (offset < file->eh_frame_size / 2);
	memcpy(&length, file->eh_frame + offset, sizeof(length));
	length -= 4;
	memset(file->eh_frame + offset, 0, sizeof(length));
	memcpy(file->eh_frame + offset + 4, &length, sizeof(length));
	memcpy(file->eh_frame + offset + 8, &id, sizeof(id));
}

/* fde_count, which the linker writes as udata4 behind eh_frame_ptr. */
static void search_table_of_none(struct file *file)
{
	memset(file->eh_frame_hdr + 8, 0, 4);
}

/* The first two entries change their places. */
static void search_table_out_of_order(struct file *file)
{
	uint8_t first[8], *entry = file->eh_frame_hdr + 12;

	memcpy(first, entry, sizeof(first));
	memmove(entry, entry + sizeof(first), sizeof(first));
	memcpy(entry + sizeof(first), first, sizeof(first));
}

static const struct spoilt_case {
	const char *name; /* of the file, too */
	void (*spoil)(struct file *file);
	const char *status; /* NULL: any, but there must be one */
	bool whole;	    /* every row is still there, and libdw says the same */
	const char *apart;  /* the name under which rows are counted that libdw has no word on */
	bool unsearchable;  /* by .eh_frame_hdr; else that is right, if every row is there */
} spoilt_cases[] = {
	{ "good", keep, "proven", true, NULL, false },
	{ "name_that_is_not_utf8_\xff\xc3", keep, "proven", true, NULL, false },
	{ "no_sections", no_sections, "proven", true, NULL, false },
	{ "another_name", another_name, "proven", true, NULL, false },
	{ "terminator_in_the_middle", terminator_in_the_middle, "proven", false, "terminated",
	  false },
	{ "only_magic", only_magic, "unread", false, NULL, false },
	{ "cut_in_half", cut_in_half, "unread", false, NULL, false },
	{ "lengths_of_all_ones", lengths_of_all_ones, NULL, false, NULL, false },
	{ "random_cfi", random_cfi, NULL, false, NULL, false },
	{ "some_wrong_bytes", some_wrong_bytes, NULL, false, NULL, false },
	{ "another_machine", another_machine, NULL, false, NULL, false },
	{ "many_sections", many_sections, NULL, false, NULL, false },
	{ "search_table_of_none", search_table_of_none, "proven", false, NULL, true },
	{ "search_table_out_of_order", search_table_out_of_order, "proven", false, NULL, true },
};

static void read_self(struct file *ret)
{
	struct image *image;
	struct error error;
	struct stat status;
	FILE *file = fopen("/proc/self/exe", "r");

	ck_assert(file && !fstat(fileno(file), &status));
	ret->size = (size_t)status.st_size;
	ret->bytes = malloc(ret->size);
	ck_assert(ret->bytes && fread(ret->bytes, 1, ret->size, file) == ret->size);
	fclose(file);
	ck_assert(!image_create("/proc/self/exe", &image, &error));
	ret->eh_frame = ret->bytes + image->eh_frame.file_offset;
	ret->eh_frame_size = image->eh_frame.size;
	ret->eh_frame_hdr = ret->bytes + image->eh_frame_hdr.file_offset;
	image_destroy(image);
	ck_assert_uint_gt(ret->eh_frame_size, 1000);
}

static void put_case(const char *directory, const struct spoilt_case *c)
{
	struct file content;
	char path[256];

	read_self(&content);
	c->spoil(&content);
	snprintf(path, sizeof(path), "%s/%s", directory, c->name);
	FILE *file = fopen(path, "w");
	ck_assert(file && fwrite(content.bytes, 1, content.size, file) == content.size);
	fclose(file);
	free(content.bytes);
}

/* ---- what a command says ------------------------------------------------------------------ */

/* The JSON objects among the lines of an output, as an array. */
static json_t *objects_of(const char *output)
{
	json_t *objects = json_array();

	for (const char *end; (end = strchr(output, '\n')); output = end + 1)
		if (*output == '{') {
			json_t *object = json_loadb(output, (size_t)(end - output), 0, NULL);

			ck_assert_msg(object != NULL, "not JSON: %.*s", (int)(end - output),
				      output);
			json_array_append_new(objects, object);
		}
	return objects;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static json_int_t count_of(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

/* The image's object of a type; paths that are not UTF-8 are found by what stands before. */
static const json_t *object_of(const json_t *objects, const char *type, const char *name)
{
	size_t index, length = strcspn(name, "\xff");
	json_t *object;

	json_array_foreach(objects, index, object)
	{
		const char *slash = strrchr(text_of(object, "image"), '/');

		if (slash && !strncmp(slash + 1, name, length) &&
		    (name[length] || !slash[1 + length]) && !strcmp(text_of(object, "type"), type))
			return object;
	}
	return NULL;
}

START_TEST(spoilt_image_costs_itself)
{
	char directory[] = "/tmp/test_prove.XXXXXX";
	char *prove[] = { "prove", "--json", "--all", "--timeout=60", directory, NULL };
	char *stat_[] = { "stat", "--json", directory, NULL };
	int status;

	ck_assert(mkdtemp(directory) != NULL);
	for (int i = 0; i < COUNT(spoilt_cases); i++)
		put_case(directory, &spoilt_cases[i]);
	char *output = command_output(command_prove, prove, &status);
	json_t *objects = objects_of(output);
	json_int_t rows = count_of(object_of(objects, "proof", "good"), "equal");
	ck_assert_int_gt(rows, 1000);
	for (int i = 0; i < COUNT(spoilt_cases); i++) {
		const struct spoilt_case *c = &spoilt_cases[i];
		const json_t *proof = object_of(objects, "proof", c->name);

		ck_assert_msg(proof != NULL, "%s: no word of it in\n%s", c->name, output);
		ck_assert_msg(!c->status || !strcmp(text_of(proof, "status"), c->status), "%s: %s",
			      c->name, text_of(proof, "status"));
		ck_assert_msg(!count_of(proof, "silent"), "%s: silent", c->name);
		ck_assert_msg(!c->whole || (count_of(proof, "equal") == rows &&
					    count_of(json_object_get(proof, "referee"), "agreed") ==
						    rows),
			      "%s: not every row is there, and in libdw", c->name);
		ck_assert_msg(!c->whole || !count_of(json_object_get(proof, "readelf"), "differ"),
			      "%s: readelf's lines are others", c->name);
		const json_t *referee = json_object_get(proof, "referee");
		ck_assert_msg(!c->apart || (count_of(referee, c->apart) &&
					    !count_of(referee, "unknown") &&
					    count_of(referee, "agreed")),
			      "%s: not counted by its name in\n%s", c->name, output);
		json_int_t wrong = count_of(json_object_get(proof, "search_table"), "wrong");
		ck_assert_msg(!c->unsearchable || wrong > 0, "%s: not a word of it", c->name);
		ck_assert_msg(!c->whole || !wrong, "%s: the search table is right", c->name);
		ck_assert_msg(!strstr(text_of(proof, "message"), "died"), "%s: %s", c->name,
			      text_of(proof, "message"));
	}
	const char *cut = text_of(object_of(objects, "proof", "cut_in_half"), "message");
	ck_assert_msg(!strncmp(cut, "section headers: file offset 0x", 31), "%s", cut);
	const json_t *summary = json_array_get(objects, json_array_size(objects) - 1);
	ck_assert_str_eq(text_of(summary, "type"), "proof_summary");
	ck_assert_int_eq(count_of(summary, "images"), COUNT(spoilt_cases));
	json_decref(objects);
	free(output);

	output = command_output(command_stat, stat_, &status);
	objects = objects_of(output);
	summary = json_array_get(objects, json_array_size(objects) - 1);
	ck_assert_str_eq(text_of(summary, "type"), "stat_total");
	ck_assert_int_eq(count_of(summary, "images") + count_of(summary, "unread"),
			 COUNT(spoilt_cases));
	ck_assert_int_eq(count_of(summary, "failed"), 0);
	const json_t *good = object_of(objects, "stat", "good");
	ck_assert(good && count_of(good, "rows") > 1000 && count_of(good, "covered_bytes") &&
		  count_of(good, "covered_bytes") <= count_of(good, "executable_bytes"));
	json_decref(objects);
	free(output);
	tree_remove(directory);
}
END_TEST

/* ---- exit status -------------------------------------------------------------------------- */

#define ARGUMENTS(...) .argument = { __VA_ARGS__ }

static const struct status_case {
	const char *name;
	int (*command)(int argc, char **argv);
	const char *argument[4];
	const char *readelf; /* a shell script in its place; "": none at all */
	enum exit_status status;
	const char *said;
} status_cases[] = {
	{ "all_proven", command_prove, ARGUMENTS("--referee", "/proc/self/exe"), NULL, EXIT_OK,
	  "1 images: 1 proven" },
	{ "another_line", command_prove, ARGUMENTS("--readelf", "/proc/self/exe"), "echo no",
	  EXIT_FINDINGS, "another line" },
	{ "no_readelf", command_prove, ARGUMENTS("--readelf", "/proc/self/exe"), "", EXIT_OK,
	  "readelf can't be run" },
	{ "no_readelf_is_no_finding", command_prove,
	  ARGUMENTS("--readelf", "--json", "/proc/self/exe"), "", EXIT_OK, "\"with_findings\":0," },
	{ "no_readelf_is_counted", command_prove, ARGUMENTS("-a", "--json", "/proc/self/exe"), "",
	  EXIT_OK, "\"no_tool\":1}" },
	{ "no_readelf_with_strict", command_prove,
	  ARGUMENTS("--readelf", "--strict", "/proc/self/exe"), "", EXIT_FINDINGS,
	  "1 checks by a program that can't be run, or failed; " },
	{ "readelf_dies", command_prove, ARGUMENTS("--readelf", "/proc/self/exe"), "kill -SEGV $$",
	  EXIT_ENVIRONMENT, "readelf died of SIGSEGV" },
	{ "readelf_dies_behind_its_word", command_prove,
	  ARGUMENTS("--readelf", "--json", "/proc/self/exe"), "echo no; kill -SEGV $$",
	  EXIT_ENVIRONMENT, "\"with_findings\":0," },
	{ "readelf_fails", command_prove, ARGUMENTS("--readelf", "/proc/self/exe"), "exit 1",
	  EXIT_ENVIRONMENT, "readelf ended with status 1, and printed nothing" },
	{ "readelf_ends_with_another_status", command_prove,
	  ARGUMENTS("--readelf", "--json", "/proc/self/exe"), "echo no; exit 1", EXIT_FINDINGS,
	  "\"with_findings\":1," },
	{ "no_such_file", command_prove, ARGUMENTS("/nonexistent"), NULL, EXIT_BAD_INPUT,
	  "/nonexistent" },
	{ "named_file_is_no_elf", command_prove, ARGUMENTS("/proc/self/status"), NULL,
	  EXIT_BAD_INPUT, "unread" },
	{ "no_file", command_prove, .status = EXIT_USAGE, .said = "no ELF file" },
	{ "no_such_option", command_prove, ARGUMENTS("--nonsense"), NULL, EXIT_USAGE, "nonsense" },
	{ "stat", command_stat, ARGUMENTS("/proc/self/exe"), NULL, EXIT_OK, "b/row" },
	{ "stat_of_no_elf", command_stat, ARGUMENTS("/proc/self/status"), NULL, EXIT_BAD_INPUT,
	  "status" },
};

START_TEST(exit_status_tells)
{
	const struct status_case *c = &status_cases[_i];
	char directory[] = "/tmp/test_prove.XXXXXX", path[256];
	char *arguments[6] = { "command" };
	int status;

	ck_assert(mkdtemp(directory) != NULL);
	for (int i = 0; i < COUNT(c->argument); i++)
		arguments[i + 1] = (char *)c->argument[i];
	if (c->readelf) {
		snprintf(path, sizeof(path), "%s/readelf", directory);
		FILE *file = *c->readelf ? fopen(path, "w") : NULL;
		ck_assert(file || !*c->readelf);
		if (file) {
			fprintf(file, "#!/bin/sh\n%s\n", c->readelf);
			fclose(file);
			chmod(path, 0755);
		}
		setenv("PATH", directory, 1); /* each test is a process of its own */
	}
	FREED char *output = command_output(c->command, arguments, &status);
	ck_assert_msg(status == (int)c->status, "%s: %d, expected %d:\n%s", c->name, status,
		      c->status, output);
	ck_assert_msg(strstr(output, c->said) != NULL, "%s: \"%s\" is missing:\n%s", c->name,
		      c->said, output);
	/* Nothing is disputed with who has said nothing. */
	ck_assert_msg(!c->readelf || (status == EXIT_FINDINGS && !strstr(output, "--strict")) ==
					     (strstr(output, "another line") != NULL),
		      "%s: %s", c->name, output);
	setenv("PATH", "/usr/bin:/bin", 1);
	tree_remove(directory);
}
END_TEST

SUITE(prove_command, TIMEOUT(240), TEST(spoilt_image_costs_itself),
      LOOP(exit_status_tells, status_cases))
