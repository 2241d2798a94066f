/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * initramfs.c - files and commands -> the archive that a guest boots into
 *
 * A cpio archive in the newc format (Documentation/driver-api/early-userspace/buffer-format.rst),
 * written by libarchive: every file with its interpreter and libraries (guest_files.c), the
 * directories above them, the host's top-level links of merged /usr, mount points, /dev/console
 * (the kernel opens it for process 1 before anything is mounted), the loader's cache, the command
 * list and /init.
 *
 * A guest whose root is a system on its disk gets files for it below FRAME_FILES_PATH, and this program below
 * FRAME_OWN_PATH (own_program.c): guest_init_root.c puts them into the root.
 *
 * Uncompressed, because QEMU copies faster than an emulated CPU inflates: 50 MB more cost a guest
 * 0.0 to 0.6 s as they are, 1.2 to 1.5 s with gzip or zstd. All times are 0, so the same input
 * gives the same bytes.
 */
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "freed.h"
#include "array.h"
#include "base/child/child.h"
#include "frame.h"
#include "guest_files.h"
#include "initramfs.h"
#include "own_program.h"

#define COPY_BYTES   (256u << 10)
#define LOADER_CACHE "/etc/ld.so.cache"

struct writer {
	struct archive *archive;
	char **directory; /* written already */
	size_t directory_count;
	struct error *error;
};

static int write_error(struct writer *writer, const char *name)
{
	return error_set(writer->error, ERROR_UNAVAILABLE, "", 0, "initramfs: %.100s: %.100s", name,
			 archive_error_string(writer->archive));
}

/* Writes an entry's header. name begins with '/', in the archive it does not. */
static int write_header(struct writer *writer, const char *name, mode_t mode, int64_t size,
			const char *link_target, dev_t device)
{
	struct archive_entry *entry = archive_entry_new();
	int ret;

	if (!entry)
		return error_set(writer->error, ERROR_MEMORY, "", 0, "out of memory");
	archive_entry_set_pathname(entry, name + 1);
	archive_entry_set_mode(entry, mode);
	archive_entry_set_size(entry, size);
	archive_entry_set_mtime(entry, 0, 0);
	archive_entry_set_nlink(entry, S_ISDIR(mode) ? 2 : 1);
	if (link_target)
		archive_entry_set_symlink(entry, link_target);
	if (device)
		archive_entry_set_rdev(entry, device);
	ret = archive_write_header(writer->archive, entry) == ARCHIVE_OK ? 0 : -1;
	archive_entry_free(entry);
	return ret ? write_error(writer, name) : 0;
}

static int write_directory(struct writer *writer, const char *name);

static int write_parents(struct writer *writer, const char *name)
{
	char parent[PATH_MAX];

	snprintf(parent, sizeof(parent), "%.*s", (int)(strrchr(name, '/') - name), name);
	return *parent ? write_directory(writer, parent) : 0;
}

/* Writes directory name and everything above it, each once. */
static int write_directory(struct writer *writer, const char *name)
{
	for (size_t i = 0; i < writer->directory_count; i++) {
		if (!strcmp(writer->directory[i], name))
			return 0;
	}
	if (write_parents(writer, name))
		return -1;
	if (!ARRAY_GROW(writer->directory, writer->directory_count) ||
	    !(writer->directory[writer->directory_count] = strdup(name)))
		return error_set(writer->error, ERROR_MEMORY, "", 0, "out of memory");
	writer->directory_count++;
	return write_header(writer, name, S_IFDIR | 0755, 0, NULL, 0);
}

static int write_bytes(struct writer *writer, const char *name, mode_t mode, const void *data,
		       size_t size)
{
	if (write_header(writer, name, S_IFREG | mode, (int64_t)size, NULL, 0))
		return -1;
	if (archive_write_data(writer->archive, data, size) != (ssize_t)size)
		return write_error(writer, name);
	return 0;
}

/* Copies the file's size bytes; a file that changes meanwhile is an error, not a torn archive. */
static int write_content(struct writer *writer, int fd, int64_t size, const char *name)
{
	FREED char *buffer = malloc(COPY_BYTES);
	int64_t done = 0;
	int ret = 0;

	if (!buffer)
		return error_set(writer->error, ERROR_MEMORY, "", 0, "out of memory");
	while (done < size && !ret) {
		ssize_t n = read(fd, buffer, COPY_BYTES);

		if (n <= 0 || n > size - done)
			ret = error_set(writer->error, ERROR_UNAVAILABLE, "", (uint64_t)done,
					"%.150s changed while it was read", name);
		else if (archive_write_data(writer->archive, buffer, (size_t)n) != n)
			ret = write_error(writer, name);
		else
			done += n;
	}
	return ret;
}

static int write_file(struct writer *writer, const char *host, const char *guest)
{
	int ret = -1;
	FD_CLOSED int fd = open(host, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		error_set_errno(writer->error, "can't read %.150s", host);
		goto out;
	}
	ret = write_parents(writer, guest);
	if (!ret)
		ret = write_header(writer, guest, S_IFREG | (st.st_mode & 07777), st.st_size, NULL,
				   0);
	if (!ret)
		ret = write_content(writer, fd, st.st_size, host);
out:
	return ret;
}

/* What every guest has. */
static int write_skeleton(struct writer *writer)
{
	static const char *const directory[] = { "/dev", "/proc", "/sys", "/tmp",
						 "/run", "/root", "/etc", "/var/tmp" };
	char target[PATH_MAX], name[16];

	for (size_t i = 0; i < sizeof(directory) / sizeof(*directory); i++) {
		if (write_directory(writer, directory[i]))
			return -1;
	}
	for (size_t i = 0; guest_link_name(i); i++) {
		if (guest_link_target(guest_link_name(i), target, sizeof(target)))
			continue;
		snprintf(name, sizeof(name), "/%s", guest_link_name(i));
		if (write_header(writer, name, S_IFLNK | 0777, 0, target, 0))
			return -1;
	}
	return write_header(writer, "/dev/console", S_IFCHR | 0600, 0, NULL, makedev(5, 1));
}

static int write_commands(struct writer *writer, const struct guest_command *commands, size_t count)
{
	FREED char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return error_set(writer->error, ERROR_MEMORY, "", 0, "out of memory");
	for (size_t i = 0; i < count; i++) {
		size_t argc = 0;

		while (commands[i].argv[argc])
			argc++;
		fprintf(file, "%u%c%s%c%d%c%zu%c", commands[i].timeout_ms, 0,
			commands[i].directory ? commands[i].directory : "/", 0,
			commands[i].wants_files, 0, commands[i].copy_count, 0);
		for (size_t c = 0; c < commands[i].copy_count; c++)
			fprintf(file, "%s%c%s%c", commands[i].copies[c].path, 0,
				commands[i].copies[c].name, 0);
		fprintf(file, "%zu%c", argc, 0);
		for (size_t a = 0; a < argc; a++)
			fprintf(file, "%s%c", commands[i].argv[a], 0);
	}
	if (fclose(file))
		return error_set(writer->error, ERROR_MEMORY, "", 0, "out of memory");
	return write_bytes(writer, FRAME_COMMANDS_PATH, 0444, text, size);
}

/* The guest's init lies next to this program, unless the environment says otherwise. */
static int find_init(char *ret, size_t size, struct error *error)
{
	const char *wanted = getenv("STACKPROOF_GUEST_INIT");

	if (wanted && *wanted)
		snprintf(ret, size, "%s", wanted);
	else if (child_beside("guest_init", ret, size, error))
		return -1;
	if (access(ret, R_OK))
		return error_set_errno(error, "the guest's init, %.150s (STACKPROOF_GUEST_INIT)",
				       ret);
	return 0;
}

static int write_path(struct writer *writer, const struct guest_path *path)
{
	if (path->host)
		return write_file(writer, path->host, path->guest);
	if (!path->guest[0])
		return 0; /* "/" */
	if (!path->link)
		return write_directory(writer, path->guest);
	return write_parents(writer, path->guest) ||
			       write_header(writer, path->guest, S_IFLNK | 0777, 0, path->link, 0)
		       ? -1
		       : 0;
}

static int write_paths(struct writer *writer, const struct guest_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		if (write_path(writer, &files->file[i]))
			return -1;
	return 0;
}

/* What the disk's system lacks: this program. */
static int write_for_root(struct writer *writer)
{
	struct own_program own = { 0 };
	int ret = -1;

	if (!own_program_collect(&own, writer->error) &&
	    !write_directory(writer, FRAME_ROOT_PATH) && !write_directory(writer, FRAME_OWN_PATH) &&
	    !write_bytes(writer, FRAME_OWN_PATH "/stackproof", 0755, own.data, own.size))
		ret = write_paths(writer, &own.files);
	own_program_deinit(&own);
	return ret;
}

static int write_all(struct writer *writer, const struct guest_files *files,
		     const struct guest_options *options)
{
	char init[PATH_MAX];

	if (find_init(init, sizeof(init), writer->error) || write_skeleton(writer) ||
	    write_file(writer, init, "/init") ||
	    write_commands(writer, options->commands, options->command_count))
		return -1;
	if (options->root
		    ? write_for_root(writer)
		    : !access(LOADER_CACHE, R_OK) && write_file(writer, LOADER_CACHE, LOADER_CACHE))
		return -1;
	return write_paths(writer, files);
}

static int write_archive(int fd, const struct guest_files *files,
			 const struct guest_options *options, struct error *error)
{
	struct writer writer = { .archive = archive_write_new(), .error = error };
	int ret;

	if (!writer.archive)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	if (archive_write_set_format_cpio_newc(writer.archive) != ARCHIVE_OK ||
	    archive_write_open_fd(writer.archive, fd) != ARCHIVE_OK)
		ret = write_error(&writer, "open");
	else
		ret = write_all(&writer, files, options);
	if (archive_write_close(writer.archive) != ARCHIVE_OK && !ret)
		ret = write_error(&writer, "close");
	archive_write_free(writer.archive);
	for (size_t i = 0; i < writer.directory_count; i++)
		free(writer.directory[i]);
	free(writer.directory);
	return ret;
}

int initramfs_build(const struct guest_options *options, int *ret_fd, struct error *error)
{
	struct guest_files all = { .below = options->root ? FRAME_FILES_PATH : NULL };
	int fd = -1, ret = -1;

	for (size_t i = 0; i < options->file_count; i++) {
		const struct guest_file *file = &options->files[i];

		if (file->host_path
			    ? guest_files_add(&all, file->host_path, file->guest_path, error)
			    : guest_files_add_link(&all, file->guest_path, file->link, error))
			goto out;
	}
	fd = memfd_create("stackproof-initramfs", MFD_CLOEXEC);
	if (fd < 0) {
		error_set_errno(error, "memfd_create");
		goto out;
	}
	ret = write_archive(fd, &all, options, error);
out:
	guest_files_deinit(&all);
	if (ret && fd >= 0)
		close(fd);
	else
		*ret_fd = fd;
	return ret;
}
