/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_mapped_file.c - which file is opened where /proc/PID/map_files can't be
 *
 * The line is this program's own, with addresses at which nothing is mapped: so map_files has
 * nothing there, as if it was not permitted.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "walk/mapped_file.h"
#include "walk/image_store.h"

static char *text;
static struct maps_line own;

/* What maps says of the mapping at address. False: nothing. */
static bool find_line(const void *address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	size_t capacity = 0;
	bool found = false;

	ck_assert_ptr_nonnull(maps);
	while (!found && getline(&text, &capacity, maps) > 0)
		found = maps_line_parse(text, &own) && own.start <= (uintptr_t)address &&
			(uintptr_t)address < own.end;
	fclose(maps);
	own.start = 0x10000;
	own.end = 0x11000;
	return found;
}

/* ---- a line of maps ----------------------------------------------------------------------- */

static const struct {
	const char *name, *line;
	bool good;
	const char *path;
} lines[] = {
	{ "a_file", "1000-3000 r-xp 00002000 fd:1a 1234567 /bin/a program\n", true,
	  "/bin/a program" },
	{ "without_a_newline", "1000-3000 r-xp 00002000 fd:1a 1234567     /bin/x", true, "/bin/x" },
	{ "newlines", "1000-3000 r-xp 00002000 fd:1a 1234567 /x\\012/\\0121\\012\\011\n", true,
	  "/x\n/\n1\n\\011" },
	{ "anonymous", "1000-3000 r-xp 00002000 fd:1a 1234567 \n", true, "" },
	{ "no_inode", "1000-3000 r-xp 00002000 fd:1a\n", false, NULL },
	{ "of_one_byte", "2fff-3000 r-xp 00002000 fd:1a 1234567 \n", true, "" },
	{ "empty", "3000-3000 r-xp 00002000 fd:1a 1234567 \n", false, NULL },
	{ "backwards", "3001-3000 r-xp 00002000 fd:1a 1234567 \n", false, NULL },
	{ "nothing", "\n", false, NULL },
};

START_TEST(line_is_read)
{
	struct maps_line line;
	char copy[100];

	strcpy(copy, lines[_i].line);
	ck_assert_msg(maps_line_parse(copy, &line) == lines[_i].good, "%s", lines[_i].name);
	if (!lines[_i].good)
		return;
	ck_assert_uint_eq(line.start, _i == 5 ? 0x2fff : 0x1000);
	ck_assert_uint_eq(line.end, 0x3000);
	ck_assert_str_eq(line.permissions, "r-xp");
	ck_assert_uint_eq(line.offset, 0x2000);
	ck_assert_uint_eq(line.major, 0xfd);
	ck_assert_uint_eq(line.minor, 0x1a);
	ck_assert_uint_eq(line.inode, 1234567);
	ck_assert_str_eq(line.path, lines[_i].path);
}
END_TEST

/* ---- the vDSO ----------------------------------------------------------------------------- */

/* Bytes of this program's own in its place: as many as a vDSO may have, and one more. */
START_TEST(vdso_is_of_some_size)
{
	const size_t size = (256u << 10) + _i;
	char *bytes = calloc(1, size), expected[64];
	const struct maps_line line = { .start = (uintptr_t)bytes, .end = (uintptr_t)bytes + size };
	struct error error = { 0 };

	ck_assert_ptr_null(mapped_vdso_open(getpid(), &line, &error));
	snprintf(expected, sizeof(expected), _i ? "a vDSO of %zu bytes" : "not an ELF file", size);
	ck_assert_str_eq(error.message, expected);
	ck_assert_int_eq(error.code, _i ? ERROR_UNSUPPORTED_ELF : ERROR_NOT_ELF);
	free(bytes);
}
END_TEST

START_TEST(vdso_that_is_not_there)
{
	const struct maps_line line = { .start = 0x1000, .end = 0x2000 };
	struct error error = { 0 };
	char expected[64];

	ck_assert_ptr_null(mapped_vdso_open(getpid(), &line, &error));
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_int_eq(error.system_errno, EFAULT);
	snprintf(expected, sizeof(expected), "reading the vDSO of process %d", getpid());
	ck_assert_ptr_eq(strstr(error.message, expected), error.message);
}
END_TEST

/* ---- files -------------------------------------------------------------------------------- */

static const struct {
	const char *name, *path;
	unsigned int minor;
	uint64_t inode;
	bool opened;
	int system_errno;
} files[] = {
	{ "the_one_that_is_mapped", NULL, 0, 0, true, 0 },
	{ "another_by_its_name", "/bin/true", 0, 0, false, ENOENT },
	{ "of_the_same_number_elsewhere", NULL, 1, 0, false, ENOENT },
	{ "of_another_number", NULL, 0, 1, false, ENOENT },
	{ "none_by_that_name", "/nonexistent/file", 0, 0, false, ENOENT },
	{ "a_folder", "/", 0, 0, false, ENOENT },
	{ "a_name_with_more", "/bin/true (deleted)", 0, 0, false, ENOENT },
};

START_TEST(only_what_is_mapped)
{
	struct error error = { 0 };
	struct image *image;
	struct maps_line line;
	struct file_version version;

	ck_assert(find_line(find_line));
	line = own;
	if (files[_i].path)
		line.path = (char *)files[_i].path;
	line.minor += files[_i].minor;
	line.inode += files[_i].inode;
	image = mapped_file_open(getpid(), &line, &error);
	ck_assert_int_eq(image != NULL, files[_i].opened);
	if (image) {
		ck_assert_str_eq(image->path, own.path);
		version = mapped_file_version(getpid(), &line);
		ck_assert_uint_eq(version.inode, own.inode);
		ck_assert_uint_gt(version.size, 0);
	} else {
		ck_assert_int_eq(error.code, ERROR_SYSTEM);
		ck_assert_int_eq(error.system_errno, files[_i].system_errno);
	}
	image_destroy(image);
}
END_TEST

/* Device and inode are the line's; the rest is of the file, if it is that one. */
START_TEST(version_is_the_mapped_file_s)
{
	struct file_version version;
	struct stat file;

	ck_assert(find_line(find_line) && !stat("/proc/self/exe", &file));
	own.major += _i;
	version = mapped_file_version(getpid(), &own);
	ck_assert_uint_eq(version.device, makedev(own.major, own.minor));
	ck_assert_uint_eq(version.inode, own.inode);
	ck_assert_uint_eq(version.size, file.st_size);
	ck_assert_uint_eq(version.modified_ns, file_version(&file).modified_ns);
	own.inode++;
	version = mapped_file_version(getpid(), &own);
	ck_assert_uint_eq(version.inode, own.inode);
	ck_assert_uint_eq(version.size, 0);
	ck_assert_uint_eq(version.modified_ns, 0);
}
END_TEST

START_TEST(what_is_no_elf_is_said)
{
	char path[] = "/tmp/mapped.XXXXXX";
	int fd = mkstemp(path);
	struct error error = { 0 };
	void *page;

	ck_assert_int_ge(fd, 0);
	ck_assert(!ftruncate(fd, 4096));
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	ck_assert_ptr_ne(page, MAP_FAILED);
	ck_assert(find_line(page));
	ck_assert_ptr_null(mapped_file_open(getpid(), &own, &error));
	ck_assert_int_eq(error.code, ERROR_NOT_ELF);
	unlink(path);
	close(fd);
}
END_TEST

/* This program by a file system whose stat(2) and maps need not agree. False: can't be had. */
static bool mount_overlay(char *folder)
{
	char options[256], upper[64], work[64];

	snprintf(upper, sizeof(upper), "%s/upper", folder);
	snprintf(work, sizeof(work), "%s/work", folder);
	snprintf(options, sizeof(options), "lowerdir=/usr/bin,upperdir=%s,workdir=%s", upper, work);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", folder, "tmpfs", 0, NULL) || mkdir(upper, 0700) || mkdir(work, 0700))
		return false;
	return !mount("overlay", "/usr/bin", "overlay", 0, options);
}

START_TEST(by_an_overlay)
{
	char folder[] = "/tmp/mapped.XXXXXX";
	struct error error = { 0 };
	struct image *image;
	void *page;
	int fd;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	if (!mount_overlay(folder)) {
		printf("SKIP: no overlay: %s\n", strerror(errno));
		rmdir(folder);
		return;
	}
	fd = open("/usr/bin/env", O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	ck_assert_ptr_ne(page, MAP_FAILED);
	ck_assert(find_line(page));
	image = mapped_file_open(getpid(), &own, &error);
	ck_assert_msg(image != NULL, "%s", error.message);
	image_destroy(image);
	own.inode++;
	ck_assert_ptr_null(mapped_file_open(getpid(), &own, &error));
	umount2("/usr/bin", MNT_DETACH);
	umount2(folder, MNT_DETACH);
	rmdir(folder);
}
END_TEST

SUITE(mapped_file, LOOP(line_is_read, lines), TIMES(vdso_is_of_some_size, 2),
      TEST(vdso_that_is_not_there), TIMES(version_is_the_mapped_file_s, 2),
      LOOP(only_what_is_mapped, files), TEST(what_is_no_elf_is_said), TEST(by_an_overlay))
