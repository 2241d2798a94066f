/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * archive.c - ELF files inside of ar archives: .a, .rlib
 *
 * libelf reads the archive's headers and long names as GNU's tools write them; BSD's, "#1/12", which stand before the
 * member's bytes, are read here. It ends at the first header that is none,
 * without a word, so that where it ended is held against the file's size. A thin archive has names
 * of files and no bytes: that is said, and nothing is guessed about where they are.
 */
#include <ar.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libelf.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive.h"
#include "freed.h"

enum archive_kind archive_kind(const char *bytes, size_t size)
{
	static const struct {
		const char *magic;
		size_t size;
		enum archive_kind kind;
	} kinds[] = {
		{ ELFMAG, SELFMAG, ARCHIVE_ELF },
		/* LLVM Bitcode File Format: with a header around it, too */
		{ "BC\xc0\xde", 4, ARCHIVE_BITCODE },
		{ "\xde\xc0\x17\x0b", 4, ARCHIVE_BITCODE },
		{ ARMAG, SARMAG, ARCHIVE_AR },
		{ THIN_ARCHIVE_MAGIC, SARMAG, ARCHIVE_THIN },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (size >= kinds[i].size && !memcmp(bytes, kinds[i].magic, kinds[i].size))
			return kinds[i].kind;
	return ARCHIVE_OTHER;
}

#define BSD_NAME "#1/" /* before the number of the name's bytes, in decimal */

/* How many of a member's bytes are its name; 0: none, its header has it. False: that can't be so. */
static bool name_bytes(const char *raw, size_t size, size_t *ret)
{
	const char *digit = raw + strlen(BSD_NAME);

	*ret = 0;
	if (strncmp(raw, BSD_NAME, strlen(BSD_NAME)))
		return true;
	for (; *digit >= '0' && *digit <= '9' && *ret < PATH_MAX; digit++)
		*ret = *ret * 10 + (size_t)(*digit - '0');
	return digit > raw + strlen(BSD_NAME) && (!*digit || *digit == ' ') && *ret <= size &&
	       *ret < PATH_MAX;
}

/* base: where the archive begins in the file. *ret_end: where the member's bytes end in the archive,
 * padding included. */
static int give_member(Elf *member, uint64_t base, archive_member_fn fn, void *context,
		       uint64_t *ret_end, struct error *error)
{
	Elf_Arhdr *header = elf_getarhdr(member);
	int64_t offset = elf_getbase(member);
	char text[PATH_MAX];
	size_t size = 0, named;
	char *bytes = elf_rawfile(member, &size);
	enum archive_kind kind;

	if (!header || offset < 0)
		return error_set(error, ERROR_NOT_ELF, NULL, *ret_end,
				 "the archive can't be read: %s", elf_errmsg(-1));
	*ret_end = (uint64_t)offset + ((uint64_t)header->ar_size + 1) / 2 * 2;
	if (!bytes)
		return 0;
	if (!name_bytes(header->ar_rawname, size, &named))
		return error_set(error, ERROR_NOT_ELF, NULL, (uint64_t)offset,
				 "the archive's member there has a name that it doesn't hold");
	kind = archive_kind(bytes + named, size - named);
	if (kind == ARCHIVE_OTHER)
		return 0;
	memcpy(text, bytes, named);
	text[named] = '\0'; /* it may end earlier: it is filled up */
	return fn(context, named ? text : header->ar_name, kind, base + (uint64_t)offset + named,
		  (uint64_t)header->ar_size - named, error);
}

/* fd: of a file that is the archive, or -1: it is in memory. Ends archive. */
static int each_member(Elf *archive, int fd, uint64_t base, uint64_t archive_size,
		       archive_member_fn fn, void *context, struct error *error)
{
	uint64_t end = SARMAG;
	Elf_Cmd command = ELF_C_READ_MMAP;
	Elf *member;
	int result = 0;

	if (!archive || elf_kind(archive) != ELF_K_AR) {
		elf_end(archive);
		return error_set(error, ERROR_NOT_ELF, NULL, 0, "the archive can't be read: %s",
				 elf_errmsg(-1));
	}
	while (!result && command != ELF_C_NULL && (member = elf_begin(fd, command, archive))) {
		result = give_member(member, base, fn, context, &end, error);
		command = elf_next(member);
		elf_end(member);
	}
	elf_end(archive);
	if (!result && end < archive_size)
		result = error_set(error, ERROR_NOT_ELF, NULL, end,
				   "the archive's member there can't be read");
	return result;
}

int archive_members_at(int fd, uint64_t start, uint64_t size, archive_member_fn fn, void *context,
		       struct error *error)
{
	void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, (off_t)start);
	int result;

	if (data == MAP_FAILED)
		return error_set_errno(error, "mmap");
	elf_version(EV_CURRENT);
	result = each_member(elf_memory(data, size), -1, start, size, fn, context, error);
	munmap(data, size);
	return result;
}

int archive_members(const char *path, archive_member_fn fn, void *context, struct error *error)
{
	char magic[SARMAG] = "";
	struct stat status;
	FD_CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int result = 0;

	if (fd < 0)
		return 0; /* who opens it says what is wrong */
	elf_version(EV_CURRENT);
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) &&
	    read(fd, magic, sizeof(magic)) == sizeof(magic)) {
		if (!memcmp(magic, THIN_ARCHIVE_MAGIC, SARMAG))
			result = error_set(error, ERROR_THIN_ARCHIVE, NULL, 0,
					   "a thin archive: its members are files of their own, "
					   "to be named themselves");
		else if (!memcmp(magic, ARMAG, SARMAG))
			result = each_member(elf_begin(fd, ELF_C_READ_MMAP, NULL), fd, 0,
					     (uint64_t)status.st_size, fn, context, error);
		else
			return 0;
		result = result ? result : 1;
	}
	return result;
}

int archive_copy_open(const char *path, uint64_t offset, uint64_t size, struct archive_copy *ret,
		      struct error *error)
{
	FD_CLOSED int from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	off_t at = (off_t)offset;
	uint64_t left = size;

	*ret = (struct archive_copy) { .fd = 0 };
	if (from < 0)
		return error_set_errno(error, "open");
	ret->fd = memfd_create("member", MFD_CLOEXEC);
	if (ret->fd < 0) {
		ret->fd = 0;
		return error_set_errno(error, "memfd_create");
	}
	while (left) {
		ssize_t copied = sendfile(ret->fd, from, &at, left);

		if (copied < 0 && errno == EINTR)
			continue;
		if (copied <= 0)
			break;
		left -= (uint64_t)copied;
	}
	if (left) {
		archive_copy_close(ret);
		return error_set(error, ERROR_ELF_BOUNDS, NULL, offset,
				 "the archive's member ends %" PRIu64 " bytes too early", left);
	}
	snprintf(ret->path, sizeof(ret->path), "/proc/%d/fd/%d", (int)getpid(), ret->fd);
	return 0;
}

void archive_copy_close(struct archive_copy *copy)
{
	if (copy->fd)
		close(copy->fd);
	*copy = (struct archive_copy) { .fd = 0 };
}
