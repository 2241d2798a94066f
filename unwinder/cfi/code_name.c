/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_name.c - which function an address is in
 *
 * Everything that names code asks here, so that a stack, a finding and a table call it alike. In
 * this order: the symbol that covers the address, the PLT's stub, the section (.init, .fini and
 * PLTs, which linkers and start-up objects write piece by piece), the FDE, and the gap between two
 * FDEs. docs/NAMES.md has the rules, with their reasons.
 *
 * A symbol without size does not say where it ends, but an FDE says where a function begins and
 * ends: so such a symbol ends at the next FDE's begin, and where the FDE ends that covers its own.
 * Code behind that is somebody else's, without a name, rather than blamed on whoever stands before
 * it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cfi_section.h"
#include "image/elf_image.h"
#include "code_name.h"
#include "array.h"

/* How many FDEs of by_pc begin at or before vaddr. */
static size_t count_before(const struct cfi *cfi, uint64_t vaddr)
{
	return ARRAY_BEFORE(cfi->by_pc_count, i, cfi->fde[cfi->by_pc[i]].pc_begin <= vaddr);
}

/* Whether no FDE says that the symbol, which has no size, ended before vaddr. */
static bool reaches(const struct cfi *cfi, const struct image_symbol *symbol, uint64_t vaddr)
{
	if (!cfi)
		return true;
	size_t next = count_before(cfi, symbol->pc);
	if (next < cfi->by_pc_count && cfi->fde[cfi->by_pc[next]].pc_begin <= vaddr)
		return false;
	const struct cfi_fde *own = cfi_fde_find(cfi, symbol->pc);
	return !own || vaddr - own->pc_begin < own->pc_range;
}

/* Where the last FDE before vaddr ends, or the section begins. */
static uint64_t gap_start(const struct cfi *cfi, const struct code_section *section, uint64_t vaddr)
{
	uint64_t start = section ? section->start : 0;
	size_t before = cfi ? count_before(cfi, vaddr) : 0;
	/* FDEs that lie over each other may end in any order. */
	size_t first = before && !cfi->overlapping ? before - 1 : 0;
	for (size_t i = first; i < before; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];
		uint64_t end = fde->pc_begin + fde->pc_range;
		if (end <= vaddr && end > start)
			start = end;
	}
	return start;
}

int code_name_prepare(const struct image *image, struct error *error)
{
	if (image_read_symbols(image) && image_read_ranges(image) && image_read_plt(image))
		return 0;
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for the names of %s", image->path);
}

/* The function that is asked which function it shall be: the symbol that begins there. */
static const char *resolver_name(const struct image *image, uint64_t vaddr)
{
	const struct image_symbol *symbol = image_symbol_at(image, vaddr);

	return symbol ? symbol->name : NULL;
}

/* Where the resolvers of the stubs begin that the addresses are in: they are called by them. Returns
 * how many there are. */
static size_t add_resolvers(const struct image *image, const uint64_t *address, size_t count,
			    uint64_t *ret)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		const struct code_section *section = image_code_section(image, address[i]);
		const struct plt_stub *stub = section && section->piecewise
						      ? image_plt_stub(image, address[i])
						      : NULL;

		if (stub && !stub->name)
			ret[found++] = stub->target;
	}
	return found;
}

int code_name_prepare_at(const struct image *image, const uint64_t *address, size_t count,
			 struct error *error)
{
	FREED uint64_t *all = calloc(count + 1, 2 * sizeof(*all));
	size_t some = count;
	bool enough;

	if (!all)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for %zu names", count);
	enough = image_read_symbols_at(image, NULL, 0); /* sections alone */
	if (count)
		memcpy(all, address, count * sizeof(*all));
	if (enough)
		some += add_resolvers(image, address, count, all + count);
	if (some > count)
		qsort(all, some, sizeof(*all), array_order_u64);
	enough = enough && image_read_symbols_at(image, all, some) && image_read_ranges(image);
	return enough ? 0
		      : error_set(error, ERROR_MEMORY, "", 0, "no memory for the names of %s",
				  image->path);
}

static void find_unnamed(const struct image *image, const struct cfi *cfi, uint64_t vaddr,
			 const struct code_section *section, struct code_name *ret)
{
	bool piecewise = section && section->piecewise;
	const struct plt_stub *stub = piecewise ? image_plt_stub(image, vaddr) : NULL;
	if (stub) {
		ret->kind = CODE_STUB;
		ret->start = stub->start;
		ret->name = stub->name ? stub->name : resolver_name(image, stub->target);
		ret->resolver = stub->target;
	} else if (piecewise) {
		ret->kind = CODE_SECTION;
		ret->start = section->start;
		ret->name = section->name;
	} else {
		const struct cfi_fde *fde = cfi ? cfi_fde_find(cfi, vaddr) : NULL;
		ret->kind = fde ? CODE_FDE : CODE_GAP;
		ret->start = fde ? fde->pc_begin : gap_start(cfi, section, vaddr);
	}
}

void code_name_find(const struct image *image, const struct cfi *cfi, uint64_t vaddr,
		    struct code_name *ret)
{
	const struct code_section *section = image_code_section(image, vaddr);
	const struct image_symbol *symbol = image_symbol_find(image, vaddr);
	*ret = (struct code_name) { .section = section ? section->name : "" };
	if (symbol && (symbol->size || reaches(cfi, symbol, vaddr))) {
		ret->kind = CODE_SYMBOL;
		ret->start = symbol->pc;
		ret->name = symbol->name;
		ret->symbol = symbol;
		return;
	}
	find_unnamed(image, cfi, vaddr, section, ret);
}

void code_name_find_unnamed(const struct image *image, const struct cfi *cfi, uint64_t vaddr,
			    struct code_name *ret)
{
	const struct code_section *section = image_code_section(image, vaddr);

	*ret = (struct code_name) { .section = section ? section->name : "" };
	find_unnamed(image, cfi, vaddr, section, ret);
}

bool code_name_is_stub(const struct image *image, const struct cfi *cfi, uint64_t vaddr)
{
	const struct code_section *section = image_code_section(image, vaddr);
	struct code_name name;
	if (!section || !section->piecewise)
		return false;
	code_name_find(image, cfi, vaddr, &name);
	return name.kind == CODE_STUB;
}

void code_name_print(const struct code_name *name, char *text, size_t size)
{
	switch (name->kind) {
	case CODE_SYMBOL:
	case CODE_SECTION: snprintf(text, size, "%s", name->name); break;
	case CODE_STUB:
		if (name->name)
			snprintf(text, size, "%s@plt", name->name);
		else
			snprintf(text, size, "*ABS*+0x%" PRIx64 "@plt", name->resolver);
		break;
	case CODE_FDE: snprintf(text, size, "fde@0x%" PRIx64, name->start); break;
	case CODE_GAP: snprintf(text, size, "gap@0x%" PRIx64, name->start); break;
	}
}

void code_name_print_place(const struct code_name *name, char *text, size_t size)
{
	if (name->kind == CODE_STUB)
		snprintf(text, size, "%s", name->section);
	else
		code_name_print(name, text, size);
}

uint16_t cfi_fde_code_section(const struct cfi *cfi, const struct cfi_fde *fde)
{
	const struct image_section *where = cfi->cie[fde->cie].section;
	struct cfi_entry entry;
	struct error ignored;

	if (cfi->image->type != ET_REL ||
	    cfi_entry_read(where, where != &cfi->image->debug_frame, fde->offset, &entry, &ignored))
		return SHN_UNDEF;
	return image_referenced_section(cfi->image, entry.body);
}

const struct image_symbol *cfi_fde_symbol(const struct cfi *cfi, const struct cfi_fde *fde)
{
	if (cfi->image->type != ET_REL) {
		struct code_name name;
		code_name_find(cfi->image, cfi, fde->pc_begin, &name);
		return name.symbol;
	}
	uint16_t section = cfi_fde_code_section(cfi, fde);
	const struct image_symbol *symbol =
		section ? image_symbol_covering(cfi->image, section, fde->pc_begin) : NULL;
	/* One without size ends where the next FDE begins. */
	return symbol && (symbol->size || symbol->pc == fde->pc_begin) ? symbol : NULL;
}
