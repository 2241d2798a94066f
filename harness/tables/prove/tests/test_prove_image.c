/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_prove_image.c - what `prove` says of one image, as JSON, letter by letter
 *
 * The images are small enough to count their rows by hand. libdw is asked, readelf is not.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "tables/diff/tests/diff_image.h"
#include "tables/prove/prove.h"

#define FILE_BYTES 0x2000

static const uint8_t plain[] = { CIE_USUAL };

/* Two functions side by side: three rows, and a gap behind them. */
static void sound(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_advance_loc(1), CFA_def_cfa_offset(16));
	DIFF_IMAGE_FDE(image, cie, 0x1110, 0x10, CFA_nop);
}

/* A gap of one byte, and two functions of a byte each. */
static void narrow(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, 0x1111, 1, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, 0x1112, 1, CFA_nop);
}

/* Rows that no rule holds, one that ends too early, and one that is in no segment. */
static void flagged(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_expression(RBX, DW_OP_breg7, 0, DW_OP_deref));
	DIFF_IMAGE_FDE(image, cie, 0x1120, 0x10, CFA_advance_loc(4), CFA_register(RBX, 40));
	DIFF_IMAGE_FDE(image, cie, 0x1140, 0x10, CFA_advance_loc(4), 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x1160, 0, 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x9000, 0x10, CFA_nop);
}

/* An FDE in no segment that ends too early, behind its first row and before it, and a sound one. */
static void malformed_outside(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, 0x9000, 0x10, CFA_advance_loc(4), 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x9100, 0x10, 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x9200, 0x10, CFA_nop);
}

/* libdw ends at a length of 0; and of two FDEs of one address it takes one. */
static void ended(struct diff_image *image)
{
	static const uint8_t zero[4] = { 0 };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, 0x1104, 0x10, CFA_def_cfa_offset(16));
	diff_image_put(image, zero, sizeof(zero));
	diff_image_put(image, zero, sizeof(zero));
	DIFF_IMAGE_FDE(image, cie, 0x1140, 0x10, CFA_nop);
}

/* Of the first one's rows the last lies in the second, which libdw finds there; and a gap behind each is in another. */
static void overlapping(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_advance_loc(4), CFA_def_cfa_offset(16),
		       CFA_advance_loc(4), CFA_def_cfa_offset(24), CFA_advance_loc(4),
		       CFA_def_cfa_offset(32));
	DIFF_IMAGE_FDE(image, cie, 0x1108, 0x10, CFA_nop);
}

/* A CIE of no version that is known: none of its FDEs can be read, and no row is there to be compared. */
static void unreadable(struct diff_image *image)
{
	static const uint8_t unknown[] = {
		0, 0, 0, 0, 9, 'z', 'R', 0, 1, 0x78, 16, 1, 0, CFA_USUAL
	};
	size_t cie = diff_image_entry(image, unknown, sizeof(unknown));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
}

static void nothing(struct diff_image *image)
{
}

static const struct {
	const char *name;
	void (*make)(struct diff_image *image);
	bool referee;
	const char *text;
} cases[] = {
	{ "sound", sound, true,
	  "{'type':'proof','image':'image','status':'proven',"
	  "'rows':3,'equal':3,'flagged':{},'silent':0,"
	  "'gaps':2,'outside':0,'evaluated':2,"
	  "'search_table':{'entries':0,'wrong':0},"
	  "'referee':{'agreed':3,'disputed':0,'unknown':0,'hidden':0,'not_asked':0,"
	  "'malformed':0,"
	  "'gaps':1,'gaps_disputed':0,'terminated':0},"
	  "'lost_fdes':0,'lost_fdes_by_reason':{},"
	  "'executable_bytes':8192,'covered_bytes':32,'malformed_rows':0,'compared':6}\n" },
	{ "sound_by_itself", sound, false,
	  "{'type':'proof','image':'image','status':'proven',"
	  "'rows':3,'equal':3,'flagged':{},'silent':0,"
	  "'gaps':2,'outside':0,'evaluated':2,"
	  "'search_table':{'entries':0,'wrong':0},"
	  "'lost_fdes':0,'lost_fdes_by_reason':{},"
	  "'executable_bytes':8192,'covered_bytes':32,'malformed_rows':0,'compared':3}\n" },
	{ "flagged", flagged, true,
	  "{'type':'proof','image':'image','status':'proven',"
	  "'rows':5,'equal':2,'flagged':{'unsupported_expression':1,'unsupported_register':1,"
	  "'malformed':1},'silent':0,"
	  "'gaps':5,'outside':1,'evaluated':1,"
	  "'search_table':{'entries':0,'wrong':0},"
	  "'referee':{'agreed':5,'disputed':0,'unknown':0,'hidden':0,'not_asked':0,"
	  "'malformed':1,"
	  "'gaps':4,'gaps_disputed':0,'terminated':0},"
	  "'lost_fdes':1,'lost_fdes_by_reason':{'outside':1},"
	  "'executable_bytes':8192,'covered_bytes':48,'malformed_rows':2,'compared':9}\n" },
	{ "malformed_outside_of_code", malformed_outside, true,
	  "{'type':'proof','image':'image','status':'proven',"
	  "'rows':1,'equal':1,'flagged':{},'silent':0,"
	  "'gaps':5,'outside':4,'evaluated':1,"
	  "'search_table':{'entries':0,'wrong':0},"
	  "'referee':{'agreed':3,'disputed':0,'unknown':0,'hidden':0,'not_asked':0,"
	  "'malformed':2,"
	  "'gaps':4,'gaps_disputed':0,'terminated':0},"
	  "'lost_fdes':3,'lost_fdes_by_reason':{'outside':3},"
	  "'executable_bytes':8192,'covered_bytes':16,'malformed_rows':2,'compared':4}\n" },
	{ "malformed_outside_of_code_by_itself", malformed_outside, false,
	  "{'type':'proof','image':'image','status':'proven',"
	  "'rows':1,'equal':1,'flagged':{},'silent':0,"
	  "'gaps':5,'outside':4,'evaluated':1,"
	  "'search_table':{'entries':0,'wrong':0},"
	  "'lost_fdes':3,'lost_fdes_by_reason':{'outside':3},"
	  "'executable_bytes':8192,'covered_bytes':16,'malformed_rows':2,'compared':1}\n" },
	{ "narrow", narrow, true,
	  "{'type':'proof','image':'image','status':'proven',"
	  "'rows':3,'equal':3,'flagged':{},'silent':0,"
	  "'gaps':3,'outside':0,'evaluated':1,"
	  "'search_table':{'entries':0,'wrong':0},"
	  "'referee':{'agreed':3,'disputed':0,'unknown':0,'hidden':0,'not_asked':0,"
	  "'malformed':0,"
	  "'gaps':2,'gaps_disputed':0,'terminated':0},"
	  "'lost_fdes':0,'lost_fdes_by_reason':{},"
	  "'executable_bytes':8192,'covered_bytes':18,'malformed_rows':0,'compared':6}\n" },
	{ "ended", ended, true,
	  "{'type':'proof_finding','image':'image','check':'libdw','message':'libdw: the row is "
	  "0x1100..0x1110',"
	  "'pc':'0x1104','pc_end':'0x1114','row':'cfa=rsp+16 ra=c-8'}\n"
	  "{'type':'proof','image':'image','status':'proven',"
	  "'rows':3,'equal':3,'flagged':{},'silent':0,"
	  "'gaps':3,'outside':0,'evaluated':2,"
	  "'search_table':{'entries':0,'wrong':0},"
	  "'referee':{'agreed':1,'disputed':1,'unknown':0,'hidden':0,'not_asked':0,"
	  "'malformed':0,"
	  "'gaps':2,'gaps_disputed':0,'terminated':1},"
	  "'lost_fdes':0,'lost_fdes_by_reason':{},"
	  "'executable_bytes':8192,'covered_bytes':36,'malformed_rows':0,'compared':5}\n" },
	{ "overlapping", overlapping, true,
	  "{'type':'proof_finding','image':'image','check':'libdw','message':'libdw: the row is "
	  "0x1108..0x110c',"
	  "'pc':'0x1108','pc_end':'0x1118','row':'cfa=rsp+8 ra=c-8'}\n"
	  "{'type':'proof','image':'image','status':'proven',"
	  "'rows':3,'equal':3,'flagged':{},'silent':0,"
	  "'gaps':2,'outside':0,'evaluated':2,"
	  "'search_table':{'entries':0,'wrong':0},"
	  "'referee':{'agreed':2,'disputed':1,'unknown':0,'hidden':2,'not_asked':0,"
	  "'malformed':0,"
	  "'gaps':1,'gaps_disputed':0,'terminated':0},"
	  "'lost_fdes':0,'lost_fdes_by_reason':{},"
	  "'executable_bytes':8192,'covered_bytes':24,'malformed_rows':0,'compared':6}\n" },
	{ "unreadable", unreadable, true,
	  "{'type':'proof','image':'image','status':'unchecked',"
	  "'rows':0,'equal':0,'flagged':{},'silent':0,"
	  "'gaps':1,'outside':0,'evaluated':0,"
	  "'search_table':{'entries':0,'wrong':0},"
	  "'referee':{'agreed':0,'disputed':0,'unknown':0,'hidden':0,'not_asked':0,"
	  "'malformed':0,"
	  "'gaps':0,'gaps_disputed':0,'terminated':0},"
	  "'lost_fdes':2,'lost_fdes_by_reason':{'unread':2},"
	  "'executable_bytes':8192,'covered_bytes':0,'malformed_rows':0,'compared':0}\n" },
	{ "nothing", nothing, true,
	  "{'type':'proof','image':'image','status':'no_cfi',"
	  "'rows':0,'equal':0,'flagged':{},'silent':0,"
	  "'gaps':1,'outside':0,'evaluated':0,"
	  "'referee':{'agreed':0,'disputed':0,'unknown':0,'hidden':0,'not_asked':0,"
	  "'malformed':0,"
	  "'gaps':0,'gaps_disputed':0,'terminated':0},"
	  "'lost_fdes':0,'lost_fdes_by_reason':{},"
	  "'executable_bytes':8192,'covered_bytes':0,'malformed_rows':0,'compared':0}\n" },
};

/* The time that it took is left out, and a double quote is '. */
static char *prove(const struct prove_options *options, const char *path)
{
	struct image_path image = { .path = (char *)path };
	char *text = NULL, *from, *to;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	prove_image(options, &image, file);
	ck_assert_int_eq(fclose(file), 0);
	for (from = to = text; *from;) {
		if (!strncmp(from, ",\"seconds\":", 11))
			from += 11 + strspn(from + 11, "0123456789.e-");
		else
			*to++ = *from == '"' ? '\'' : *from, from++;
	}
	*to = '\0';
	return text;
}

/* The same of a file that is made for it. */
static char *prove_made(void (*make)(struct diff_image *image), uint16_t type, bool referee)
{
	const struct prove_options options = { .referee = referee };
	static uint8_t bytes[FILE_BYTES];
	Elf64_Ehdr *header = (Elf64_Ehdr *)bytes;
	Elf64_Phdr *segment = (Elf64_Phdr *)(header + 1);
	char folder[] = "/tmp/test_prove_image.XXXXXX";
	struct diff_image image;
	char *text;
	FILE *file;

	diff_image_of(&image, make);
	memcpy(bytes, image.bytes, image.size);
	header->e_type = type;
	segment->p_filesz = FILE_BYTES; /* code is in the file */
	if (type == ET_REL)
		header->e_phnum = 0;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	file = fopen("image", "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, FILE_BYTES, file), FILE_BYTES);
	ck_assert_int_eq(fclose(file), 0);
	text = prove(&options, "image");
	unlink("image");
	ck_assert_int_eq(chdir("/"), 0);
	rmdir(folder);
	return text;
}

START_TEST(image_is_proven)
{
	FREED char *text = prove_made(cases[_i].make, ET_DYN, cases[_i].referee);

	ck_assert_msg(!strcmp(text, cases[_i].text), "%s\nexpected:\n%s\nsaid:\n%s", cases[_i].name,
		      cases[_i].text, text);
}
END_TEST

/* An object has no table: what is malformed in it is all the same. */
START_TEST(what_is_malformed_in_an_object)
{
	static const struct {
		void (*make)(struct diff_image *image);
		const char *has, *referee;
	} objects[] = {
		{ flagged, "'malformed_rows':2,'compared':0}", "'hidden':0,'not_asked':5," },
		{ malformed_outside, "'malformed_rows':2,'compared':0}",
		  "'hidden':0,'not_asked':3," },
		{ sound, "'malformed_rows':0,'compared':0}", "'hidden':0,'not_asked':3," },
	};

	for (int i = 0; i < 2 * COUNT(objects); i++) { /* libdw asked, and not */
		FREED char *text = prove_made(objects[i / 2].make, ET_REL, i % 2);

		ck_assert_msg(strstr(text, objects[i / 2].has) &&
				      strstr(text, "'status':'unchecked'") &&
				      !strstr(text, objects[i / 2].referee) == !(i % 2),
			      "%d: %s", i, text);
	}
}
END_TEST

/* Nothing of them was read. */
START_TEST(files_that_are_no_images)
{
	const struct prove_options options = { .referee = true };
	char *text = prove(&options, "/nothing/there");

	ck_assert_str_eq(
		text, "{'type':'proof','image':'/nothing/there','status':'unread','code':'system',"
		      "'message':'open: No such file or directory'}\n");
	free(text);
	text = prove(&options, "/dev/null");
	ck_assert_str_eq(text, "{'type':'proof','image':'/dev/null','status':'unread',"
			       "'code':'not_elf','message':'not a regular file'}\n");
	free(text);
}
END_TEST

/* That there is no room for another file is not the image's fault. */
START_TEST(no_file_can_be_opened)
{
	const struct prove_options options = { .referee = true };
	int next = dup(0);
	struct rlimit limit = { .rlim_cur = next, .rlim_max = next };

	ck_assert_int_ge(next, 0);
	close(next);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	FREED char *text = prove(&options, "/proc/self/exe");
	ck_assert_msg(strstr(text, "'status':'failed','code':'system',") != NULL, "%s", text);
}
END_TEST

SUITE(prove_image, LOOP(image_is_proven, cases), TEST(what_is_malformed_in_an_object),
      TEST(files_that_are_no_images), TEST(no_file_can_be_opened))
