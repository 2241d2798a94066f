/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_dispute_report.c - the bundle's other files: what of a dispute is told, and what is left out
 *
 * The dispute is made by hand, of an image that is on no disk; the session of compare
 * (harness/commands/tests/transcripts/compare.txt) has the files of a program that ran.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "corpus/plant/tests/plant_image.h"
#include "judge/disputes/disputes.h"
#include "judge/verdict/verdict.h"
#include "walk/image_store.h"

#define BIAS 0x10000u
#define LONG 65540u /* bytes of a function */

__asm__(".text\n"
	".balign 64\n"
	"report_long: .cfi_startproc; .rept 65540; nop; .endr; .cfi_endproc\n"
	".type report_two, @function\n"
	"report_two: .cfi_startproc; .rept 16; nop; .endr; .cfi_endproc\n"
	"report_second: .cfi_startproc; .rept 24; nop; .endr; .cfi_endproc\n"
	".size report_two, . - report_two\n");

extern const char report_long[], report_two[], report_second[];

static char folder[] = "/tmp/test_dispute_report.XXXXXX";
static struct image_store *store;
static struct dispute *dispute;
static struct plant_file plant;

static void set_text(const char *key, const char *text)
{
	json_object_set_new(dispute->about, key, json_string(text));
}

/* An image that is kept whole. */
static struct dispute_image *add_image(const char *path, const char *build_id,
				       struct image_entry *entry)
{
	struct dispute_image *image = &dispute->image[dispute->image_count++];
	struct error error;
	size_t size;

	ck_assert_ptr_nonnull(entry);
	image_entry_hold(entry);
	*image = (struct dispute_image) { .path = strdup(path),
					  .build_id = strdup(build_id),
					  .bytes = image_file_bytes(entry->image, &size),
					  .entry = entry };
	image->file_bytes = size;
	ck_assert(!dispute_keep_range(image, 0, size, &error));
	return image;
}

static void add_code(uint64_t start, uint64_t end, uint64_t bias, int image)
{
	dispute->code[dispute->code_count++] = (struct dispute_code) {
		.start = start, .end = end, .bias = bias, .image = image, .path = strdup("")
	};
}

/* Two images of one file, each mapped once; the fault is in the second. */
static void set_up(void)
{
	struct error error;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	plant_file_make(&plant);
	store = image_store_create();
	dispute = dispute_create(&error);
	dispute->point = 17;
	dispute->image = calloc(2, sizeof(*dispute->image));
	dispute->code = calloc(2, sizeof(*dispute->code));
	add_image("/no/where/first", "",
		  image_store_copy(store, plant.bytes, plant.size, "first", &error));
	add_image("/no/where/an odd\x01name", "beef",
		  image_store_copy(store, plant.bytes, plant.size, "second", &error));
	add_code(BIAS + 0x1000, BIAS + 0x2000, BIAS, 0);
	add_code(3 * BIAS + 0x1000, 3 * BIAS + 0x2000, 3 * BIAS, 1);
	json_object_set_new(dispute->about, "command",
			    json_pack("[s, s, s]", "stackproof compare", "--at=1 2", "./it"));
	set_text("program", "./i\x1bt");
	set_text("verdict", "table_fault");
	set_text("kind", "wrong");
	set_text("truth", "proven");
	set_text("place", "framed+0x4 (second)");
	set_text("image", "/no/where/second");
	set_text("instruction", "push rbx");
	set_text("declared", "cfa=rbp+16");
	set_text("pc", "0x31004");
}

static void tear_down(void)
{
	char command[64];

	dispute_destroy(dispute);
	image_store_destroy(store);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static void add_answer(const char *engine, const uint64_t *pc, uint32_t count,
		       enum stop_reason stop, bool differs)
{
	struct error error;
	struct dispute_answer *answer = dispute_add_answer(dispute, engine, &error);

	ck_assert(!stack_set(&answer->stack, pc, count, stop, &error));
	answer->differs = differs;
}

/* The file's text, to be freed; NULL: there is none. */
static char *text_of(const char *name)
{
	char path[96], *text;
	size_t size;
	FILE *from, *to;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	from = fopen(path, "re");
	if (!from)
		return NULL;
	to = open_memstream(&text, &size);
	for (int c; (c = fgetc(from)) != EOF;)
		fputc(c, to);
	fclose(from);
	fclose(to);
	return text;
}

static void make_report(void)
{
	struct error error = { 0 };

	ck_assert_msg(!dispute_report(dispute, folder, &error), "%s", error.message);
}

static void check_has(const char *text, const char *part)
{
	ck_assert_msg(text && strstr(text, part), "lacks %s: %s", part, text);
}

/* ---- the report ----------------------------------------------------------------------------- */

/* A stack that is the truth is not told again. */
START_TEST(all_that_a_report_tells)
{
	static const uint64_t truth[] = { 3 * BIAS + 0x1004, BIAS + 0x1010, 0x77 };
	static const uint64_t other[] = { BIAS + 0x1010, 0x78 };
	struct error error;
	char *text;

	ck_assert(!stack_set(&dispute->truth, truth, 3, STOP_COMPLETE, &error));
	dispute->rooted = true;
	add_answer("cfi", truth, 3, STOP_NO_ROW, false);
	add_answer("table", other, 2, STOP_NO_MAPPING, true);
	make_report();
	text = text_of("report.txt");
	check_has(text,
		  "program      ./i?t, point 17\n"
		  "verdict      table_fault\n"
		  "kind         wrong\n"
		  "truth        proven\n"
		  "place        framed+0x4 (second)\n"
		  "image        /no/where/second\n"
		  "instruction  push rbx\n"
		  "declared     cfa=rbp+16\n"
		  "address      0x1004 in a function of 0x1000 to 0x1010\n"
		  "producer     no debug info says it\n"
		  "\n"
		  "command      stackproof compare '--at=1 2' ./it\n"
		  "replay       stackproof replay case\n"
		  "\n"
		  "truth\n"
		  "   0  0x31004  framed+0x4 (an odd?name)\n"
		  "   1  0x11010  framed+0x10 (first)\n"
		  "   2  0x77  0x77 (unmapped)\n"
		  "\n"
		  "cfi: exact, 3 of 3 frames right, no_row\n"
		  "\n"
		  "table: wrong, 0 of 3 frames right, no_mapping; of the case it gives another "
		  "stack\n"
		  "   0  0x11010  pushes+0x0 (first)\n"
		  "   1  0x78  0x78 (unmapped)\n"
		  "\n"
		  "versions     stackproof ");
	check_has(text, "\nimage        /no/where/first no build-id\n"
			"image        /no/where/an odd?name beef\n");
	ck_assert_ptr_null(strstr(text, "left out"));
	ck_assert_ptr_null(strstr(text, "engine "));
	free(text);
	/* The image's copy has a name of its own. */
	text = text_of("image-an_odd_name");
	ck_assert(text && !memcmp(text, plant.bytes, plant.size));
	free(text);
	text = text_of("code.txt");
	check_has(text, "  0x1000  push rbp\n  0x1001  mov rbp, rsp\n> 0x1004  push rbx\n");
	check_has(text, "  0x100f  nop\n");
	ck_assert_ptr_null(strstr(text, "bytes more"));
	ck_assert_ptr_null(strstr(text, "0x1010"));
	free(text);
	text = text_of("rows.txt");
	check_has(text, "\nfunction framed\n  +0x0 cfa=rsp+8 ra=c-8\n");
	check_has(text, "\n  +0x10 end\n");
	ck_assert_ptr_null(strstr(text, "pushes"));
	free(text);
}
END_TEST

/* Of an engine's fault it is said whose, and that the truth is a prefix; where a fault is in no image there is none to
 * be copied. */
START_TEST(a_fault_in_no_image)
{
	static const char *const files[] = { "rows.txt", "code.txt", "image-first" };
	static const uint64_t pc[] = { 0x77 };
	struct error error;
	char *text;

	ck_assert(!stack_set(&dispute->truth, pc, 1, STOP_COMPLETE, &error));
	/* More than all, and that is all right. */
	add_answer("fp", (const uint64_t[]) { 0x77, 0x78 }, 2, STOP_HELPER, false);
	set_text("engine", "fp");
	set_text("match", "extra");
	set_text("pc", "0x77");
	make_report();
	text = text_of("report.txt");
	check_has(text, "engine       fp\nmatch        extra\n");
	check_has(text,
		  "\ntruth (its outermost frames are unknown)\n   0  0x77  0x77 (unmapped)\n");
	check_has(text, "\nfp: exact, 1 of 1 frames right, helper\n");
	ck_assert_ptr_null(strstr(text, "address "));
	ck_assert_ptr_null(strstr(text, "producer "));
	free(text);
	for (int i = 0; i < COUNT(files); i++)
		ck_assert_ptr_null(text_of(files[i]));
}
END_TEST

/* ---- limits --------------------------------------------------------------------------------- */

START_TEST(a_stack_is_shown_as_far)
{
	uint64_t pc[FINDING_FRAMES_MAX + 2];
	struct error error;
	char *text;

	for (int i = 0; i < COUNT(pc); i++)
		pc[i] = 0x100 + (uint64_t)i;
	ck_assert(!stack_set(&dispute->truth, pc, FINDING_FRAMES_MAX + 2 * (uint32_t)_i,
			     STOP_COMPLETE, &error));
	make_report();
	text = text_of("report.txt");
	check_has(text, "  63  0x13f  0x13f (unmapped)\n");
	ck_assert_ptr_null(strstr(text, "  64  "));
	ck_assert_int_eq(strstr(text, "  and 2 more\n") != NULL, _i);
	free(text);
}
END_TEST

START_TEST(an_image_that_is_too_large_is_not_copied)
{
	char *text;

	dispute->image[1].file_bytes = (256ull << 20) + (uint64_t)_i;
	if (!_i) /* what can be copied is not tried: it would be all of it */
		dispute->image[1].file_bytes = plant.size;
	make_report();
	text = text_of("report.txt");
	if (_i)
		check_has(text, "\nleft out     the image is not copied, it has 268435457 bytes\n");
	else
		ck_assert_ptr_null(strstr(text, "left out"));
	free(text);
	text = text_of("image-an_odd_name");
	ck_assert_int_eq(text == NULL, _i);
	free(text);
}
END_TEST

/* In the place of the second image: this program's own. What address the code has there. */
static uint64_t put_self(const char *code)
{
	const struct mapping *mapping;
	struct address_space space = { 0 };
	struct error error;
	uint64_t bias;

	ck_assert(!address_space_read(&space, store, getpid(), &error));
	mapping = address_space_find(&space, (uint64_t)code);
	ck_assert(mapping && mapping->entry);
	free(dispute->image[1].path);
	free(dispute->image[1].build_id);
	free(dispute->image[1].range);
	image_entry_release(dispute->image[1].entry);
	dispute->image_count = 1;
	add_image("/no/where/self", "", mapping->entry);
	dispute->code[1].start = mapping->start;
	dispute->code[1].end = mapping->end;
	dispute->code[1].bias = bias = mapping->bias;
	address_space_deinit(&space);
	return (uint64_t)code - bias;
}

static void set_pc(uint64_t pc)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%lx", (unsigned long)pc);
	set_text("pc", text);
}

/* A long function is shown as far. */
START_TEST(a_function_is_shown_as_far)
{
	uint64_t address = put_self(report_long);
	char *text, part[64];

	set_pc((uint64_t)report_long + LONG - 1);
	make_report();
	text = text_of("code.txt");
	check_has(text, "\n  and 4 bytes more\n");
	snprintf(part, sizeof(part), "  0x%lx  nop\n", (unsigned long)(address + LONG - 5));
	check_has(text, part);
	ck_assert_ptr_null(strchr(text, '>'));
	free(text);
}
END_TEST

/* A function is what an FDE says: a symbol may have several. */
static const struct {
	const char *code;
	int at, size;
} parts[] = { { report_two, 15, 16 }, { report_second, 0, 24 }, { report_second, 23, 24 } };

START_TEST(a_function_of_two_parts)
{
	unsigned long address = put_self(parts[_i].code);
	char *text, part[128];

	set_pc((uint64_t)parts[_i].code + (uint64_t)parts[_i].at);
	make_report();
	text = text_of("report.txt");
	snprintf(part, sizeof(part), "\naddress      0x%lx in a function of 0x%lx to 0x%lx\n",
		 address + (unsigned long)parts[_i].at, address,
		 address + (unsigned long)parts[_i].size);
	check_has(text, part);
	free(text);
}
END_TEST

START_TEST(what_can_not_be_written_is_an_error)
{
	static const char *const files[] = { "report.txt", "rows.txt", "code.txt",
					     "image-an_odd_name" };
	struct error error = { 0 };
	char path[96];

	snprintf(path, sizeof(path), "%s/%s", folder, files[_i]);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(dispute_report(dispute, folder, &error), -1);
	ck_assert_msg(strstr(error.message, files[_i]) != NULL, "%s", error.message);
}
END_TEST

SUITE(dispute_report, FIXTURE(set_up, tear_down), TEST(all_that_a_report_tells),
      TEST(a_fault_in_no_image), TIMES(a_stack_is_shown_as_far, 2),
      TIMES(an_image_that_is_too_large_is_not_copied, 2), TEST(a_function_is_shown_as_far),
      LOOP(a_function_of_two_parts, parts), TIMES(what_can_not_be_written_is_an_error, 4))
