/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libunwind.c - engine libunwind: unw_step() on a stopped thread, from outside
 *
 * The library walks "remotely": it asks its user for each register, each word of memory and each
 * PC's unwind information. What it is given here is what the other engines see: the registers of
 * the stop, the thread's memory, and of each image the search table in .eh_frame_hdr, whose entries
 * lead to FDEs (LSB 5, 10.6.2). So do perf and others that bring their own accessors. Decoding the
 * FDE and making the step are the library's. Where no FDE covers a PC it recognises PLT entries by
 * their bytes and then guesses through rbp; that is its users' experience and is scored as such.
 * Debian's build reads no .debug_frame.
 *
 * Its cache stays off. Rules are kept there by the PC of a frame alone, so a return address behind
 * a call that is the last instruction of its function, and the first instruction of the next
 * function, would get each other's. At every instruction both come up. Off is also what a remote
 * address space begins with.
 *
 * The library is loaded when it is needed and not linked, as in bench_lookup_libunwind.c: its
 * _Unwind_* functions, the same as libgcc's, would otherwise serve the whole program.
 */
#include <dlfcn.h>
#include <libunwind.h>
#include <stdlib.h>
#include <string.h>
#include "engine.h"
#include "image/eh_frames.h"

#define LIBRARY		"libunwind-x86_64.so.8"
#define STRING_(text)	#text
#define STRING(text)	STRING_(text)
#define SYMBOL_NAME(fn) STRING(UNW_OBJ(fn))

struct libunwind_engine {
	void *library;
	unw_addr_space_t space;
	typeof(&unw_create_addr_space) create;
	typeof(&unw_destroy_addr_space) destroy;
	typeof(&unw_init_remote) init;
	typeof(&unw_step) step;
	typeof(&unw_get_reg) get;
	/* In the library for unwinders with a find_proc_info() of their own, but in no header. */
	int (*search)(unw_addr_space_t space, unw_word_t pc, unw_dyn_info_t *table,
		      unw_proc_info_t *ret, int need_unwind_info, void *context);
	/* Of the walk at hand. */
	const struct point *point;
	const struct mapping *mapping; /* whose unwind information was asked for last */
	bool has_rules;		       /* of the step at hand: an FDE covers the PC */
	bool has_read;		       /* of the step at hand: a word other than of the CFI */
};

/* The encodings that every linker writes: eh_frame_ptr pcrel|sdata4, fde_count udata4, table
 * datarel|sdata4. Other tables can't be searched, by the library either. */
static const uint8_t searchable[] = { 1, 0x1b, 0x03, 0x3b };
#define FDE_COUNT_OFFSET 8u
#define TABLE_OFFSET	 12u
#define TABLE_ENTRY	 8u /* two sdata4: first PC, FDE */

static int find_proc_info(unw_addr_space_t space, unw_word_t pc, unw_proc_info_t *ret,
			  int need_unwind_info, void *context)
{
	struct libunwind_engine *engine = context;
	const struct mapping *mapping = address_space_find(engine->point->space, pc);
	const struct image_section *header;
	uint32_t count;
	int status;

	engine->mapping = mapping;
	if (!mapping || !mapping->entry)
		return -UNW_ENOINFO;
	header = &mapping->entry->image->eh_frame_hdr;
	if (!header->data || header->size < TABLE_OFFSET ||
	    memcmp(header->data, searchable, sizeof(searchable)) != 0)
		return -UNW_ENOINFO;
	memcpy(&count, header->data + FDE_COUNT_OFFSET, sizeof(count));
	if (count == 0 || count > (header->size - TABLE_OFFSET) / TABLE_ENTRY)
		return -UNW_ENOINFO;

	unw_dyn_info_t table = {
		.format = UNW_INFO_FORMAT_REMOTE_TABLE,
		.start_ip = mapping->start,
		.end_ip = mapping->end,
		.u.rti = { .segbase = header->vaddr + mapping->bias,
			   .table_data = header->vaddr + mapping->bias + TABLE_OFFSET,
			   .table_len = count * TABLE_ENTRY / sizeof(unw_word_t) },
	};

	status = engine->search(space, pc, &table, ret, need_unwind_info, context);
	engine->has_rules = status == 0;
	engine->has_read = false; /* a CIE's personality lies outside of the CFI */
	return status;
}

static void put_unwind_info(unw_addr_space_t space, unw_proc_info_t *info, void *context)
{
}

static int get_dyn_info_list_addr(unw_addr_space_t space, unw_word_t *ret, void *context)
{
	return -UNW_ENOINFO;
}

/* The library reads whole aligned words: the first and the last one may reach out of a section. */
static bool reaches_into(uint64_t vaddr, const struct image_section *section)
{
	return section->data && vaddr + sizeof(unw_word_t) > section->vaddr &&
	       vaddr < section->vaddr + section->size;
}

static bool is_eh_frame(const struct image *image, uint64_t vaddr)
{
	const struct image_section *section;

	for (size_t i = 0; (section = image_eh_frame(image, i)); i++)
		if (reaches_into(vaddr, section))
			return true;
	return false;
}

/* A word of the CFI, from the file that is mapped there; NULL if the address is none of it. */
static const uint8_t *cfi_word(const struct mapping *mapping, uint64_t address)
{
	const struct image *image = mapping && mapping->entry ? mapping->entry->image : NULL;
	uint64_t vaddr;

	if (!image)
		return NULL;
	vaddr = address - mapping->bias;
	if (!reaches_into(vaddr, &image->eh_frame_hdr) && !is_eh_frame(image, vaddr))
		return NULL;
	return image_bytes(image, vaddr, sizeof(unw_word_t));
}

static int access_mem(unw_addr_space_t space, unw_word_t address, unw_word_t *value, int write,
		      void *context)
{
	struct libunwind_engine *engine = context;
	const struct memory_reader *memory = engine->point->memory;
	const uint8_t *bytes;

	if (write)
		return -UNW_EINVAL;
	bytes = cfi_word(engine->mapping, address);
	if (bytes) {
		memcpy(value, bytes, sizeof(*value));
		return 0;
	}
	engine->has_read = true;
	return memory->read(memory->context, address, value, sizeof(*value)) ? -UNW_EINVAL : 0;
}

/* The library's numbers are the psABI's up to rip. */
_Static_assert(UNW_X86_64_RDX == 1 && UNW_X86_64_RSP == REGISTER_RSP && UNW_X86_64_R15 == 15 &&
		       UNW_X86_64_RIP == REGISTER_RIP,
	       "libunwind's register numbers");

static int access_reg(unw_addr_space_t space, unw_regnum_t number, unw_word_t *value, int write,
		      void *context)
{
	const struct libunwind_engine *engine = context;

	if (write || number < 0 || number >= REGISTER_COUNT)
		return -UNW_EBADREG;
	*value = engine->point->regs->value[number];
	return 0;
}

static int access_fpreg(unw_addr_space_t space, unw_regnum_t number, unw_fpreg_t *value, int write,
			void *context)
{
	return -UNW_EBADREG;
}

static int resume(unw_addr_space_t space, unw_cursor_t *cursor, void *context)
{
	return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t space, unw_word_t address, char *name, size_t size,
			 unw_word_t *ret_offset, void *context)
{
	return -UNW_ENOINFO;
}

static unw_accessors_t accessors(void)
{
	return (unw_accessors_t) {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = get_dyn_info_list_addr,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = access_fpreg,
		.resume = resume,
		.get_proc_name = get_proc_name,
	};
}

static void libunwind_close(void *context)
{
	struct libunwind_engine *engine = context;

	if (engine->space)
		engine->destroy(engine->space);
	if (engine->library)
		dlclose(engine->library);
	free(engine);
}

static int load(struct libunwind_engine *engine, struct error *error)
{
	engine->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!engine->library)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%s is not installed", LIBRARY);
	engine->create = dlsym(engine->library, SYMBOL_NAME(create_addr_space));
	engine->destroy = dlsym(engine->library, SYMBOL_NAME(destroy_addr_space));
	engine->init = dlsym(engine->library, SYMBOL_NAME(init_remote));
	engine->step = dlsym(engine->library, SYMBOL_NAME(step));
	engine->get = dlsym(engine->library, SYMBOL_NAME(get_reg));
	engine->search = dlsym(engine->library, SYMBOL_NAME(dwarf_search_unwind_table));
	if (!engine->create || !engine->destroy || !engine->init || !engine->step || !engine->get ||
	    !engine->search)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%s lacks a function", LIBRARY);
	return 0;
}

static int libunwind_open(struct bpf_records *records, void **ret, struct error *error)
{
	struct libunwind_engine *engine = calloc(1, sizeof(*engine));
	unw_accessors_t own = accessors();

	if (!engine)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for engine libunwind");
	if (load(engine, error))
		goto bad;
	engine->space = engine->create(&own, 0); /* copies the accessors */
	if (!engine->space) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for engine libunwind");
		goto bad;
	}
	*ret = engine;
	return 0;
bad:
	libunwind_close(engine);
	return -1;
}

/*
 * One step; STOP_NONE: *ret_pc is where the caller goes on. The library says 0 for an undefined
 * return address, for a return address of 0 and for a guess that led nowhere. Only the first proves
 * the end, and only it has rules by which no word of the stack is looked at.
 */
static uint32_t step_once(struct libunwind_engine *engine, unw_cursor_t *cursor, uint64_t *ret_pc)
{
	unw_word_t pc;
	int status;

	engine->has_rules = false;
	engine->has_read = false;
	status = engine->step(cursor);
	if (status < 0)
		return STOP_FOREIGN;
	if (status == 0)
		return engine->has_rules && !engine->has_read ? STOP_COMPLETE : STOP_FOREIGN;
	if (engine->get(cursor, UNW_REG_IP, &pc))
		return STOP_FOREIGN;
	*ret_pc = pc;
	return pc ? STOP_NONE : STOP_ZERO_RETURN;
}

static enum engine_answer libunwind_walk(void *context, const struct point *point,
					 struct stack *ret, struct error *error)
{
	struct libunwind_engine *engine = context;
	unw_cursor_t cursor;
	uint64_t pc;

	engine->point = point;
	engine->mapping = NULL;
	stack_clear(ret);
	if (stack_push(ret, point->regs->value[REGISTER_RIP], error))
		return ENGINE_ERROR;
	ret->stop = STOP_FOREIGN;
	if (engine->init(&cursor, engine->space, engine))
		return ENGINE_STACK;
	while ((ret->stop = step_once(engine, &cursor, &pc)) == STOP_NONE) {
		if (ret->count == stack_limit(ret)) {
			ret->stop = STOP_DEPTH;
			break;
		}
		if (stack_push(ret, pc, error))
			return ENGINE_ERROR;
	}
	return ENGINE_STACK;
}

const struct engine engine_libunwind = {
	.name = "libunwind",
	.summary = "libunwind's unw_step, remote",
	.open = libunwind_open,
	.close = libunwind_close,
	.walk = libunwind_walk,
};
