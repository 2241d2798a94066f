/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_boot_image.c - what is read of a bzImage: its version, and the kernel that is booted at once
 *
 * The images are made here: a header, and behind it an ELF file of some notes, packed or not. What
 * can't be unpacked, or has no entry for it, is refused: the bzImage itself is booted then.
 */
#include <archive.h>
#include <archive_entry.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/suite.h"
#include "guests/vm/boot_image.h"

#define SECTOR 512
#define TAIL   4 /* behind the payload: its size, unpacked */

static char path[64];
static bool no_mappings, walled; /* the page behind a mapping can't be read */

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	if (no_mappings && fd >= 0) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	if (walled && fd >= 0) {
		address = (void *)syscall(SYS_mmap, NULL, size + 4096, PROT_NONE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		flags |= MAP_FIXED;
	}
	return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
}

static void set_up(void)
{
	strcpy(path, "/tmp/test_boot_image.XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void tear_down(void)
{
	unlink(path);
}

static void write_image(const void *data, size_t size)
{
	FILE *file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, size, file), size);
	ck_assert(!fclose(file));
}

/* ---- versions ----------------------------------------------------------------------------- */

#define IMAGE_BYTES 1024

static const struct version_case {
	const char *name;
	const char *text;  /* at its place */
	unsigned pointer;  /* plus 0x200 is the place */
	const char *first; /* NULL: there is no version */
} versions[] = {
	{ "first_word", "6.1.0-9-cloud-amd64 (debian@x) #1 SMP", 0x100, "6.1.0-9-cloud-amd64" },
	{ "to_its_end", "6.1.0", 0x100, "6.1.0" },
	{ "line", "6.1.0\n", 0x100, "6.1.0" },
	{ "marks", "6.1.0~!", 0x100, "6.1.0~!" },
	{ "no_text", "6.1.0\177x", 0x100, "6.1.0" },
	{ "another_letter", "6.1.0\303\244", 0x100, "6.1.0" },
	{ "nothing", "", 0x100, NULL },
	{ "blank", " 6.1.0", 0x100, NULL },
	{ "nowhere", "", 0, NULL },
	{ "up_to_the_end_of_the_file", "1234", IMAGE_BYTES - 0x200 - 4, "1234" },
	{ "last_byte", "1", IMAGE_BYTES - 0x200 - 1, "1" },
	{ "behind_the_file", "", IMAGE_BYTES - 0x200, NULL },
	{ "longer_than_its_room", "12345678901234567890123456789012345", 0x100,
	  "1234567890123456789012345678901" },
};

START_TEST(version_is_the_first_word)
{
	const struct version_case *c = &versions[_i];
	unsigned char image[IMAGE_BYTES] = { 0 };
	struct error error = { 0 };
	char version[32];
	int status;

	memcpy(image + 0x202, "HdrS", 4);
	image[0x20e] = (unsigned char)c->pointer;
	image[0x20f] = (unsigned char)(c->pointer >> 8);
	memcpy(image + 0x200 + c->pointer, c->text, strlen(c->text));
	if (!c->pointer) /* Where 0 would lead is text. */
		memcpy(image + 0x200, "ab", 2);
	write_image(image, sizeof(image));
	status = boot_image_version(path, version, sizeof(version), &error);
	ck_assert_msg(!status == !!c->first, "%s: %s", c->name, error.message);
	if (c->first)
		ck_assert_msg(!strcmp(version, c->first), "%s: %s", c->name, version);
	else
		ck_assert_msg(error.code == ERROR_UNAVAILABLE &&
				      strstr(error.message, "has no version string"),
			      "%s: %s", c->name, error.message);
}
END_TEST

/* Too short for a header by a byte, without its mark, no file at all. */
START_TEST(what_is_no_image)
{
	unsigned char image[IMAGE_BYTES] = { 0 };
	struct error error = { 0 };
	char version[32];

	memcpy(image + 0x202, "HdrS", 4);
	image[0x20e] = 0x4f;
	image[0x24f] = '6';
	write_image(image, 0x24f);
	ck_assert_int_eq(boot_image_version(path, version, sizeof(version), &error), -1);
	ck_assert(strstr(error.message, "is not a bzImage"));
	image[0x20e] = 0x4e;
	image[0x24e] = '6';
	image[0x24f] = 0;
	write_image(image, 0x250);
	ck_assert_int_eq(boot_image_version(path, version, sizeof(version), &error), 0);
	ck_assert_str_eq(version, "6");
	image[0x205] = 's';
	write_image(image, sizeof(image));
	ck_assert_int_eq(boot_image_version(path, version, sizeof(version), &error), -1);
	ck_assert(strstr(error.message, "is not a bzImage"));
	unlink(path);
	ck_assert_int_eq(boot_image_version(path, version, sizeof(version), &error), -1);
	ck_assert(error.code == ERROR_SYSTEM && strstr(error.message, path));
	write_image("", 0);
	ck_assert_int_eq(boot_image_version("/dev", version, sizeof(version), &error), -1);
	ck_assert(strstr(error.message, "is not a bzImage"));
}
END_TEST

/* Up to the last byte of a file that ends with its page, and none behind it. */
START_TEST(version_at_the_end_of_a_page)
{
	static unsigned char image[4096];
	struct error error = { 0 };
	char version[32];

	memcpy(image + 0x202, "HdrS", 4);
	image[0x20e] = 0xfc; /* 0xdfc, plus 0x200 */
	image[0x20f] = 0x0d;
	memcpy(image + 0xffc, "6.10", 4);
	write_image(image, sizeof(image));
	walled = true;
	int status = boot_image_version(path, version, sizeof(version), &error);
	walled = false;
	ck_assert_msg(!status, "%s", error.message);
	ck_assert_str_eq(version, "6.10");
	no_mappings = true;
	status = boot_image_version(path, version, sizeof(version), &error);
	no_mappings = false;
	ck_assert_int_eq(status, -1);
	ck_assert_int_eq(error.system_errno, ENOMEM);
	ck_assert(!strncmp(error.message, path, strlen(path)));
}
END_TEST

/* The file's descriptor may be the first. */
START_TEST(image_without_standard_input)
{
	unsigned char image[IMAGE_BYTES] = { [0x20f] = 1, [0x300] = '6' };
	struct error error = { 0 };
	char version[32];

	memcpy(image + 0x202, "HdrS", 4);
	write_image(image, sizeof(image));
	int input = dup(STDIN_FILENO);
	close(STDIN_FILENO);
	int status = boot_image_version(path, version, sizeof(version), &error);
	bool still_open = fcntl(STDIN_FILENO, F_GETFD) >= 0;
	dup2(input, STDIN_FILENO);
	ck_assert_msg(!status, "%s", error.message);
	ck_assert(!still_open);
}
END_TEST

/* ---- payloads ----------------------------------------------------------------------------- */

struct note {
	const char *owner;
	uint32_t owner_bytes, type;
};

#define NOTES_MAX 3
#define PVH                                                                                        \
	{                                                                                          \
		"Xen", 4, 18                                                                       \
	}

struct payload_elf {
	Elf64_Ehdr header;
	Elf64_Phdr program[3];
	unsigned char notes[128];
	unsigned char rest[5000];
};

/* The notes are the second program header's, or of type. */
static void make_elf(const struct note *notes, uint32_t type, struct payload_elf *ret)
{
	size_t used = 0;

	*ret = (struct payload_elf) {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_EXEC,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_phoff = offsetof(struct payload_elf, program),
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 3 },
	};
	for (int i = 0; i < NOTES_MAX && notes[i].owner; i++) {
		Elf64_Nhdr *note = (Elf64_Nhdr *)(ret->notes + used);

		*note = (Elf64_Nhdr) { notes[i].owner_bytes, 8, notes[i].type };
		memcpy(note + 1, notes[i].owner, strlen(notes[i].owner));
		used += sizeof(*note) + (notes[i].owner_bytes + 3) / 4 * 4 + 8;
	}
	ret->program[0] = (Elf64_Phdr) { .p_type = PT_LOAD, .p_filesz = sizeof(*ret) };
	ret->program[1] = (Elf64_Phdr) { .p_type = type,
					 .p_offset = offsetof(struct payload_elf, notes),
					 .p_filesz = used };
	ret->program[2] = (Elf64_Phdr) { .p_type = PT_NOTE,
					 .p_offset = offsetof(struct payload_elf, rest) };
	for (size_t i = 0; i < sizeof(ret->rest); i++)
		ret->rest[i] = (unsigned char)(i * i >> 3);
}

static size_t pack(int (*filter)(struct archive *), const struct payload_elf *elf, void *ret,
		   size_t size)
{
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	size_t used;

	archive_write_set_format_raw(archive);
	archive_write_set_bytes_in_last_block(archive, 1);
	ck_assert_int_eq(filter(archive), ARCHIVE_OK);
	ck_assert_int_eq(archive_write_open_memory(archive, ret, size, &used), ARCHIVE_OK);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_pathname(entry, "vmlinux");
	ck_assert_int_eq(archive_write_header(archive, entry), ARCHIVE_OK);
	ck_assert_int_eq(archive_write_data(archive, elf, sizeof(*elf)), sizeof(*elf));
	archive_entry_free(entry);
	archive_write_close(archive);
	archive_write_free(archive);
	return used;
}

#define NOTES(...) .notes = { __VA_ARGS__ }

static const struct payload_case {
	const char *name;
	int (*filter)(struct archive *);
	struct note notes[NOTES_MAX];
	uint32_t type;
	unsigned protocol, setup_sectors;
	int cut; /* bytes of the payload that the length leaves out; below 0: more than is there */
	int missing;	     /* bytes of the file's end */
	const char *message; /* NULL: it is unpacked */
} payloads[] = {
#define PLAIN archive_write_add_filter_none
#define GZIP  archive_write_add_filter_gzip
	{ "plain", PLAIN, NOTES(PVH), .type = PT_NOTE, .protocol = 0x20f, .setup_sectors = 3 },
	{ "gzip", GZIP, NOTES(PVH), .type = PT_NOTE, .protocol = 0x20f, .setup_sectors = 27 },
	{ "xz", archive_write_add_filter_xz, NOTES(PVH), .type = PT_NOTE, .protocol = 0x20f,
	  .setup_sectors = 1 },
	{ "0_sectors_are_4", GZIP, NOTES(PVH), .type = PT_NOTE, .protocol = 0x20f },
	{ "first_protocol_with_a_payload", PLAIN, NOTES(PVH), .type = PT_NOTE, .protocol = 0x208,
	  .setup_sectors = 3 },
	{ "older_protocol", PLAIN, NOTES(PVH), .type = PT_NOTE, .protocol = 0x207,
	  .setup_sectors = 3, .message = "lies outside of it" },
	{ "longer_than_the_file", PLAIN, NOTES(PVH), .type = PT_NOTE, .protocol = 0x20f,
	  .setup_sectors = 3, .cut = -1, .message = "lies outside of it" },
	{ "file_without_its_last_byte", PLAIN, NOTES(PVH), .type = PT_NOTE, .protocol = 0x20f,
	  .setup_sectors = 3, .missing = 1, .message = "lies outside of it" },
	{ "only_a_tail", PLAIN, NOTES(PVH), .type = PT_NOTE, .protocol = 0x20f, .setup_sectors = 3,
	  .cut = sizeof(struct payload_elf), .message = "lies outside of it" },
	{ "one_byte", PLAIN, NOTES(PVH), .type = PT_NOTE, .protocol = 0x20f, .setup_sectors = 3,
	  .cut = sizeof(struct payload_elf) - 1, .message = "no PVH entry" },
	{ "cut_in_the_middle", GZIP, NOTES(PVH), .type = PT_NOTE, .protocol = 0x20f,
	  .setup_sectors = 3, .cut = 40, .message = "payload: " },
	{ "third_note", PLAIN, NOTES({ "GNU", 4, 3 }, { "Linux", 6, 18 }, PVH), .type = PT_NOTE,
	  .protocol = 0x20f, .setup_sectors = 3 },
	{ "no_note", PLAIN, NOTES({ NULL, 0, 0 }), .type = PT_NOTE, .protocol = 0x20f,
	  .setup_sectors = 3, .message = "no PVH entry" },
	{ "others_note_of_that_number", PLAIN, NOTES({ "GNU", 4, 18 }), .type = PT_NOTE,
	  .protocol = 0x20f, .setup_sectors = 3, .message = "no PVH entry" },
	{ "longer_name", PLAIN, NOTES({ "Xen\0x", 6, 18 }), .type = PT_NOTE, .protocol = 0x20f,
	  .setup_sectors = 3, .message = "no PVH entry" },
	{ "other_note_of_xen", PLAIN, NOTES({ "Xen", 4, 17 }), .type = PT_NOTE, .protocol = 0x20f,
	  .setup_sectors = 3, .message = "no PVH" },
	{ "notes_of_another_kind", PLAIN, NOTES(PVH), .type = PT_LOAD, .protocol = 0x20f,
	  .setup_sectors = 3, .message = "no PVH entry" },
};

static size_t make_image(const struct payload_case *c, const struct payload_elf *elf,
			 unsigned char *image, size_t size)
{
	size_t start = ((c->setup_sectors ? c->setup_sectors : 4) + 1) * SECTOR + 100;
	size_t bytes = pack(c->filter, elf, image + start, size - start - TAIL);
	uint32_t offset = 100, length = (uint32_t)(bytes + TAIL) - (uint32_t)c->cut;

	memcpy(image + 0x202, "HdrS", 4);
	image[0x1f1] = (unsigned char)c->setup_sectors;
	image[0x206] = (unsigned char)c->protocol;
	image[0x207] = (unsigned char)(c->protocol >> 8);
	memcpy(image + 0x248, &offset, sizeof(offset));
	memcpy(image + 0x24c, &length, sizeof(length));
	memset(image + start + bytes, 0xee, TAIL);
	return start + bytes + TAIL - (size_t)c->missing;
}

START_TEST(kernel_is_unpacked)
{
	const struct payload_case *c = &payloads[_i];
	unsigned char *image = calloc(1, 65536);
	struct error error = { 0 };
	struct payload_elf elf, back;
	int fd = -1, status;
	struct stat st;

	make_elf(c->notes, c->type, &elf);
	write_image(image, make_image(c, &elf, image, 65536));
	free(image);
	status = boot_image_unpack(path, &fd, &error);
	ck_assert_msg(!status == !c->message, "%s: %s", c->name, error.message);
	if (c->message) {
		ck_assert_msg(strstr(error.message, c->message) != NULL, "%s: %s", c->name,
			      error.message);
		ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
		ck_assert_int_eq(fd, -1);
		return;
	}
	ck_assert(!fstat(fd, &st));
	ck_assert_int_eq(st.st_size, sizeof(elf));
	ck_assert_int_eq(pread(fd, &back, sizeof(back), 0), sizeof(back));
	ck_assert_msg(!memcmp(&elf, &back, sizeof(elf)), "%s: other bytes", c->name);
	close(fd);
}
END_TEST

/* The notes may come first, and who has them last. */
START_TEST(notes_of_any_segment)
{
	static const struct payload_case c = {
		"any", PLAIN, { PVH }, PT_NOTE, 0x20f, 3, 0, 0, NULL
	};
	unsigned char *image = calloc(1, 65536);
	struct error error = { 0 };
	struct payload_elf elf;
	int fd = -1;

	for (int i = 0; i < 3; i++) {
		make_elf(c.notes, c.type, &elf);
		Elf64_Phdr notes = elf.program[1];
		elf.program[1] = elf.program[i];
		elf.program[i] = notes;
		memset(image, 0, 65536);
		write_image(image, make_image(&c, &elf, image, 65536));
		ck_assert_msg(!boot_image_unpack(path, &fd, &error), "%d: %s", i, error.message);
		close(fd);
	}
	free(image);
}
END_TEST

/* What failed leaves nothing open. */
START_TEST(failures_leave_nothing_open)
{
	unsigned char *image = calloc(1, 65536);
	struct error error = { 0 };
	struct payload_elf elf;
	int before = dup(STDIN_FILENO), fd = -1;

	close(before);
	for (int i = 0; i < COUNT(payloads); i++) {
		make_elf(payloads[i].notes, payloads[i].type, &elf);
		memset(image, 0, 65536);
		write_image(image, make_image(&payloads[i], &elf, image, 65536));
		if (!boot_image_unpack(path, &fd, &error))
			close(fd);
		ck_assert_int_eq(boot_image_unpack("/dev/null", &fd, &error), -1);
		int after = dup(STDIN_FILENO);
		ck_assert_msg(after == before, "%s", payloads[i].name);
		close(after);
	}
	free(image);
}
END_TEST

SUITE(boot_image, FIXTURE(set_up, tear_down), LOOP(version_is_the_first_word, versions),
      TEST(what_is_no_image), TEST(version_at_the_end_of_a_page), TEST(notes_of_any_segment),
      TEST(image_without_standard_input), LOOP(kernel_is_unpacked, payloads),
      TEST(failures_leave_nothing_open))
