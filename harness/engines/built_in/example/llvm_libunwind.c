/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * llvm_libunwind.c - LLVM's libunwind as an engine
 *
 *	cc -shared -fPIC -I LLVM/include/libunwind -o llvm.so llvm_libunwind.c LLVM/lib/libunwind.a -ldl
 *
 * That library walks its own process and nothing else: it finds unwind information through
 * dl_iterate_phdr(3), and reads memory by its address. So this process is made to look like the
 * other one. Each image is mapped from its file where the other one has it, read-only. A page of
 * the stack, or of whatever else a walk reads, is copied when the library first touches it: the
 * fault's handler asks for it. Where the other one has nothing either, the handler ends the walk.
 * That can be done since an engine is alone in its process, and its addresses are random: where one
 * is taken, the image is left out.
 *
 * What it is seen to do: where a thread is at the first instruction of a new row, the library goes
 * by the row before. Return addresses, which it was made for, are never there. And a step to where
 * there is no unwind information is the end to it: its own backtraces do not have that frame.
 *
 * The archive is linked, so that its calls of dl_iterate_phdr() are those of the function here.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <libunwind.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stackproof_engine.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE_BYTES   4096u
#define COPIES	     4096 /* pages copied for a point */
#define IMAGES	     1024
#define PHDRS	     32
#define REGISTER_RIP 16

struct image {
	uint64_t bias;
	ElfW(Phdr) phdr[PHDRS];
	unsigned int count;
};

static struct {
	const struct stackproof_engine_point *point;
	uint64_t generation;
	struct image image[IMAGES];
	size_t images;
	void *mapped[IMAGES * PHDRS];
	size_t mapped_bytes[IMAGES * PHDRS];
	size_t mappings;
	uint64_t copied[COPIES];
	size_t copies;
	sigjmp_buf out;
} engine;

/* What the library calls in place of the C library's. */
__attribute__((visibility("hidden"))) int
dl_iterate_phdr(int (*callback)(struct dl_phdr_info *info, size_t size, void *context),
		void *context)
{
	int status = 0;

	for (size_t i = 0; i < engine.images && !status; i++) {
		struct dl_phdr_info info = {
			.dlpi_addr = engine.image[i].bias,
			.dlpi_name = "",
			.dlpi_phdr = engine.image[i].phdr,
			.dlpi_phnum = (ElfW(Half))engine.image[i].count,
			/* Of a cache: what was found before may be gone. */
			.dlpi_adds = engine.generation,
			.dlpi_subs = engine.generation,
		};

		status = callback(&info, sizeof(info), context);
	}
	return status;
}

static void *map_at(uint64_t address, uint64_t bytes, int fd, uint64_t offset)
{
	int flags = MAP_PRIVATE | MAP_FIXED_NOREPLACE | (fd < 0 ? MAP_ANONYMOUS : 0);
	void *mapped = mmap((void *)address, bytes, PROT_READ | (fd < 0 ? PROT_WRITE : 0), flags,
			    fd, (off_t)offset);

	return mapped == MAP_FAILED ? NULL : mapped;
}

/* All segments of a file that are read-only, which unwind information is in. */
static void map_image(const struct stackproof_engine_mapping *mapping)
{
	struct image *image = &engine.image[engine.images];
	int fd = open(mapping->path, O_RDONLY | O_CLOEXEC);
	ElfW(Ehdr) header;

	if (fd < 0 || pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_phnum > PHDRS ||
	    pread(fd, image->phdr, header.e_phnum * sizeof(ElfW(Phdr)), (off_t)header.e_phoff) < 0)
		goto out;
	image->bias = mapping->bias;
	image->count = header.e_phnum;
	engine.images++;
	for (unsigned int i = 0; i < image->count; i++) {
		const ElfW(Phdr) *segment = &image->phdr[i];
		uint64_t before = segment->p_vaddr % PAGE_BYTES;
		uint64_t bytes = segment->p_filesz + before;
		void *mapped;

		if (segment->p_type != PT_LOAD || segment->p_flags & PF_W)
			continue;
		mapped = map_at(image->bias + segment->p_vaddr - before, bytes, fd,
				segment->p_offset - before);
		if (!mapped)
			continue;
		engine.mapped[engine.mappings] = mapped;
		engine.mapped_bytes[engine.mappings++] = bytes;
	}
out:
	if (fd >= 0)
		close(fd);
}

static void take_mappings(const struct stackproof_engine_point *point)
{
	uint64_t bias = 0;

	for (size_t i = 0; i < engine.mappings; i++)
		munmap(engine.mapped[i], engine.mapped_bytes[i]);
	engine.images = engine.mappings = 0;
	for (uint64_t i = 0; i < point->mapping_count; i++) {
		const struct stackproof_engine_mapping *mapping = &point->mapping[i];

		if (mapping->path[0] != '/' || engine.images == IMAGES ||
		    (engine.images && mapping->bias == bias))
			continue;
		map_image(mapping);
		bias = mapping->bias;
	}
	engine.generation = point->mapping_generation;
}

/* The library has touched what is not here (yet). */
static void on_fault(int number, siginfo_t *info, void *context)
{
	uint64_t page = (uint64_t)info->si_addr & ~(uint64_t)(PAGE_BYTES - 1);
	void *copy = NULL;

	(void)context;
	if (engine.point && info->si_code == SEGV_MAPERR && engine.copies < COPIES)
		copy = map_at(page, PAGE_BYTES, -1, 0);
	if (copy)
		engine.copied[engine.copies++] = page;
	if (copy && !engine.point->read(engine.point->read_context, page, copy, PAGE_BYTES))
		return;
	if (engine.point)
		siglongjmp(engine.out, 1);
	signal(number, SIG_DFL);
}

static void forget_copies(void)
{
	for (size_t i = 0; i < engine.copies; i++)
		munmap((void *)engine.copied[i], PAGE_BYTES);
	engine.copies = 0;
}

/* A context begins with the registers, in the library's own order (Registers.hpp). A cursor that
 * was made of another one and got them later finds nothing. */
static void set_context(unw_context_t *context, const uint64_t *reg)
{
	static const uint8_t dwarf_number[] = { 0, 3,  2,  1,  5,  4,  6,  7,		8,
						9, 10, 11, 12, 13, 14, 15, REGISTER_RIP };
	uint64_t *word = (uint64_t *)context;

	memset(context, 0, sizeof(*context));
	for (unsigned int i = 0; i < sizeof(dwarf_number); i++)
		word[i] = reg[dwarf_number[i]];
}

static void walk(const uint64_t *reg, struct stackproof_engine_stack *ret)
{
	unw_context_t context;
	unw_cursor_t cursor;
	unw_word_t pc;
	int status;

	set_context(&context, reg);
	unw_init_local(&cursor, &context);
	ret->pc[ret->count++] = reg[REGISTER_RIP];
	for (;;) {
		status = unw_step(&cursor);
		if (status <= 0 || unw_get_reg(&cursor, UNW_REG_IP, &pc))
			break;
		if (!pc) {
			ret->stop = STACKPROOF_ENGINE_ZERO_RETURN;
			return;
		}
		if (ret->count == ret->capacity) {
			ret->stop = STACKPROOF_ENGINE_DEPTH;
			return;
		}
		ret->pc[ret->count++] = pc;
	}
	ret->stop = STACKPROOF_ENGINE_FOREIGN;
	if (status < 0 || unw_get_reg(&cursor, UNW_REG_IP, &pc) || !pc)
		return; /* a PC of 0: it was read, or there is none; it does not say which */
	/* The step was made, and there is no unwind information where it led. */
	ret->stop = STACKPROOF_ENGINE_NO_ROW;
	if (pc != ret->pc[ret->count - 1] && ret->count < ret->capacity)
		ret->pc[ret->count++] = pc;
}

void *stackproof_engine_open(uint32_t version, const char *argument,
			     struct stackproof_engine_about *ret)
{
	static char fault_stack[65536];
	stack_t stack = { .ss_sp = fault_stack, .ss_size = sizeof(fault_stack) };
	struct sigaction action = { .sa_sigaction = on_fault,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

	(void)argument;
	if (version != STACKPROOF_ENGINE_VERSION || sigaltstack(&stack, NULL) ||
	    sigaction(SIGSEGV, &action, NULL))
		return NULL;
	strcpy(ret->version, "LLVM " LLVM_VERSION);
	ret->stack_bytes = 4096;
	return &engine;
}

int stackproof_engine_walk(void *context, const struct stackproof_engine_point *point,
			   struct stackproof_engine_stack *ret)
{
	(void)context;
	if (engine.generation != point->mapping_generation)
		take_mappings(point);
	engine.point = point;
	if (!sigsetjmp(engine.out, 0))
		walk(point->reg, ret);
	else
		ret->stop = STACKPROOF_ENGINE_READ_FAULT;
	engine.point = NULL;
	forget_copies();
	return 0;
}

void stackproof_engine_close(void *context)
{
	(void)context;
}
