/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * object_relocate.c - the relocations of an object file that was laid out
 *
 * x86-64 has RELA only: the field's value is in the relocation, what stood in the field does not
 * count (psABI, 4.4). A branch's displacement counts from the field's end, so that its addend is the
 * distance from the symbol less 4. Which field is a branch's is seen by the byte before it: e8, e9, 0f 8x.
 * Before a displacement that counts from rip stands a ModRM byte of another form (SDM, volume 2, 2.2.1.6).
 *
 * A branch that leads out of the section that its symbol is in would reach whatever was laid out
 * there. So its target is not known. Nor is the number of an absolute field whose symbol another file
 * has: that may be the size of a frame as well as an address.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "object_link.h"

#define BRANCH_ADDEND -4

const char *object_relocation_name(enum object_relocation relocation)
{
	static const char *const names[] = {
		[OBJECT_RESOLVED] = "resolved", [OBJECT_UNDEFINED] = "undefined",
		[OBJECT_WEAK] = "weak",		[OBJECT_LINKER] = "linker",
		[OBJECT_OUTSIDE] = "outside",	[OBJECT_UNKNOWN] = "unknown",
	};

	return names[relocation];
}

/* ---- types -------------------------------------------------------------------------------- */

enum field_kind { FIELD_UNKNOWN, FIELD_ABSOLUTE, FIELD_RELATIVE, FIELD_GOT, FIELD_LINKER };

static const struct field_type {
	uint32_t type;
	enum field_kind kind;
	uint8_t bytes;
} field_types[] = {
	{ R_X86_64_64, FIELD_ABSOLUTE, 8 },	    { R_X86_64_32, FIELD_ABSOLUTE, 4 },
	{ R_X86_64_32S, FIELD_ABSOLUTE, 4 },	    { R_X86_64_16, FIELD_ABSOLUTE, 2 },
	{ R_X86_64_8, FIELD_ABSOLUTE, 1 },	    { R_X86_64_PC64, FIELD_RELATIVE, 8 },
	{ R_X86_64_PC32, FIELD_RELATIVE, 4 },	    { R_X86_64_PLT32, FIELD_RELATIVE, 4 },
	{ R_X86_64_PC16, FIELD_RELATIVE, 2 },	    { R_X86_64_PC8, FIELD_RELATIVE, 1 },
	{ R_X86_64_GOTPCREL, FIELD_GOT, 4 },	    { R_X86_64_GOTPCRELX, FIELD_GOT, 4 },
	{ R_X86_64_REX_GOTPCRELX, FIELD_GOT, 4 },   { R_X86_64_GOT32, FIELD_LINKER, 4 },
	{ R_X86_64_TLSGD, FIELD_LINKER, 4 },	    { R_X86_64_TLSLD, FIELD_LINKER, 4 },
	{ R_X86_64_DTPOFF32, FIELD_LINKER, 4 },	    { R_X86_64_GOTTPOFF, FIELD_LINKER, 4 },
	{ R_X86_64_TPOFF32, FIELD_LINKER, 4 },	    { R_X86_64_DTPOFF64, FIELD_LINKER, 8 },
	{ R_X86_64_TPOFF64, FIELD_LINKER, 8 },	    { R_X86_64_GOTOFF64, FIELD_LINKER, 8 },
	{ R_X86_64_GOTPC32, FIELD_LINKER, 4 },	    { R_X86_64_GOT64, FIELD_LINKER, 8 },
	{ R_X86_64_GOTPCREL64, FIELD_LINKER, 8 },   { R_X86_64_GOTPC64, FIELD_LINKER, 8 },
	{ R_X86_64_PLTOFF64, FIELD_LINKER, 8 },	    { R_X86_64_SIZE32, FIELD_LINKER, 4 },
	{ R_X86_64_SIZE64, FIELD_LINKER, 8 },	    { R_X86_64_GOTPC32_TLSDESC, FIELD_LINKER, 4 },
	{ R_X86_64_TLSDESC_CALL, FIELD_LINKER, 0 }, /* marks a call: no field */
};

static struct field_type type_of(uint64_t type)
{
	for (size_t i = 0; i < sizeof(field_types) / sizeof(field_types[0]); i++)
		if (field_types[i].type == type)
			return field_types[i];
	return (struct field_type) { .kind = FIELD_UNKNOWN, .bytes = 1 };
}

/* ---- one relocation ----------------------------------------------------------------------- */

struct relocation {
	struct object_place *place; /* that is relocated */
	uint8_t *bytes;		    /* its */
	uint64_t offset;	    /* of the field */
	int64_t addend;
	struct field_type type;
	size_t symbol;
	GElf_Sym value;
	size_t section; /* that the symbol is in */
	bool branch;
};

static int bad(struct object_link *link, const struct object_place *place, uint64_t offset,
	       const char *what)
{
	return error_set(link->error, ERROR_RELOCATION, place->name, 0,
			 "a relocation of 0x%" PRIx64 " %s", offset, what);
}

static bool is_branch(const struct relocation *relocation)
{
	const uint8_t *at = relocation->bytes + relocation->offset;

	if (!relocation->place->executable || relocation->type.kind != FIELD_RELATIVE ||
	    relocation->type.bytes != 4 || !relocation->offset)
		return false;
	return at[-1] == 0xe8 || at[-1] == 0xe9 ||
	       (relocation->offset >= 2 && at[-2] == 0x0f && (at[-1] & 0xf0) == 0x80);
}

/* call [rip+x] becomes addr32 call, jmp [rip+x] becomes jmp and a nop. */
static bool relax(struct relocation *relocation)
{
	uint8_t *at = relocation->bytes + relocation->offset;

	if (!relocation->place->executable || relocation->offset < 2 || at[-2] != 0xff ||
	    relocation->addend != BRANCH_ADDEND)
		return false;
	if (at[-1] == 0x15) {
		at[-2] = 0x67;
		at[-1] = 0xe8;
	} else if (at[-1] == 0x25) {
		at[-2] = 0xe9;
		at[3] = 0x90;
		relocation->offset--;
	} else {
		return false;
	}
	relocation->type = type_of(R_X86_64_PLT32);
	return true;
}

static void fill(const struct object_link *link, const struct relocation *relocation,
		 uint64_t value)
{
	if (relocation->type.kind == FIELD_RELATIVE)
		value -= relocation->place->vaddr + relocation->offset;
	memcpy(relocation->bytes + relocation->offset, &value, relocation->type.bytes);
}

/* A field of code is listed; one elsewhere that is not known leads nowhere. */
static int done(struct object_link *link, struct relocation *relocation,
		enum object_relocation outcome, bool known)
{
	struct object *object = link->object;
	const char *name = NULL;

	object->relocations[outcome]++;
	object->cfi_unknown |= relocation->place->is_cfi && relocation->value.st_shndx == SHN_UNDEF;
	if (!known && relocation->type.kind != FIELD_UNKNOWN)
		fill(link, relocation, link->undefined_vaddr);
	if (!relocation->place->executable || !relocation->type.bytes)
		return 0;
	if (relocation->value.st_name)
		name = elf_strptr(link->elf, link->string_section, relocation->value.st_name);
	if (!ARRAY_GROW(object->field, object->field_count))
		return object_no_memory(link);
	object->field[object->field_count++] = (struct object_field) {
		relocation->place->vaddr + relocation->offset, name && *name ? name : NULL, !known
	};
	return 0;
}

static int undefined(struct object_link *link, struct relocation *relocation)
{
	bool weak = GELF_ST_BIND(relocation->value.st_info) == STB_WEAK;
	bool named = relocation->branch && relocation->addend == BRANCH_ADDEND &&
		     relocation->symbol;
	bool known = named || !relocation->place->executable;

	if (named)
		fill(link, relocation,
		     link->undefined_vaddr + relocation->symbol + (uint64_t)BRANCH_ADDEND);
	else if (known)
		fill(link, relocation, link->undefined_vaddr + relocation->symbol);
	return done(link, relocation, weak ? OBJECT_WEAK : OBJECT_UNDEFINED, known);
}

/* Whether what it means lies in the section that it names, or at its end. */
static bool is_inside(const struct relocation *relocation, const struct object_place *to)
{
	uint64_t value = relocation->value.st_value;

	if (!to->has_bytes)
		return true; /* nothing is read there */
	if (value > to->size)
		return false;
	if (relocation->branch)
		return value + (uint64_t)(relocation->addend - BRANCH_ADDEND) <= to->size;
	return !to->executable || !relocation->place->is_cfi ||
	       value + (uint64_t)relocation->addend <= to->size;
}

static int defined(struct object_link *link, struct relocation *relocation)
{
	const struct object_place *to = &link->place[relocation->section];
	bool weak = GELF_ST_BIND(relocation->value.st_info) == STB_WEAK;
	/* Of 1 and 2 bytes are parts of branches that nobody recognises. */
	bool narrow = relocation->place->executable && relocation->type.bytes < 4;

	if (!to->placed || narrow)
		return done(link, relocation, OBJECT_LINKER, false);
	if (!is_inside(relocation, to))
		return done(link, relocation, OBJECT_OUTSIDE, false);
	fill(link, relocation,
	     to->vaddr + relocation->value.st_value + (uint64_t)relocation->addend);
	return done(link, relocation, weak ? OBJECT_WEAK : OBJECT_RESOLVED, true);
}

static int by_symbol(struct object_link *link, struct relocation *relocation)
{
	bool absolute = relocation->type.kind == FIELD_ABSOLUTE;

	relocation->branch = is_branch(relocation);
	if (relocation->section == SHN_UNDEF)
		return undefined(link, relocation);
	if (relocation->section == OBJECT_SECTION_ABSOLUTE) {
		if (absolute)
			fill(link, relocation,
			     relocation->value.st_value + (uint64_t)relocation->addend);
		return done(link, relocation, absolute ? OBJECT_RESOLVED : OBJECT_LINKER, absolute);
	}
	if (relocation->section >= link->section_count)
		return done(link, relocation, OBJECT_LINKER, false);
	return defined(link, relocation);
}

static int relocate_one(struct object_link *link, struct object_place *place, Elf_Data *relocations,
			size_t index)
{
	struct relocation relocation = { .place = place, .bytes = link->bytes + place->offset };
	GElf_Rela rela;

	if (index > INT32_MAX || !gelf_getrela(relocations, (int)index, &rela))
		return bad(link, place, 0, "can't be read");
	if (GELF_R_TYPE(rela.r_info) == R_X86_64_NONE)
		return 0;
	relocation.offset = rela.r_offset;
	relocation.addend = rela.r_addend;
	relocation.type = type_of(GELF_R_TYPE(rela.r_info));
	relocation.symbol = GELF_R_SYM(rela.r_info);
	if (rela.r_offset > place->size || relocation.type.bytes > place->size - rela.r_offset)
		return bad(link, place, rela.r_offset, "reaches past the section's end");
	if (relocation.symbol >= link->symbol_count ||
	    !gelf_getsym(link->symbols, (int)relocation.symbol, &relocation.value))
		return bad(link, place, rela.r_offset, "needs a symbol that there isn't");
	relocation.section = object_symbol_section(link, relocation.symbol, &relocation.value);
	switch (relocation.type.kind) {
	case FIELD_UNKNOWN: return done(link, &relocation, OBJECT_UNKNOWN, false);
	case FIELD_LINKER: return done(link, &relocation, OBJECT_LINKER, false);
	case FIELD_GOT:
		if (!relax(&relocation))
			return done(link, &relocation, OBJECT_LINKER, false);
		return by_symbol(link, &relocation);
	default: return by_symbol(link, &relocation);
	}
}

/* ---- all of them -------------------------------------------------------------------------- */

static int relocate_section(struct object_link *link, Elf_Scn *section, const GElf_Shdr *header)
{
	struct object_place *place = &link->place[header->sh_info];
	Elf_Data *relocations = elf_getdata(section, NULL);
	size_t count = header->sh_size / sizeof(Elf64_Rela), file_size;

	image_file_bytes(link->file, &file_size);
	if (header->sh_type != SHT_RELA)
		return bad(link, place, 0, "is of a form that is not read here");
	if (header->sh_entsize != sizeof(Elf64_Rela) || !relocations ||
	    header->sh_link != link->symbol_table)
		return bad(link, place, 0, "can't be read");
	/* Any number of sections may share the same bytes. */
	link->relocations += count;
	if (link->relocations > file_size / sizeof(Elf64_Rela))
		return bad(link, place, 0, "is one of more than the file has room for");
	for (size_t i = 0; i < count; i++)
		if (relocate_one(link, place, relocations, i))
			return -1;
	return 0;
}

static int compare_fields(const void *left, const void *right)
{
	const struct object_field *a = left, *b = right;

	return a->vaddr < b->vaddr ? -1 : a->vaddr > b->vaddr;
}

static int sort_fields(struct object_link *link)
{
	struct object *object = link->object;

	if (!object->field_count)
		return 0;
	qsort(object->field, object->field_count, sizeof(*object->field), compare_fields);
	for (size_t i = 0; i < object->field_count; i++) {
		if (!object->field[i].unknown)
			continue;
		if (!ARRAY_GROW(object->unknown, object->unknown_count))
			return object_no_memory(link);
		object->unknown[object->unknown_count++] = object->field[i].vaddr;
	}
	return 0;
}

/* SHT_CREL, as LLVM writes it on demand. */
#define SHT_CREL_LLVM 0x40000014u

static bool has_relocations(const GElf_Shdr *header)
{
	return header->sh_type == SHT_RELA || header->sh_type == SHT_REL ||
	       header->sh_type == SHT_CREL_LLVM;
}

int object_relocate(struct object_link *link)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	bool any = false;

	while ((section = elf_nextscn(link->elf, section))) {
		if (!gelf_getshdr(section, &header) || !has_relocations(&header) ||
		    !header.sh_size || header.sh_info >= link->section_count ||
		    !link->place[header.sh_info].has_bytes)
			continue;
		any = true;
		if (relocate_section(link, section, &header))
			return -1;
	}
	/* Cranelift's files are finished as they are: .eh_frame counts from where it lies in the file. */
	link->object->cfi_unknown |= !any;
	return sort_fields(link);
}
