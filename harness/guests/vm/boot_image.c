/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * boot_image.c - a bzImage: its version, and the ELF kernel inside of it
 *
 * A bzImage is real-mode code with a header at 0x1f1, and a protected-mode part that holds the
 * compressed ELF kernel and the code that inflates and relocates it (The Linux/x86 Boot Protocol,
 * Documentation/arch/x86/boot.rst). An emulated CPU needs 1.5 of a guest's 5 s to inflate; the host
 * needs a tenth of that. So the payload is unpacked here, and booted where the kernel has the entry
 * point for it: PVH, an ELF note XEN_ELFNOTE_PHYS32_ENTRY (Xen's docs/misc/pvh.pandoc).
 * It is the same kernel, at its link address (as with nokaslr).
 *
 * Every length in the header is distrusted: the file may be anything.
 */
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "boot_image.h"
#include "freed.h"

/* Offsets in the file, from the boot protocol. */
#define SETUP_SECTORS	0x1f1 /* u8; 0 means 4 */
#define HEADER_MAGIC	0x202 /* "HdrS" */
#define PROTOCOL	0x206 /* u16 */
#define VERSION_POINTER 0x20e /* u16, plus 0x200 */
#define PAYLOAD_OFFSET	0x248 /* u32, from the protected-mode part; since protocol 2.08 */
#define PAYLOAD_LENGTH	0x24c
#define HEADER_BYTES	0x250
#define SECTOR_BYTES	512

#define PVH_NOTE	  18 /* XEN_ELFNOTE_PHYS32_ENTRY */
#define UNPACKED_MAX	  (512u << 20)
#define PAYLOAD_SIZE_TAIL 4 /* the inflated size is appended to the payload */

struct mapped {
	const uint8_t *data;
	size_t size;
};

static int map_file(const char *path, struct mapped *ret, struct error *error)
{
	FD_CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *data;

	if (fd < 0 || fstat(fd, &st))
		return error_set_errno(error, "%.150s", path);
	if (st.st_size < HEADER_BYTES || !S_ISREG(st.st_mode))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.150s is not a bzImage", path);
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return error_set_errno(error, "%.150s", path);
	*ret = (struct mapped) { data, (size_t)st.st_size };
	if (!memcmp(ret->data + HEADER_MAGIC, "HdrS", 4))
		return 0;
	munmap(data, ret->size);
	return error_set(error, ERROR_UNAVAILABLE, "", HEADER_MAGIC, "%.150s is not a bzImage",
			 path);
}

static uint32_t read_u16(const struct mapped *file, size_t offset)
{
	uint16_t value;

	memcpy(&value, file->data + offset, sizeof(value));
	return value;
}

static uint32_t read_u32(const struct mapped *file, size_t offset)
{
	uint32_t value;

	memcpy(&value, file->data + offset, sizeof(value));
	return value;
}

int boot_image_version(const char *path, char *ret, size_t size, struct error *error)
{
	struct mapped file;
	size_t offset, length = 0;
	int result = -1;

	if (map_file(path, &file, error))
		return -1;
	offset = read_u16(&file, VERSION_POINTER) + 0x200;
	if (read_u16(&file, VERSION_POINTER))
		while (offset + length < file.size && length < size - 1 &&
		       file.data[offset + length] > ' ' && file.data[offset + length] < 0x7f)
			length++;
	if (length) {
		memcpy(ret, file.data + offset, length);
		ret[length] = '\0';
		result = 0;
	} else {
		error_set(error, ERROR_UNAVAILABLE, "", VERSION_POINTER,
			  "%.150s has no version string", path);
	}
	munmap((void *)file.data, file.size);
	return result;
}

static int find_payload(const struct mapped *file, struct mapped *ret, struct error *error)
{
	size_t setup = file->data[SETUP_SECTORS] ? file->data[SETUP_SECTORS] : 4;
	size_t start = (setup + 1) * SECTOR_BYTES + read_u32(file, PAYLOAD_OFFSET);
	size_t length = read_u32(file, PAYLOAD_LENGTH);

	if (read_u16(file, PROTOCOL) < 0x208 || length <= PAYLOAD_SIZE_TAIL || start > file->size ||
	    length > file->size - start)
		return error_set(error, ERROR_UNAVAILABLE, "", PAYLOAD_OFFSET,
				 "the bzImage's payload lies outside of it");
	*ret = (struct mapped) { file->data + start, length - PAYLOAD_SIZE_TAIL };
	return 0;
}

/* Whatever compression libarchive knows: gzip, bzip2, lzma, xz, lzo, lz4, zstd. */
static int inflate_payload(const struct mapped *payload, int fd, struct error *error)
{
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	const void *block;
	size_t size, total = 0;
	la_int64_t offset;
	int status, ret = -1;

	if (!archive)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	archive_read_support_filter_all(archive);
	archive_read_support_format_raw(archive);
	if (archive_read_open_memory(archive, payload->data, payload->size) != ARCHIVE_OK ||
	    archive_read_next_header(archive, &entry) != ARCHIVE_OK)
		goto failed;
	while ((status = archive_read_data_block(archive, &block, &size, &offset)) == ARCHIVE_OK) {
		total += size;
		if (total > UNPACKED_MAX || write(fd, block, size) != (ssize_t)size)
			goto failed;
	}
	if (status == ARCHIVE_EOF)
		ret = 0;
failed:
	if (ret)
		error_set(error, ERROR_UNAVAILABLE, "", 0, "the bzImage's payload: %.100s",
			  archive_error_string(archive) ? archive_error_string(archive)
							: "too long");
	archive_read_free(archive);
	return ret;
}

static bool notes_have_pvh(Elf_Data *data)
{
	size_t offset = 0, name, descriptor;
	GElf_Nhdr note;

	while (data && (offset = gelf_getnote(data, offset, &note, &name, &descriptor)) > 0) {
		if (note.n_type == PVH_NOTE && note.n_namesz == 4 &&
		    !memcmp((char *)data->d_buf + name, "Xen", 4))
			return true;
	}
	return false;
}

static bool has_pvh_entry(int fd)
{
	size_t count = 0;
	bool found = false;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &count))
		count = 0;
	for (size_t i = 0; i < count && !found; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_NOTE)
			found = notes_have_pvh(elf_getdata_rawchunk(elf, (int64_t)header.p_offset,
								    header.p_filesz, ELF_T_NHDR));
	}
	elf_end(elf);
	return found;
}

int boot_image_unpack(const char *path, int *ret_fd, struct error *error)
{
	struct mapped file, payload = { 0 };
	int fd = -1, ret = -1;

	if (map_file(path, &file, error))
		return -1;
	if (find_payload(&file, &payload, error))
		goto out;
	fd = memfd_create("stackproof-kernel", MFD_CLOEXEC);
	if (fd < 0) {
		error_set_errno(error, "memfd_create");
		goto out;
	}
	if (inflate_payload(&payload, fd, error))
		goto out;
	if (!has_pvh_entry(fd)) {
		error_set(error, ERROR_UNAVAILABLE, "", 0, "the kernel has no PVH entry point");
		goto out;
	}
	ret = 0;
	*ret_fd = fd;
out:
	if (ret && fd >= 0)
		close(fd);
	munmap((void *)file.data, file.size);
	return ret;
}
