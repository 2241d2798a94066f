/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libgcc_images.c - the other process's files where it has them, and which of them a PC is in
 *
 * Segments that are not written are mapped from the file, read-only: .eh_frame_hdr, .eh_frame and
 * code. What is written is memory, which comes when it is touched. The vDSO is in memory only and is
 * copied.
 *
 * libgcc asks the C library for a PC's image and its .eh_frame_hdr: _dl_find_object() since gcc 12
 * and glibc 2.35, dl_iterate_phdr() before. The linker puts the functions here in their place. A
 * static program has no .eh_frame_hdr; there crtbeginT.o registers its .eh_frame with libgcc when
 * it starts. So it is done here, of the whole section, also for programs without that file.
 *
 * An image that can't be had where the other process has it is said on standard error. A walk that
 * comes to it ends as `unsupported`: nothing is known of what libgcc would have found.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "libgcc_inside.h"

#define IMAGES	     4096u
#define PHDRS	     32u
#define OBJECT_WORDS 16u /* more than libgcc's struct object has */
#define EH_FRAME     ".eh_frame"

struct image {
	uint64_t start, end, bias;
	const char *path; /* the point's, of the latest mappings */
	bool usable;
	const void *eh_frame_hdr; /* NULL: it has none */
	const void *registered;	  /* its .eh_frame; NULL: not registered */
	void *object[OBJECT_WORDS];
	Elf64_Phdr phdr[PHDRS];
	unsigned int phdrs;
	uint64_t mapped[PHDRS]; /* bytes of a segment's pages that are here */
	uint64_t copied;	/* bytes from start on: the vDSO's */
};

static struct {
	uint64_t generation;
	struct image image[IMAGES];
	size_t count, found; /* found: by the latest PC */
	uint32_t stop;	     /* of any walk; 0: there are walks */
} images;

extern const Elf64_Ehdr __ehdr_start;

/* libgcc's unwind-dw2-fde.h, which is not installed. */
struct dwarf_eh_bases {
	void *tbase, *dbase, *function;
};
const void *_Unwind_Find_FDE(void *pc, struct dwarf_eh_bases *ret);

/* What is linked in other functions' place, and those. */
int __wrap__dl_find_object(void *pc, struct dl_find_object *ret);
int __wrap_dl_iterate_phdr(int (*callback)(struct dl_phdr_info *info, size_t size, void *context),
			   void *context);
void __wrap___register_frame_info(const void *begin, void *object);
void *__wrap___deregister_frame_info(const void *begin);
void __real___register_frame_info(const void *begin, void *object);
void *__real___deregister_frame_info(const void *begin);

/* ---- what libgcc asks for ------------------------------------------------------------------- */

/* This program's own crtbeginT.o: libgcc finds it as it finds others. */
void __wrap___register_frame_info(const void *begin, void *object)
{
}

void *__wrap___deregister_frame_info(const void *begin)
{
	return NULL;
}

static const void *own_eh_frame_hdr(void)
{
	const Elf64_Phdr *phdr = (const void *)((const char *)&__ehdr_start + __ehdr_start.e_phoff);

	for (unsigned int i = 0; i < __ehdr_start.e_phnum; i++)
		if (phdr[i].p_type == PT_GNU_EH_FRAME)
			return (const void *)phdr[i].p_vaddr;
	return NULL;
}

static bool is_in(const struct image *image, uint64_t pc)
{
	return pc >= image->start && pc < image->end;
}

static const struct image *find_image(uint64_t pc)
{
	if (images.found < images.count && is_in(&images.image[images.found], pc))
		return &images.image[images.found];
	for (size_t i = 0; i < images.count; i++)
		if (is_in(&images.image[i], pc)) {
			images.found = i;
			return &images.image[i];
		}
	return NULL;
}

int __wrap__dl_find_object(void *pc, struct dl_find_object *ret)
{
	const struct image *image;

	if (is_home((uint64_t)pc)) {
		*ret = (struct dl_find_object) {
			.dlfo_map_start = (void *)HOME_START,
			.dlfo_map_end = (void *)HOME_END,
			.dlfo_eh_frame = (void *)own_eh_frame_hdr(),
		};
		return 0;
	}
	image = find_image((uint64_t)pc);
	if (!image || !image->usable || !image->eh_frame_hdr)
		return -1;
	*ret = (struct dl_find_object) {
		.dlfo_map_start = (void *)image->start,
		.dlfo_map_end = (void *)image->end,
		.dlfo_eh_frame = (void *)image->eh_frame_hdr,
	};
	return 0;
}

int __wrap_dl_iterate_phdr(int (*callback)(struct dl_phdr_info *info, size_t size, void *context),
			   void *context)
{
	struct dl_phdr_info info = {
		.dlpi_name = "",
		.dlpi_phdr = (const void *)((const char *)&__ehdr_start + __ehdr_start.e_phoff),
		.dlpi_phnum = __ehdr_start.e_phnum,
		/* Of a cache: what was found before may be gone. */
		.dlpi_adds = images.generation,
		.dlpi_subs = images.generation,
	};
	int status = callback(&info, sizeof(info), context);

	for (size_t i = 0; i < images.count && !status; i++) {
		if (!images.image[i].usable)
			continue;
		info.dlpi_addr = images.image[i].bias;
		info.dlpi_phdr = images.image[i].phdr;
		info.dlpi_phnum = (Elf64_Half)images.image[i].phdrs;
		status = callback(&info, sizeof(info), context);
	}
	return status;
}

bool libgcc_images_lack(uint64_t pc)
{
	const struct image *image = find_image(pc);

	return image ? !image->usable : images.count == IMAGES;
}

/* ---- a file, where the other process has it ------------------------------------------------- */

/* first: the image's first page. False: it is not such a file. */
static bool take_headers(struct image *image, const uint8_t *first)
{
	const Elf64_Ehdr *header = (const void *)first;
	uint64_t low = UINT64_MAX, high = 0;

	if (memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum > PHDRS ||
	    header->e_phoff > PAGE_BYTES - PHDRS * sizeof(Elf64_Phdr))
		return false;
	image->phdrs = header->e_phnum;
	memcpy(image->phdr, first + header->e_phoff, image->phdrs * sizeof(Elf64_Phdr));
	for (unsigned int i = 0; i < image->phdrs; i++) {
		const Elf64_Phdr *segment = &image->phdr[i];

		if (segment->p_type == PT_GNU_EH_FRAME)
			image->eh_frame_hdr = (void *)(image->bias + segment->p_vaddr);
		if (segment->p_type != PT_LOAD)
			continue;
		low = segment->p_vaddr < low ? segment->p_vaddr : low;
		if (segment->p_vaddr + segment->p_memsz > high)
			high = segment->p_vaddr + segment->p_memsz;
	}
	if (low >= high || high - low > INT64_MAX)
		return false;
	image->start = image->bias + (low & ~(uint64_t)(PAGE_BYTES - 1));
	image->end = image->bias + high;
	return true;
}

static bool map_segments(struct image *image, int fd)
{
	for (unsigned int i = 0; i < image->phdrs; i++) {
		const Elf64_Phdr *segment = &image->phdr[i];
		uint64_t before = segment->p_vaddr % PAGE_BYTES;

		if (segment->p_type != PT_LOAD || segment->p_flags & PF_W || !segment->p_filesz)
			continue;
		if (!libgcc_memory_map(image->bias + segment->p_vaddr - before,
				       segment->p_filesz + before, fd, segment->p_offset - before))
			return false;
		image->mapped[i] = segment->p_filesz + before;
	}
	return true;
}

static bool read_section(int fd, const Elf64_Ehdr *header, unsigned int index, Elf64_Shdr *ret)
{
	return pread(fd, ret, sizeof(*ret), (off_t)(header->e_shoff + index * sizeof(*ret))) ==
	       sizeof(*ret);
}

/* False: there is none. */
static bool find_eh_frame(int fd, const Elf64_Ehdr *header, Elf64_Shdr *ret)
{
	Elf64_Shdr names;
	char name[sizeof(EH_FRAME)];

	if (!read_section(fd, header, header->e_shstrndx, &names))
		return false;
	for (unsigned int i = 0; i < header->e_shnum && read_section(fd, header, i, ret); i++)
		if (ret->sh_flags & SHF_ALLOC &&
		    pread(fd, name, sizeof(name), (off_t)(names.sh_offset + ret->sh_name)) ==
			    sizeof(name) &&
		    !memcmp(name, EH_FRAME, sizeof(name)))
			return true;
	return false;
}

/* Whether a section has bytes from this address on. */
static bool is_occupied(int fd, const Elf64_Ehdr *header, uint64_t start, uint64_t bytes)
{
	Elf64_Shdr section;

	for (unsigned int i = 0; i < header->e_shnum && read_section(fd, header, i, &section); i++)
		if (section.sh_flags & SHF_ALLOC && section.sh_addr < start + bytes &&
		    section.sh_addr + section.sh_size > start)
			return true;
	return false;
}

/* Whether these pages were mapped from the file. */
static bool is_here(const struct image *image, uint64_t start, uint64_t bytes)
{
	for (unsigned int i = 0; i < image->phdrs; i++) {
		uint64_t first = image->phdr[i].p_vaddr & ~(uint64_t)(PAGE_BYTES - 1);
		uint64_t mapped = (image->mapped[i] + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;

		if (start >= first && start - first <= mapped && bytes <= mapped - (start - first))
			return true;
	}
	return false;
}

/*
 * libgcc reads what is registered up to a length of 0, which crtend.o has. Without crtend.o there
 * may be none: it is put behind, if nothing is there.
 */
static bool terminate(const struct image *image, int fd, const Elf64_Ehdr *header,
		      const Elf64_Shdr *eh_frame)
{
	uint64_t end = eh_frame->sh_addr + eh_frame->sh_size;
	const uint32_t zero = 0;
	void *page = (void *)(image->bias + end - end % PAGE_BYTES);

	if (!is_here(image, eh_frame->sh_addr, eh_frame->sh_size) ||
	    eh_frame->sh_size < sizeof(zero))
		return false;
	if (!memcmp((const void *)(image->bias + end - sizeof(zero)), &zero, sizeof(zero)))
		return true;
	if (!is_here(image, end, sizeof(zero)) || end % PAGE_BYTES > PAGE_BYTES - sizeof(zero) ||
	    is_occupied(fd, header, end, sizeof(zero)) ||
	    mprotect(page, PAGE_BYTES, PROT_READ | PROT_WRITE))
		return false;
	memcpy((void *)(image->bias + end), &zero, sizeof(zero));
	return true;
}

/* libgcc sorts what is registered when it looks for a PC, and does not look again at what it has
 * not come through. */
static void register_image(void *argument)
{
	struct image *image = argument;
	struct dwarf_eh_bases bases;

	__real___register_frame_info(image->registered, image->object);
	_Unwind_Find_FDE((void *)image->start, &bases);
}

static void register_static(struct image *image, int fd, const Elf64_Ehdr *header,
			    const struct stackproof_engine_point *point)
{
	Elf64_Shdr eh_frame;

	if (header->e_type != ET_EXEC || image->eh_frame_hdr ||
	    !find_eh_frame(fd, header, &eh_frame) || !terminate(image, fd, header, &eh_frame))
		return;
	image->registered = (const void *)(image->bias + eh_frame.sh_addr);
	images.stop = libgcc_try(point, register_image, image);
	if (images.stop)
		image->registered = NULL;
}

static bool map_file(struct image *image, const struct stackproof_engine_point *point)
{
	uint8_t first[PAGE_BYTES] __attribute__((aligned(8))) = { 0 };
	int fd = open(image->path, O_RDONLY | O_CLOEXEC);
	bool usable;

	if (fd < 0)
		return false;
	errno = ENOEXEC;
	usable = pread(fd, first, sizeof(first), 0) > 0 && take_headers(image, first) &&
		 map_segments(image, fd);
	if (usable)
		register_static(image, fd, (const void *)first, point);
	close(fd);
	return usable;
}

static bool copy_vdso(struct image *image, const struct stackproof_engine_point *point)
{
	uint64_t start = image->start, bytes = image->end - image->start;

	if (!libgcc_memory_map(start, bytes, -1, 0))
		return false;
	image->copied = bytes;
	for (uint64_t at = 0; at < bytes; at += PAGE_BYTES)
		if (point->read(point->read_context, start + at, (void *)(start + at),
				PAGE_BYTES)) {
			errno = EFAULT;
			return false;
		}
	errno = ENOEXEC;
	return take_headers(image, (const uint8_t *)start);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static void forget_image(const struct image *image)
{
	if (image->registered)
		__real___deregister_frame_info(image->registered);
	for (unsigned int i = 0; i < image->phdrs; i++) {
		uint64_t vaddr = image->phdr[i].p_vaddr;

		if (image->mapped[i])
			munmap((void *)(image->bias + vaddr - vaddr % PAGE_BYTES),
			       image->mapped[i]);
	}
	if (image->copied)
		munmap((void *)image->start, image->copied);
}

/* The image that another of its mappings has made; NULL: this is the first. */
static struct image *image_of(const struct stackproof_engine_mapping *mapping)
{
	for (size_t i = 0; i < images.count; i++)
		if (images.image[i].bias == mapping->bias &&
		    !strcmp(images.image[i].path, mapping->path))
			return &images.image[i];
	return NULL;
}

static void take_mapping(const struct stackproof_engine_point *point,
			 const struct stackproof_engine_mapping *mapping)
{
	struct image *image = image_of(mapping);
	bool is_vdso = !strcmp(mapping->path, "[vdso]");

	if (mapping->path[0] != '/' && !is_vdso)
		return;
	if (image && !image->usable && mapping->end > image->end)
		image->end = mapping->end;
	if (image || images.count == IMAGES)
		return;
	image = &images.image[images.count++];
	*image = (struct image) { .start = mapping->start,
				  .end = mapping->end,
				  .bias = mapping->bias,
				  .path = mapping->path };
	image->usable = is_vdso ? copy_vdso(image, point) : map_file(image, point);
	if (image->usable)
		return;
	fprintf(stderr, "libgcc_host: %s at 0x%llx: %s\n", mapping->path,
		(unsigned long long)mapping->start,
		errno == EEXIST ? "the addresses are taken" : strerror(errno));
}

uint32_t libgcc_images_take(const struct stackproof_engine_point *point)
{
	if (images.generation == point->mapping_generation)
		return images.stop;
	for (size_t i = 0; i < images.count; i++)
		forget_image(&images.image[i]);
	images.count = images.stop = 0;
	for (uint64_t i = 0; i < point->mapping_count; i++)
		take_mapping(point, &point->mapping[i]);
	images.generation = point->mapping_generation;
	return images.stop;
}
