/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_initramfs.c - the archive read back: everything that /bin/ls needs is in it, once
 *
 * What a program needs is told by the loader itself (`ld.so --list`), not by the code under test.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "guests/vm/frame.h"
#include "guests/vm/guest_files.h"
#include "guests/vm/initramfs.h"

#define LOADER "/lib64/ld-linux-x86-64.so.2"

struct entry {
	char name[PATH_MAX];
	mode_t mode;
	dev_t device;
	unsigned int links;
	time_t time;
	char *data;
	size_t size;
};

struct archive_content {
	struct entry entry[256];
	size_t count;
};

static struct archive_content *read_back(int fd)
{
	struct archive_content *ret = calloc(1, sizeof(*ret));
	struct archive *archive = archive_read_new();
	struct archive_entry *header;

	archive_read_support_format_cpio(archive);
	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	ck_assert_int_eq(archive_read_open_fd(archive, fd, 65536), ARCHIVE_OK);
	while (archive_read_next_header(archive, &header) == ARCHIVE_OK) {
		struct entry *entry = &ret->entry[ret->count++];

		ck_assert_uint_lt(ret->count, 256);
		snprintf(entry->name, sizeof(entry->name), "/%s", archive_entry_pathname(header));
		entry->mode = archive_entry_mode(header);
		entry->device = archive_entry_rdev(header);
		entry->links = archive_entry_nlink(header);
		entry->time = archive_entry_mtime(header);
		/* A symbolic link's size is that of its target. */
		entry->size = S_ISREG(entry->mode) ? (size_t)archive_entry_size(header) : 0;
		entry->data = malloc(entry->size + 1);
		ck_assert_int_eq(archive_read_data(archive, entry->data, entry->size),
				 (int)entry->size);
	}
	archive_read_free(archive);
	return ret;
}

/* The one entry of that name. */
static const struct entry *find(const struct archive_content *content, const char *path)
{
	const struct entry *found = NULL;
	struct error error;
	char place[PATH_MAX];

	ck_assert_int_eq(guest_path_normalise(path, place, sizeof(place), &error), 0);
	for (size_t i = 0; i < content->count; i++) {
		if (strcmp(content->entry[i].name, place))
			continue;
		ck_assert_msg(!found, "%s is there twice", path);
		found = &content->entry[i];
	}
	ck_assert_msg(found != NULL, "%s is not in the archive", path);
	return found;
}

static void content_free(struct archive_content *content)
{
	for (size_t i = 0; i < content->count; i++)
		free(content->entry[i].data);
	free(content);
}

static int pack(const struct guest_file *files, size_t count, const struct guest_command *commands,
		size_t command_count, int *ret_fd, struct error *error)
{
	const struct guest_options options = { .files = files,
					       .file_count = count,
					       .commands = commands,
					       .command_count = command_count };

	return initramfs_build(&options, ret_fd, error);
}

static struct archive_content *build(const struct guest_file *files, size_t count)
{
	static char *const argv[] = { "/bin/ls", "-l", "", NULL };
	static const struct guest_command command = { .argv = argv, .timeout_ms = 1500 };
	struct archive_content *content;
	struct error error = { 0 };
	int fd = -1;

	/* Any file will do for /init. */
	setenv("STACKPROOF_GUEST_INIT", "/proc/self/exe", 1);
	ck_assert_msg(!pack(files, count, &command, 1, &fd, &error), "%s", error.message);
	content = read_back(fd);
	close(fd);
	return content;
}

START_TEST(libraries_of_ls_are_there)
{
	static const struct guest_file file = { .host_path = "/bin/ls" };
	struct archive_content *content = build(&file, 1);
	FILE *list = popen(LOADER " --list /bin/ls", "r");
	char line[1024], path[512];
	unsigned libraries = 0;

	ck_assert_ptr_nonnull(list);
	while (fgets(line, sizeof(line), list)) {
		char *slash = strchr(line, '/');

		if (!slash || sscanf(slash, "%511s", path) != 1)
			continue; /* the vDSO */
		find(content, path);
		libraries++;
	}
	pclose(list);
	ck_assert_uint_ge(libraries, 2); /* libc and the loader at least */
	ck_assert(find(content, "/bin/ls")->mode & 0111);
	ck_assert_uint_gt(find(content, LOADER)->size, 100000);
	content_free(content);
}
END_TEST

START_TEST(content_is_the_files_own)
{
	static const struct guest_file file = { .host_path = "/bin/ls",
						.guest_path = "/somewhere/else/ls" };
	struct archive_content *content = build(&file, 1);
	const struct entry *entry = find(content, "/somewhere/else/ls");
	FREED char *data = malloc(entry->size);
	FILE *ls = fopen("/bin/ls", "r");

	ck_assert_uint_eq(fread(data, 1, entry->size, ls), entry->size);
	ck_assert_int_eq(fgetc(ls), EOF);
	ck_assert_mem_eq(data, entry->data, entry->size);
	ck_assert(S_ISDIR(find(content, "/somewhere")->mode));
	ck_assert(S_ISDIR(find(content, "/somewhere/else")->mode));
	fclose(ls);
	content_free(content);
}
END_TEST

START_TEST(duplicates_are_there_once)
{
	static const struct guest_file files[] = {
		{ .host_path = "/bin/ls" },
		{ .host_path = "/usr/bin/ls" },
		{ .host_path = "/bin/../bin/./ls", .guest_path = "/bin/ls" },
		{ .host_path = "/bin/cat" },
	};
	struct archive_content *content = build(files, 4);

	find(content, "/bin/ls");
	find(content, "/lib/x86_64-linux-gnu/libc.so.6");
	find(content, "/usr");
	content_free(content);
}
END_TEST

/* What init is told of two commands, and where; all that a guest has, and how. */
START_TEST(skeleton_is_there)
{
	static const char told[] = "1500\0/\0000\0000\0003\0/bin/ls\0-l\0\0"
				   "0\0/tmp/x\0001\0001\0/out\0name\0001\0/bin/cat";
	static const struct guest_copy copy = { "/out", "name" };
	static char *const first[] = { "/bin/ls", "-l", "", NULL }, *const second[] = { "/bin/cat",
											NULL };
	static const struct guest_command commands[] = {
		{ .argv = first, .timeout_ms = 1500 },
		{ .argv = second,
		  .directory = "/tmp/x",
		  .wants_files = true,
		  .copies = &copy,
		  .copy_count = 1 },
	};
	static const char *const directories[] = { "/dev",  "/proc", "/sys",	 "/tmp", "/run",
						   "/root", "/etc",  "/var/tmp", "/var" };
	struct error error = { 0 };
	char target[PATH_MAX];
	int fd = -1;

	setenv("STACKPROOF_GUEST_INIT", "/proc/self/exe", 1);
	ck_assert(!pack(NULL, 0, commands, 2, &fd, &error));
	struct archive_content *content = read_back(fd);
	const struct entry *list = find(content, FRAME_COMMANDS_PATH);

	close(fd);
	ck_assert_uint_eq(find(content, "/dev/console")->mode, S_IFCHR | 0600);
	ck_assert_uint_eq(find(content, "/dev/console")->device, makedev(5, 1));
	ck_assert(S_ISREG(find(content, "/init")->mode));
	if (!access("/etc/ld.so.cache", R_OK))
		ck_assert(S_ISREG(find(content, "/etc/ld.so.cache")->mode));
	ck_assert_uint_eq(list->mode, S_IFREG | 0444);
	ck_assert_uint_eq(list->size, sizeof(told));
	ck_assert_mem_eq(list->data, told, sizeof(told));
	for (size_t i = 0; i < sizeof(directories) / sizeof(*directories); i++)
		ck_assert_uint_eq(find(content, directories[i])->mode, S_IFDIR | 0755);
	for (size_t i = 0; i < content->count; i++) {
		const struct entry *entry = &content->entry[i];

		ck_assert_int_eq(entry->time, 0);
		ck_assert_uint_eq(entry->links, S_ISDIR(entry->mode) ? 2 : 1);
		ck_assert(entry->device == 0 || S_ISCHR(entry->mode));
		ck_assert(!S_ISLNK(entry->mode) || entry->mode == (S_IFLNK | 0777));
	}
	for (size_t i = 0; guest_link_name(i); i++) {
		size_t found = 0;

		for (size_t k = 0; k < content->count; k++)
			found += content->entry[k].name[0] == '/' &&
				 !strcmp(content->entry[k].name + 1, guest_link_name(i));
		ck_assert_uint_eq(found,
				  !guest_link_target(guest_link_name(i), target, sizeof(target)));
	}
	content_free(content);
}
END_TEST

/* A guest with another system: this program comes as it runs there, files as they are, each in its place. */
START_TEST(what_a_root_gets)
{
	static const struct guest_file file = { .host_path = "/bin/ls",
						.guest_path = "/opt/../bin/x" };
	const struct guest_options options = { .files = &file, .file_count = 1, .root = "/" };
	struct error error = { 0 };
	size_t found = 0;
	int fd = -1;

	setenv("STACKPROOF_GUEST_INIT", "/proc/self/exe", 1);
	ck_assert_msg(!initramfs_build(&options, &fd, &error), "%s", error.message);
	struct archive_content *content = read_back(fd);

	close(fd);
	ck_assert_uint_eq(find(content, FRAME_ROOT_PATH)->mode, S_IFDIR | 0755);
	ck_assert(S_ISREG(find(content, FRAME_OWN_PATH "/stackproof")->mode));
	ck_assert(S_ISREG(find(content, FRAME_OWN_PATH "/ld")->mode));
	ck_assert(S_ISREG(find(content, FRAME_OWN_PATH "/libc.so.6")->mode));
	ck_assert(S_ISREG(find(content, FRAME_FILES_PATH "/bin/x")->mode));
	/* The root has libraries of its own. */
	for (size_t i = 0; i < content->count; i++)
		found += strstr(content->entry[i].name, "libc.so.6") != NULL ||
			 strstr(content->entry[i].name, "ld.so.cache") != NULL;
	ck_assert_uint_eq(found, 1);
	content_free(content);
}
END_TEST

static const struct guest_file above = { .host_path = "/bin/ls", .guest_path = "/../init" };

START_TEST(nothing_goes_above_a_root)
{
	const struct guest_options options = { .files = &above, .file_count = 1, .root = "/" };
	struct error error = { 0 };
	int fd = -1;

	ck_assert_int_eq(initramfs_build(&options, &fd, &error), -1);
	ck_assert_str_eq(error.message, "/../init: a path above the guest's root");
}
END_TEST

/* ---- what goes wrong ---------------------------------------------------------------------- */

static off_t shorter; /* by so much than it is every file seems */

int fstat(int fd, struct stat *ret)
{
	int status = (int)syscall(SYS_newfstatat, fd, "", ret, AT_EMPTY_PATH);

	if (!status && ret->st_size > shorter)
		ret->st_size -= shorter;
	return status;
}

/* One that grows while it is read, behind what is copied at once. */
START_TEST(file_that_grows)
{
	char path[] = "/tmp/test_initramfs.XXXXXX", expected[128];
	const struct guest_file file = { .host_path = path, .guest_path = "/f" };
	struct error error = { 0 };
	int fd = mkstemp(path), archive = -1;

	ck_assert(fd >= 0 && !ftruncate(fd, 300000));
	close(fd);
	setenv("STACKPROOF_GUEST_INIT", path, 1);
	shorter = 1;
	int status = pack(&file, 1, NULL, 0, &archive, &error);
	shorter = 0;
	unlink(path);
	ck_assert_int_eq(status, -1);
	ck_assert_int_eq(archive, -1);
	snprintf(expected, sizeof(expected), "%s changed while it was read", path);
	ck_assert_str_eq(error.message, expected);
	ck_assert_uint_eq(error.offset, 262144);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
}
END_TEST

/* The lowest descriptor that is free. */
static int next_descriptor(void)
{
	int fd = dup(STDIN_FILENO);

	close(fd);
	return fd;
}

/* A limit stands in for memory that is full: at the first byte, in the middle, at the last one. */
START_TEST(archive_that_does_not_fit)
{
	static const struct guest_file file = { .host_path = "/bin/ls" };
	struct error error = { 0 };
	struct rlimit limit;
	int fd = -1, before;

	setenv("STACKPROOF_GUEST_INIT", "/proc/self/exe", 1);
	before = next_descriptor();
	ck_assert(!pack(&file, 1, NULL, 0, &fd, &error));
	const off_t size = lseek(fd, 0, SEEK_END);
	close(fd);
	fd = -1;
	signal(SIGXFSZ, SIG_IGN);
	ck_assert(!getrlimit(RLIMIT_FSIZE, &limit));
	for (int i = 0; i < 3; i++) {
		limit.rlim_cur = (rlim_t)(i ? size / 2 * i - (i == 2) : 0);
		ck_assert(!setrlimit(RLIMIT_FSIZE, &limit));
		error = (struct error) { 0 };
		int status = pack(&file, 1, NULL, 0, &fd, &error);
		limit.rlim_cur = limit.rlim_max;
		ck_assert(!setrlimit(RLIMIT_FSIZE, &limit));
		ck_assert_int_eq(status, -1);
		ck_assert_int_eq(fd, -1);
		ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
		ck_assert_msg(!strncmp(error.message, "initramfs: ", 11) &&
				      strstr(error.message, ": Write error"),
			      "%s", error.message);
		/* Only what is left at the end is written when it is closed. */
		ck_assert_int_eq(!strncmp(error.message, "initramfs: close: ", 18), i == 2);
		ck_assert_int_eq(next_descriptor(), before);
	}
}
END_TEST

START_TEST(init_that_is_not_there)
{
	char self[PATH_MAX], expected[PATH_MAX + 128];
	struct error error = { 0 };
	int fd = -1;

	setenv("STACKPROOF_GUEST_INIT", "/nowhere/init", 1);
	ck_assert_int_eq(pack(NULL, 0, NULL, 0, &fd, &error), -1);
	ck_assert_str_eq(error.message,
			 "the guest's init, /nowhere/init (STACKPROOF_GUEST_INIT): No "
			 "such file or directory");
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	/* Else it is beside this program; whatever that is, none is here. */
	ck_assert_ptr_nonnull(realpath("/proc/self/exe", self));
	*strrchr(self, '/') = '\0';
	snprintf(expected, sizeof(expected), "the guest's init, %.150s/guest_init", self);
	for (int i = 0; i < 2; i++) {
		if (i)
			unsetenv("STACKPROOF_GUEST_INIT");
		else
			setenv("STACKPROOF_GUEST_INIT", "", 1);
		ck_assert_int_eq(pack(NULL, 0, NULL, 0, &fd, &error), -1);
		ck_assert_msg(!strncmp(error.message, expected, strlen(self) + 18), "%s",
			      error.message);
	}
	ck_assert_int_eq(fd, -1);
}
END_TEST

struct failure_case {
	const char *name;
	struct guest_file file;
	const char *message; /* part of it */
};

static const struct failure_case failures[] = {
	{ "missing_file", { .host_path = "/nonexistent/file" }, "No such file" },
	/* sysfs says that each of its files has a page. */
	{ "file_that_ends_before_its_size",
	  { .host_path = "/sys/kernel/mm/transparent_hugepage/enabled", .guest_path = "/enabled" },
	  "changed while it was read" },
	{ "device", { .host_path = "/dev/null" }, "not a regular file" },
};

START_TEST(bad_file_is_an_error)
{
	struct error error = { 0 };
	int fd = -1;

	setenv("STACKPROOF_GUEST_INIT", "/proc/self/exe", 1);
	ck_assert_int_eq(pack(&failures[_i].file, 1, NULL, 0, &fd, &error), -1);
	ck_assert_msg(strstr(error.message, failures[_i].message) != NULL, "%s: %s",
		      failures[_i].name, error.message);
}
END_TEST

/* A directory: files, links as links, empty directories; and relative paths are the working
 * directory's. */
START_TEST(directory_comes_with_its_contents)
{
	char folder[] = "/tmp/test_initramfs.XXXXXX", path[128], command[128];
	struct guest_file files[] = { { .host_path = "dir" },
				      { .host_path = "dir/a", .guest_path = "b" },
				      { .host_path = "dir", .guest_path = "/" } };

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(command, sizeof(command),
		 "cd %s && mkdir -p dir/empty && echo x >dir/a && ln -s ../nowhere dir/l && mkfifo "
		 "dir/p",
		 folder);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(chdir(folder), 0);
	struct archive_content *content = build(files, 3);
	ck_assert_int_eq(chdir("/"), 0);
	snprintf(path, sizeof(path), "%s/dir/a", folder);
	ck_assert_uint_eq(find(content, path)->size, 2);
	snprintf(path, sizeof(path), "%s/b", folder);
	ck_assert_uint_eq(find(content, path)->size, 2);
	ck_assert_uint_eq(find(content, "/a")->size, 2);
	snprintf(path, sizeof(path), "%s/dir/empty", folder);
	ck_assert(S_ISDIR(find(content, path)->mode));
	snprintf(path, sizeof(path), "%s/dir/l", folder);
	ck_assert(S_ISLNK(find(content, path)->mode));
	snprintf(path, sizeof(path), "%s/dir/p", folder);
	for (size_t i = 0; i < content->count; i++)
		ck_assert_str_ne(content->entry[i].name, path);
	content_free(content);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

/* Each bit of a file's mode, as far as one may set it. */
START_TEST(modes_are_the_files_own)
{
	char path[] = "/tmp/test_initramfs.XXXXXX";
	const struct guest_file file = { .host_path = path, .guest_path = "/f" };
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	for (int bit = 0; bit < 12; bit++) {
		struct archive_content *content;
		struct stat st;

		/* Who makes it must be able to read it. */
		ck_assert(!fchmod(fd, 0400 | 1u << bit) && !fstat(fd, &st));
		content = build(&file, 1);
		ck_assert_uint_eq(find(content, "/f")->mode, st.st_mode);
		content_free(content);
	}
	close(fd);
	unlink(path);
}
END_TEST

START_TEST(script_brings_its_interpreter)
{
	char path[] = "/tmp/test_initramfs.XXXXXX";
	struct guest_file file = { .host_path = path, .guest_path = "/script" };
	struct archive_content *content;
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "#! /bin/sh -e\nexit 0\n", 21), 21);
	close(fd);
	content = build(&file, 1);
	unlink(path);
	find(content, "/bin/sh");
	find(content, LOADER);
	content_free(content);
}
END_TEST

/* Programs that need a library whose name musl's loader has for itself: a loader of that name
 * and another. */
static const struct {
	const char *name, *loader, *library;
	bool found;
} of_musl[] = {
	{ "in_the_loader", "ld-musl-x86_64.so.1", "libxnet.so", true },
	{ "not_in_the_loader", "ld-musl-x86_64.so.1", "libnowhere.so", false },
	{ "another_name", "ld-musl-x86_64.so.1", "libcold.so", false },
	{ "another_loader", "ld-linux.so", "libxnet.so", false },
};

START_TEST(library_in_the_loader)
{
	static const char make[] =
		"cd %s && cp " LOADER
		" %s && echo 'void f(void) {} int main(void) { f(); return 0; }' >a.c && "
		"gcc-12 -shared -fPIC -o %s a.c -Wl,-soname=%s && sed -i 's/void f(void) {}/void "
		"f(void);/' a.c && "
		"gcc-12 -o a a.c -nodefaultlibs ./%s -Wl,--dynamic-linker=%s/%s -nostartfiles "
		"-Wl,-e,main && rm %s";
	char folder[] = "/tmp/test_initramfs.XXXXXX", path[64], command[2048];
	struct guest_file file = { .host_path = path };
	const char *loader = of_musl[_i].loader, *library = of_musl[_i].library;
	struct error error = { 0 };
	int fd = -1, status;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a", folder);
	snprintf(command, sizeof(command), make, folder, loader, library, library, library, folder,
		 loader, library);
	ck_assert_msg(!system(command), "%s", command);
	setenv("STACKPROOF_GUEST_INIT", "/proc/self/exe", 1);
	status = pack(&file, 1, NULL, 0, &fd, &error);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert(!system(command));
	ck_assert_msg(!status == of_musl[_i].found, "%s: %s", of_musl[_i].name, error.message);
	ck_assert_msg(!status || strstr(error.message, library) != NULL, "%s", error.message);
}
END_TEST

SUITE(initramfs, TEST(libraries_of_ls_are_there), TEST(content_is_the_files_own),
      TEST(duplicates_are_there_once), TEST(skeleton_is_there), TEST(what_a_root_gets),
      TEST(nothing_goes_above_a_root), TEST(file_that_grows), TEST(archive_that_does_not_fit),
      TEST(init_that_is_not_there), TEST(modes_are_the_files_own),
      TEST(script_brings_its_interpreter), TEST(directory_comes_with_its_contents),
      LOOP(library_in_the_loader, of_musl), LOOP(bad_file_is_an_error, failures))
