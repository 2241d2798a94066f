/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * elf_image.c - open a file or a memory image: segments, build-id; its sections are elf_section.c's
 *
 * libelf reads the structures, but it is lenient: a section past the end of the file gives no data
 * and no reason. So all headers, segments and sections are held against the file's size here
 * first, and the first that doesn't fit is named with its file offset (gABI 4.1, chapters 4 and 5).
 *
 * An image without section headers (stripped to the bone, or copied from memory) or without that
 * section's name still has its .eh_frame, found through PT_GNU_EH_FRAME (LSB 5, 10.6.2). Debug
 * files (objcopy
 * --only-keep-debug) keep the program headers of the file that they were split from: their
 * segments say nothing about their own bytes, and are clipped. Symbols are elf_symbol.c's.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "array.h"
#include "eh_frame_hdr.h"
#include "elf_image.h"
#include "pointer.h"
#include "reader.h"
#include "sframes.h"

/* PN_XNUM and SHN_XINDEX: counts too large for the ELF header are in section 0. */
struct header_counts {
	uint64_t segments;
	uint64_t sections;
	uint64_t name_section;
};

/* What the kernel takes of a program: 64 KiB of them (fs/binfmt_elf.c, load_elf_phdrs()). An
 * address is sought in all of them. */
#define SEGMENTS_MAX (65536u / (unsigned int)sizeof(Elf64_Phdr))

static bool inside(uint64_t offset, uint64_t size, uint64_t total)
{
	return offset <= total && size <= total - offset;
}

static int check_header(const uint8_t *data, size_t size, Elf64_Ehdr *ret, struct error *error)
{
	if (size < EI_NIDENT || memcmp(data, ELFMAG, SELFMAG))
		return error_set(error, ERROR_NOT_ELF, NULL, 0, "not an ELF file");
	if (data[EI_CLASS] != ELFCLASS64 || data[EI_DATA] != ELFDATA2LSB)
		return error_set(error, ERROR_UNSUPPORTED_ELF, NULL, EI_CLASS,
				 "only 64-bit little-endian ELF is read (class %u, data %u)",
				 data[EI_CLASS], data[EI_DATA]);
	if (size < sizeof(*ret))
		return error_set(error, ERROR_ELF_BOUNDS, "ELF header", 0,
				 "the file has only %zu of its %zu bytes", size, sizeof(*ret));
	memcpy(ret, data, sizeof(*ret));
	if (ret->e_machine != EM_X86_64)
		return error_set(error, ERROR_UNSUPPORTED_ELF, NULL,
				 offsetof(Elf64_Ehdr, e_machine), "machine %u is not x86-64 (%u)",
				 ret->e_machine, EM_X86_64);
	if (ret->e_version != EV_CURRENT)
		return error_set(error, ERROR_UNSUPPORTED_ELF, NULL,
				 offsetof(Elf64_Ehdr, e_version), "ELF version %u", ret->e_version);
	return 0;
}

/* Both header tables, with counts resolved, inside the file. */
static int check_header_tables(const uint8_t *data, size_t size, const Elf64_Ehdr *header,
			       struct header_counts *ret, struct error *error)
{
	*ret = (struct header_counts) { header->e_phnum, header->e_shnum, header->e_shstrndx };
	if (header->e_shoff) {
		Elf64_Shdr first;
		if (header->e_shentsize != sizeof(first))
			return error_set(error, ERROR_ELF_BOUNDS, "section headers",
					 header->e_shoff, "an entry has %u bytes, not %zu",
					 header->e_shentsize, sizeof(first));
		if (!inside(header->e_shoff, sizeof(first), size))
			return error_set(error, ERROR_ELF_BOUNDS, "section headers",
					 header->e_shoff, "they lie past the file's end at 0x%zx",
					 size);
		memcpy(&first, data + header->e_shoff, sizeof(first));
		if (!ret->sections)
			ret->sections = first.sh_size;
		if (ret->segments == PN_XNUM)
			ret->segments = first.sh_info;
		if (ret->name_section == SHN_XINDEX)
			ret->name_section = first.sh_link;
		if (ret->sections > size / sizeof(first) ||
		    !inside(header->e_shoff, ret->sections * sizeof(first), size))
			return error_set(error, ERROR_ELF_BOUNDS, "section headers",
					 header->e_shoff,
					 "%" PRIu64 " of them reach past the file's end at 0x%zx",
					 ret->sections, size);
	} else {
		ret->sections = 0;
	}
	if (!ret->segments)
		return 0;
	if (ret->segments > SEGMENTS_MAX)
		return error_set(error, ERROR_ELF_BOUNDS, "program headers", header->e_phoff,
				 "%" PRIu64 " of them, more than the kernel takes (%u)",
				 ret->segments, SEGMENTS_MAX);
	if (header->e_phentsize != sizeof(Elf64_Phdr))
		return error_set(error, ERROR_ELF_BOUNDS, "program headers", header->e_phoff,
				 "an entry has %u bytes, not %zu", header->e_phentsize,
				 sizeof(Elf64_Phdr));
	if (!inside(header->e_phoff, ret->segments * sizeof(Elf64_Phdr), size))
		return error_set(error, ERROR_ELF_BOUNDS, "program headers", header->e_phoff,
				 "%" PRIu64 " of them reach past the file's end at 0x%zx",
				 ret->segments, size);
	return 0;
}

static Elf64_Shdr section_header(const struct image_file *file, const Elf64_Ehdr *header,
				 uint64_t index)
{
	Elf64_Shdr ret;
	memcpy(&ret, file->data + header->e_shoff + index * sizeof(ret), sizeof(ret));
	return ret;
}

static Elf64_Phdr program_header(const struct image_file *file, const Elf64_Ehdr *header,
				 uint64_t index)
{
	Elf64_Phdr ret;
	memcpy(&ret, file->data + header->e_phoff + index * sizeof(ret), sizeof(ret));
	return ret;
}

/* A section's name without libelf, for messages about files that libelf can't read. */
static const char *section_name(const struct image_file *file, const Elf64_Ehdr *header,
				const struct header_counts *counts, uint64_t index)
{
	if (counts->name_section >= counts->sections)
		return "";
	Elf64_Shdr names = section_header(file, header, counts->name_section);
	Elf64_Shdr section = section_header(file, header, index);
	if (!inside(names.sh_offset, names.sh_size, file->size) || section.sh_name >= names.sh_size)
		return "";
	const char *name = (const char *)file->data + names.sh_offset + section.sh_name;
	return memchr(name, '\0', names.sh_size - section.sh_name) ? name : "";
}

/* Every section inside the file. *ret_debug_file: the code is elsewhere, segments don't count. */
static int check_sections(const struct image_file *file, const Elf64_Ehdr *header,
			  const struct header_counts *counts, bool *ret_debug_file,
			  struct error *error)
{
	*ret_debug_file = false;
	for (uint64_t i = 1; i < counts->sections; i++) {
		Elf64_Shdr section = section_header(file, header, i);
		if (section.sh_type == SHT_NULL)
			continue;
		if (section.sh_type == SHT_NOBITS) {
			*ret_debug_file |= (section.sh_flags & SHF_EXECINSTR) != 0;
			continue;
		}
		if (inside(section.sh_offset, section.sh_size, file->size))
			continue;
		const char *name = section_name(file, header, counts, i);
		char number[32];
		snprintf(number, sizeof(number), "section %" PRIu64, i);
		return error_set(error, ERROR_ELF_BOUNDS, *name ? name : number, section.sh_offset,
				 "the section's 0x%" PRIx64
				 " bytes reach past the file's end at 0x%zx",
				 section.sh_size, file->size);
	}
	return 0;
}

static int read_segments(struct image *image, const struct image_file *file,
			 const Elf64_Ehdr *header, const struct header_counts *counts,
			 bool debug_file, struct error *error)
{
	if (!counts->segments)
		return 0;
	image->segment = calloc(counts->segments, sizeof(*image->segment));
	if (!image->segment)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for %" PRIu64 " segments",
				 counts->segments);
	for (uint64_t i = 0; i < counts->segments; i++) {
		Elf64_Phdr segment = program_header(file, header, i);
		if (segment.p_type != PT_LOAD)
			continue;
		char name[32];
		snprintf(name, sizeof(name), "segment %" PRIu64, i);
		if (segment.p_vaddr + segment.p_memsz < segment.p_vaddr ||
		    segment.p_filesz > segment.p_memsz)
			return error_set(error, ERROR_ELF_BOUNDS, name, segment.p_offset,
					 "the segment's addresses 0x%" PRIx64 "+0x%" PRIx64
					 " make no sense",
					 segment.p_vaddr, segment.p_memsz);
		if (!inside(segment.p_offset, segment.p_filesz, file->size)) {
			if (!debug_file)
				return error_set(error, ERROR_ELF_BOUNDS, name, segment.p_offset,
						 "the segment's 0x%" PRIx64
						 " bytes reach past the file's end at 0x%zx",
						 segment.p_filesz, file->size);
			segment.p_filesz = 0;
		}
		image->segment[image->segment_count++] = (struct image_segment) {
			.vaddr = segment.p_vaddr,
			.memory_bytes = segment.p_memsz,
			.file_offset = segment.p_offset,
			.file_bytes = debug_file ? 0 : segment.p_filesz,
			.executable = segment.p_flags & PF_X,
		};
	}
	return 0;
}

/* Bytes from vaddr to the end of its segment's part in the file. */
static const uint8_t *bytes_to_end(const struct image *image, uint64_t vaddr, uint64_t *ret_size)
{
	const struct image_file *file = image->priv;
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];
		uint64_t offset = vaddr - segment->vaddr;
		if (vaddr < segment->vaddr || offset >= segment->file_bytes)
			continue;
		*ret_size = segment->file_bytes - offset;
		return file->data + segment->file_offset + offset;
	}
	return NULL;
}

/* The offset of the last FDE that the search table leads to; 0 if it doesn't. */
static uint64_t last_known_fde(const struct image *image)
{
	struct eh_frame_hdr hdr;
	struct error ignored;
	uint64_t last = 0;
	if (eh_frame_hdr_read(image, &hdr, &ignored))
		return 0;
	for (uint64_t i = 0; i < hdr.count; i++) {
		uint64_t pc, vaddr;
		if (eh_frame_hdr_entry(&hdr, i, &pc, &vaddr, &ignored))
			continue;
		uint64_t offset = vaddr - image->eh_frame.vaddr;
		if (offset < image->eh_frame.size && offset > last)
			last = offset;
	}
	return last;
}

/*
 * Nothing says how long an .eh_frame without a section header is, but its zero terminator. One may
 * stand in the middle, too, so that only those behind the last known FDE count. What follows in the
 * segment is something else: a length there that can't be means that it ended before.
 */
static size_t eh_frame_size(const struct image_section *section, uint64_t last_fde)
{
	struct reader reader = { section->data + last_fde, section->data + section->size };
	const uint8_t *start = reader.at;
	for (;;) {
		const uint8_t *entry = reader.at;
		size_t end = last_fde && entry != start ? (size_t)(entry - section->data)
							: section->size;
		uint64_t length;
		if (!reader_unsigned(&reader, 4, &length))
			return end;
		if (!length)
			return (size_t)(reader.at - section->data);
		if (length == UINT32_MAX && !reader_unsigned(&reader, 8, &length))
			return end;
		if (!reader_skip(&reader, length))
			return end;
	}
}

/* Where PT_GNU_EH_FRAME's address leads. False: to no segment. */
static bool find_search_table(const struct image *image, const Elf64_Phdr *header,
			      struct image_section *ret)
{
	const struct image_file *file = image->priv;
	uint64_t left;
	const uint8_t *data = bytes_to_end(image, header->p_vaddr, &left);

	if (!data || header->p_filesz > left)
		return false;
	*ret = (struct image_section) {
		.data = data,
		.size = header->p_filesz,
		.vaddr = header->p_vaddr,
		.file_offset = (uint64_t)(data - file->data),
		.name = ".eh_frame_hdr",
	};
	return true;
}

/* An unwinder in the process has the segment alone. If a search table of .eh_frame is there, what a section header
 * says of another place is nobody's. */
static void prefer_search_table(struct image *image, const Elf64_Phdr *header)
{
	struct image_section section = image->eh_frame_hdr;
	struct eh_frame_hdr hdr;
	struct error ignored;

	if (!find_search_table(image, header, &image->eh_frame_hdr) ||
	    eh_frame_hdr_read(image, &hdr, &ignored) || hdr.eh_frame_vaddr != image->eh_frame.vaddr)
		image->eh_frame_hdr = section;
}

/* .eh_frame_hdr: version, three encodings, and the address of .eh_frame (LSB 5, 10.6.2). */
static int find_eh_frame(struct image *image, const Elf64_Phdr *header, struct error *error)
{
	uint64_t left;
	if (!find_search_table(image, header, &image->eh_frame_hdr))
		return error_set(error, ERROR_ELF_BOUNDS, "PT_GNU_EH_FRAME", header->p_offset,
				 "its address 0x%" PRIx64 " lies in no segment", header->p_vaddr);
	const uint8_t *data = image->eh_frame_hdr.data;
	if (!image->data_vaddr)
		image->data_vaddr = header->p_vaddr;

	struct reader reader = { data, data + header->p_filesz };
	if (!reader_skip(&reader, 4))
		return error_set(error, ERROR_CFI_TRUNCATED, ".eh_frame_hdr", 0,
				 "the header has %" PRIu64 " bytes", (uint64_t)header->p_filesz);
	struct pointer_context context = { .image = image,
					   .section = &image->eh_frame_hdr,
					   .address_bytes = 8,
					   .is_header = true };
	uint64_t vaddr;
	if (data[0] != 1 || pointer_read(&context, &reader, data[1], &vaddr, error))
		return error_set(
			error, ERROR_POINTER_ENCODING, ".eh_frame_hdr", 1,
			"the address of .eh_frame can't be read (version %u, encoding 0x%02x)",
			data[0], data[1]);
	const uint8_t *frame = bytes_to_end(image, vaddr, &left);
	if (!frame)
		return error_set(error, ERROR_ELF_BOUNDS, ".eh_frame_hdr", header->p_offset,
				 "its .eh_frame address 0x%" PRIx64 " lies in no segment", vaddr);
	const struct image_file *file = image->priv;
	image->eh_frame = (struct image_section) {
		.data = frame,
		.size = left,
		.vaddr = vaddr,
		.file_offset = frame - file->data,
		.name = ".eh_frame",
	};
	image->eh_frame.size = eh_frame_size(&image->eh_frame, last_known_fde(image));
	return 0;
}

/* NT_GNU_BUILD_ID out of one PT_NOTE; a broken note only means that there is no build-id. */
static void read_build_id(struct image *image, const struct image_file *file,
			  const Elf64_Phdr *header)
{
	if (!inside(header->p_offset, header->p_filesz, file->size))
		return;
	const uint8_t *data = file->data + header->p_offset;
	struct reader reader = { data, data + header->p_filesz };
	uint64_t alignment = header->p_align == 8 ? 8 : 4;
	uint64_t name_bytes, value_bytes, type;
	while (reader_unsigned(&reader, 4, &name_bytes) &&
	       reader_unsigned(&reader, 4, &value_bytes) && reader_unsigned(&reader, 4, &type)) {
		const uint8_t *name, *value;
		if (!reader_block(&reader, name_bytes, &name) ||
		    !reader_skip(&reader, -(uint64_t)(reader.at - data) % alignment) ||
		    !reader_block(&reader, value_bytes, &value))
			return;
		if (type == NT_GNU_BUILD_ID && name_bytes == 4 && !memcmp(name, "GNU", 4) &&
		    value_bytes <= BUILD_ID_MAX) {
			memcpy(image->build_id, value, value_bytes);
			image->build_id_size = value_bytes;
			return;
		}
		if (!reader_skip(&reader, -(uint64_t)(reader.at - data) % alignment))
			return;
	}
}

static int read_image(struct image *image, struct error *error)
{
	struct image_file *file = image->priv;
	Elf64_Ehdr header;
	struct header_counts counts;
	bool debug_file;
	if (check_header(file->data, file->size, &header, error) ||
	    check_header_tables(file->data, file->size, &header, &counts, error) ||
	    check_sections(file, &header, &counts, &debug_file, error) ||
	    read_segments(image, file, &header, &counts, debug_file, error))
		return -1;
	image->machine = header.e_machine;
	image->type = header.e_type;
	image->entry = header.e_entry;
	/* libelf takes e_shnum headers at offset 0 for sections: nobody has checked those. */
	image->has_sections = counts.sections;
	file->symbols_read = !counts.sections;

	elf_version(EV_CURRENT);
	errno = 0;
	file->elf = elf_memory((char *)file->data, file->size);
	if (!file->elf && errno == ENOMEM)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for an image");
	if (!file->elf)
		return error_set(error, ERROR_NOT_ELF, NULL, 0, "libelf: %s", elf_errmsg(-1));
	if (counts.sections && image_read_sections(image, error))
		return -1;
	for (uint64_t i = 0; i < counts.segments; i++) {
		Elf64_Phdr segment = program_header(file, &header, i);
		if (segment.p_type == PT_NOTE && !image->build_id_size)
			read_build_id(image, file, &segment);
		if (segment.p_type == PT_GNU_SFRAME && !debug_file &&
		    image_find_sframe(image, &segment, error))
			return -1;
		/* objcopy leaves an empty one where it has removed .eh_frame_hdr. */
		if (segment.p_type != PT_GNU_EH_FRAME || !segment.p_filesz || debug_file)
			continue;
		if (image->eh_frame.name)
			prefer_search_table(image, &segment);
		else if (find_eh_frame(image, &segment, error))
			return -1;
	}
	return 0;
}

/* Takes over file's bytes, whether it succeeds or not. */
static int create(struct image_file bytes, const char *path, struct image **ret,
		  struct error *error)
{
	struct image *image = calloc(1, sizeof(*image));
	struct image_file *file = calloc(1, sizeof(*file));
	char *copy = strdup(path);
	if (!image || !file || !copy) {
		free(image);
		free(file);
		free(copy);
		if (bytes.mapped)
			munmap(bytes.data, bytes.size);
		else
			free(bytes.data);
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for an image");
	}
	*file = bytes;
	image->priv = file;
	image->path = copy;
	if (read_image(image, error)) {
		image_destroy(image);
		return -1;
	}
	*ret = image;
	return 0;
}

int image_create(const char *path, struct image **ret, struct error *error)
{
	*ret = NULL;
	/* Not blocking: a FIFO in a list of files must not hang the rest. */
	FD_CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_set_errno(error, "open");
	struct stat status;
	if (fstat(fd, &status))
		return error_set_errno(error, "fstat");
	if (!S_ISREG(status.st_mode) || status.st_size < EI_NIDENT)
		return error_set(error, ERROR_NOT_ELF, NULL, 0, "%s",
				 S_ISREG(status.st_mode) ? "too short for an ELF file"
							 : "not a regular file");
	/* Writable and private: elf_compress notes in the section header what it decompressed. */
	void *data = mmap(NULL, status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return error_set_errno(error, "mmap");
	struct image_file file = {
		.data = data, .size = status.st_size, .mapped = true, .was = status
	};
	return create(file, path, ret, error);
}

int image_create_memory(const void *data, size_t size, const char *name, struct image **ret,
			struct error *error)
{
	*ret = NULL;
	uint8_t *copy = malloc(size ? size : 1);
	if (!copy)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for %zu bytes", size);
	memcpy(copy, data, size);
	return create((struct image_file) { .data = copy, .size = size }, name, ret, error);
}

void image_adopt_debug(struct image *image, struct image *debug)
{
	struct image_file *file = image->priv;
	size_t symbols;
	image_destroy(image->debug);
	image->debug = debug;
	image->debug_frame = debug->debug_frame;
	if (!image_symbols(debug, &symbols) || !symbols)
		return;
	free(image->symbol);
	image->symbol = debug->symbol;
	image->symbol_count = symbols;
	file->symbols_read = true;
	debug->symbol = NULL;
	debug->symbol_count = 0;
	/* With them their sections: the names stay in the debug file, which lives as long. */
	struct image_file *other = debug->priv;
	free(file->code);
	free(file->code_by_address);
	file->code = other->code;
	file->code_count = other->code_count;
	file->code_by_address = other->code_by_address;
	file->code_by_address_count = other->code_by_address_count;
	free(file->data_symbol);
	file->data_symbol = other->data_symbol;
	file->data_symbol_count = other->data_symbol_count;
	other->data_symbol = NULL;
	other->data_symbol_count = 0;
	other->code = NULL;
	other->code_by_address = NULL;
	other->code_count = other->code_by_address_count = 0;
	free(file->range);
	file->range = NULL;
	file->range_count = 0;
	file->ranges_made = false;
}

void image_destroy(struct image *image)
{
	if (!image)
		return;
	image_destroy(image->debug);
	free(image->debug_refused);
	struct image_file *file = image->priv;
	elf_end(file->elf);
	if (file->mapped)
		munmap(file->data, file->size);
	else
		free(file->data);
	free(file->other_eh_frame);
	free(file->added_eh_frame);
	free(file->sframe);
	free(file->reference);
	free(file->code);
	free(file->code_by_address);
	free(file->data_symbol);
	free(file->range);
	free(file->stub);
	free(file);
	free(image->symbol);
	free(image->segment);
	free(image->path);
	free(image);
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool image_is_as_it_was(const struct image *image, bool *ret_touched)
{
	const struct image_file *file = image->priv;
	size_t page = sysconf(_SC_PAGESIZE);
	char mapped[80];
	struct stat now;

	*ret_touched = false;
	if (!file->mapped)
		return true;
	snprintf(mapped, sizeof(mapped), "/proc/self/map_files/%" PRIxPTR "-%" PRIxPTR,
		 (uintptr_t)file->data,
		 (uintptr_t)file->data + ((file->size + page - 1) & ~(page - 1)));
	if (stat(mapped, &now) && stat(image->path, &now))
		return true;
	if (now.st_ino != file->was.st_ino || now.st_dev != file->was.st_dev)
		return true;
	*ret_touched = !same_time(&now.st_ctim, &file->was.st_ctim);
	return now.st_size == file->was.st_size && same_time(&now.st_mtim, &file->was.st_mtim);
}

struct code_digest image_code_digest(const struct image *image)
{
	struct image_file *file = image->priv;
	bool ignored;

	if (!file->digest_known && image_is_as_it_was(image, &ignored))
		code_digest_of(file->data, file->size, &file->digest);
	file->digest_known = true;
	return file->digest;
}

void image_give_back(struct image *image)
{
	struct image_file *file = image->priv;

	if (!image->has_sections)
		return;
	image_forget_symbols(image);
	free(file->stub);
	file->stub = NULL;
	file->stub_count = 0;
	file->stubs_read = false;
	if (file->mapped && !file->is_private)
		madvise(file->data, file->size, MADV_DONTNEED);
}

const uint8_t *image_file_bytes(const struct image *image, size_t *ret_size)
{
	const struct image_file *file = image->priv;
	*ret_size = file->size;
	return file->data;
}

const uint8_t *image_bytes(const struct image *image, uint64_t vaddr, size_t size)
{
	uint64_t left;
	const uint8_t *data = bytes_to_end(image, vaddr, &left);
	return data && size <= left ? data : NULL;
}

const uint8_t *image_bytes_most(const struct image *image, uint64_t vaddr, size_t most,
				size_t *ret_size)
{
	uint64_t left = 0;
	const uint8_t *data = bytes_to_end(image, vaddr, &left);
	*ret_size = left < most ? (size_t)left : most;
	return data;
}

const struct image_segment *image_code_segment(const struct image *image, uint64_t vaddr)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];
		if (segment->executable && vaddr >= segment->vaddr &&
		    vaddr - segment->vaddr < segment->file_bytes)
			return segment;
	}
	return NULL;
}

bool image_program_header(const struct image *image, uint32_t type, Elf64_Phdr *ret)
{
	const struct image_file *file = image->priv;
	size_t count;
	if (elf_getphdrnum(file->elf, &count))
		return false;
	return ARRAY_ANY(count, i, gelf_getphdr(file->elf, (int)i, ret) && ret->p_type == type);
}
