/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * object_image.c - an object file's sections laid out as a linker does
 */
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "object.h"
#include "array.h"
#include "image/eh_frames.h"

/* Where a section of the file is in the image, by its number. */
struct object_place {
	bool placed;	 /* it has an address */
	bool has_bytes;	 /* and bytes, at offset */
	bool executable; /* and those are instructions */
	bool is_cfi;
	uint64_t vaddr, size, offset;
	const uint8_t *data; /* in the file */
	const char *name;
	uint32_t type;
	uint32_t out; /* its number in the image; 0: it has no header there */
};

struct object_link {
	const struct image *file;
	struct object *object;
	Elf *elf;
	struct object_place *place;
	size_t section_count;	   /* of the file */
	Elf_Data *symbols;	   /* NULL: none */
	Elf_Data *symbol_sections; /* the sections' numbers that don't fit into a symbol */
	size_t symbol_count;
	size_t symbol_table;   /* the section's number */
	size_t string_section; /* the symbols' names */
	/* Each symbol has one byte outside of all segments: undefined_vaddr plus its number. */
	uint64_t undefined_vaddr, undefined_offset;
	uint64_t text_begin, text_end, data_begin, data_end; /* offsets in the image */
	uint8_t *bytes;					     /* of the image */
	size_t size;
	size_t relocations; /* that were gone through */
	struct error *error;
};

#define OBJECT_BASE                                                                                \
	0x40000000u /* where the image's offset 0 is: numbers in code are seldom there */

/* No numbers of sections: where there are more than 16 bits can number, those that st_shndx reserves (SHN_ABS) are a
 * section's, by SHT_SYMTAB_SHNDX (gABI, chapter 4). */
#define OBJECT_SECTION_ABSOLUTE ((size_t)-1)
#define OBJECT_SECTION_NONE	((size_t)-2) /* SHN_COMMON, or another that is not known */
/* ---- object_image.c ---- */

/* ==== where sections lie ==================================================================== */

/*
 *	headers | sections with instructions, int3 between them | other sections with bytes |
 *	a byte for each symbol | sections without bytes
 *
 * Code that goes on behind its section's end meets int3, not another section: what a linker would put
 * there is not known. A section without bytes (.bss) has few addresses: nothing is read there. Its
 * .debug_frame has the address 0, as in a linked file.
 */

#define SECTION_GAP	  32 /* longer than an instruction */
#define ALIGNMENT_LARGEST 64
#define EMPTY_BYTES	  4096 /* of a section without bytes */
#define PAGE		  4096

static int object_no_memory(struct object_link *link)
{
	return error_set(link->error, ERROR_MEMORY, NULL, 0, "no memory to lay out %s",
			 link->file->path);
}

/* The reader of images has decompressed it already. */
static bool take_debug_frame(struct object_link *link, struct object_place *place)
{
	const struct image_section *section = &link->file->debug_frame;

	if (!section->name || !section->data ||
	    (strcmp(place->name, ".debug_frame") && strcmp(place->name, ".zdebug_frame")))
		return false;
	place->name = ".debug_frame";
	place->data = section->data;
	place->size = section->size;
	place->type = SHT_PROGBITS;
	return place->placed = place->has_bytes = place->is_cfi = true;
}

static void read_section(struct object_link *link, Elf_Scn *section, size_t names)
{
	struct object_place *place = &link->place[elf_ndxscn(section)];
	const char *name;
	GElf_Shdr header;
	size_t size;
	const uint8_t *bytes = image_file_bytes(link->file, &size);

	if (!gelf_getshdr(section, &header))
		return;
	name = elf_strptr(link->elf, names, header.sh_name);
	place->name = name ? name : "";
	place->type = header.sh_type;
	if (take_debug_frame(link, place) || !(header.sh_flags & SHF_ALLOC) ||
	    header.sh_type == SHT_NULL)
		return;
	place->placed = true;
	place->size = header.sh_size;
	if (header.sh_type == SHT_NOBITS || !header.sh_size)
		return;
	place->has_bytes = true;
	place->data = bytes + header.sh_offset; /* image_create() has checked that */
	place->executable = header.sh_flags & SHF_EXECINSTR;
	place->is_cfi = !strcmp(place->name, ".eh_frame");
}

/* No two sections of a file have the same bytes: else a small file could become a large image. */
static int check_sizes(struct object_link *link)
{
	uint64_t sum = 0;
	size_t file_size;

	image_file_bytes(link->file, &file_size);
	for (size_t i = 0; i < link->section_count; i++)
		if (link->place[i].has_bytes &&
		    link->place[i].data != link->file->debug_frame.data &&
		    __builtin_add_overflow(sum, link->place[i].size, &sum))
			sum = UINT64_MAX;
	if (sum > file_size)
		return error_set(link->error, ERROR_ELF_BOUNDS, NULL, 0,
				 "sections that lie over each other");
	if (sum > OBJECT_BYTES_MAX / 2)
		return error_set(link->error, ERROR_TABLE_LIMIT, NULL, 0,
				 "its sections are larger than what is laid out");
	return 0;
}

static uint64_t align(uint64_t at, uint64_t alignment)
{
	return (at + alignment - 1) / alignment * alignment;
}

static uint64_t alignment_of(struct object_link *link, size_t number)
{
	GElf_Shdr header;

	if (!gelf_getshdr(elf_getscn(link->elf, number), &header) || header.sh_addralign < 16)
		return 16;
	return header.sh_addralign > ALIGNMENT_LARGEST ? ALIGNMENT_LARGEST : header.sh_addralign;
}

/* Those with bytes, with instructions or without, from offset at on. Returns the end. */
static uint64_t place_bytes(struct object_link *link, bool executable, uint64_t at)
{
	for (size_t i = 1; i < link->section_count; i++) {
		struct object_place *place = &link->place[i];

		if (!place->has_bytes || place->executable != executable)
			continue;
		place->offset = align(at, alignment_of(link, i));
		if (place->data != link->file->debug_frame.data)
			place->vaddr = OBJECT_BASE + place->offset;
		at = place->offset + place->size + SECTION_GAP;
	}
	return at;
}

static void place_empty(struct object_link *link, uint64_t vaddr)
{
	for (size_t i = 1; i < link->section_count; i++) {
		struct object_place *place = &link->place[i];

		if (!place->placed || place->has_bytes)
			continue;
		place->vaddr = vaddr;
		vaddr += EMPTY_BYTES;
	}
}

static int object_begin_image(struct object_link *link, uint64_t end);
static int place_all(struct object_link *link)
{
	link->text_begin = PAGE;
	link->text_end = place_bytes(link, true, link->text_begin);
	link->data_begin = align(link->text_end, PAGE);
	link->data_end = place_bytes(link, false, link->data_begin);
	link->undefined_offset = align(link->data_end, PAGE);
	link->undefined_vaddr = OBJECT_BASE + link->undefined_offset;
	uint64_t end = link->undefined_offset + link->symbol_count;
	place_empty(link, OBJECT_BASE + align(end, PAGE));
	return object_begin_image(link, end);
}

ARRAY_ORDER(compare_sections, struct object_section, vaddr)

/* What is asked for later: code and data with bytes. */
static int keep_sections(struct object_link *link)
{
	struct object *object = link->object;

	for (size_t i = 1; i < link->section_count; i++) {
		const struct object_place *place = &link->place[i];

		if (!place->has_bytes || !place->vaddr)
			continue;
		if (!ARRAY_ADD(object->section, object->section_count,
			       (struct object_section) { place->vaddr, place->size, place->name,
							 place->data, i }))
			return object_no_memory(link);
	}
	ARRAY_SORT(object->section, object->section_count, compare_sections);
	return 0;
}

static void object_find_symbols(struct object_link *link);
static int object_relocate(struct object_link *link);
static int object_end_image(struct object_link *link);
static int lay_out(struct object_link *link)
{
	size_t names, count, size;
	const uint8_t *bytes = image_file_bytes(link->file, &size);
	Elf_Scn *section = NULL;

	/* libelf would read them at offset 0. */
	if (!link->file->has_sections)
		return error_set(link->error, ERROR_NOT_ELF, NULL, 0,
				 "an object file without sections");
	elf_version(EV_CURRENT);
	link->elf = link->object->elf = elf_memory((char *)bytes, size);
	if (!link->elf || elf_getshdrnum(link->elf, &count) || elf_getshdrstrndx(link->elf, &names))
		return error_set(link->error, ERROR_NOT_ELF, NULL, 0, "libelf: %s", elf_errmsg(-1));
	link->section_count = count;
	link->place = calloc(count + 1, sizeof(*link->place));
	if (!link->place)
		return object_no_memory(link);
	while ((section = elf_nextscn(link->elf, section)))
		if (elf_ndxscn(section) < count)
			read_section(link, section, names);
	object_find_symbols(link);
	if (check_sizes(link) || place_all(link) || keep_sections(link) || object_relocate(link))
		return -1;
	return object_end_image(link);
}

int object_create(const struct image *file, struct object **ret, struct error *error)
{
	struct object *object = calloc(1, sizeof(*object));
	struct object_link link = { .file = file, .object = object, .error = error };
	int result = object ? lay_out(&link) : object_no_memory(&link);

	free(link.bytes);
	free(link.place);
	if (result) {
		object_destroy(object);
		object = NULL;
	}
	*ret = object;
	return result;
}

void object_destroy(struct object *object)
{
	if (!object)
		return;
	image_destroy(object->image);
	elf_end(object->elf);
	free(object->section);
	free(object->field);
	free(object->unknown);
	free(object);
}

const struct object_section *object_section_find(const struct object *object, uint64_t vaddr)
{
	size_t low = ARRAY_BEFORE(object->section_count, i, object->section[i].vaddr <= vaddr);

	if (!low || vaddr - object->section[low - 1].vaddr > object->section[low - 1].size)
		return NULL;
	return &object->section[low - 1];
}

const struct object_field *object_field_find(const struct object *object, uint64_t vaddr,
					     uint64_t size)
{
	size_t low = ARRAY_BEFORE(object->field_count, i, object->field[i].vaddr < vaddr);

	return low < object->field_count && object->field[low].vaddr - vaddr < size
		       ? &object->field[low]
		       : NULL;
}

/* ==== relocations =========================================================================== */

/*
 * x86-64 has RELA only: the field's value is in the relocation, what stood in the field does not
 * count (psABI, 4.4). A branch's displacement counts from the field's end, so that its addend is the
 * distance from the symbol less 4. Which field is a branch's is seen by the byte before it: e8, e9, 0f 8x.
 * Before a displacement that counts from rip stands a ModRM byte of another form (SDM, volume 2, 2.2.1.6).
 *
 * A branch that leads out of the section that its symbol is in would reach whatever was laid out
 * there. So its target is not known. Nor is the number of an absolute field whose symbol another file
 * has: that may be the size of a frame as well as an address.
 */

#define BRANCH_ADDEND -4

const char *const object_relocation_names[OBJECT_RELOCATION_COUNT] = {
	[OBJECT_RESOLVED] = "resolved", [OBJECT_UNDEFINED] = "undefined",
	[OBJECT_WEAK] = "weak",		[OBJECT_LINKER] = "linker",
	[OBJECT_OUTSIDE] = "outside",	[OBJECT_UNKNOWN] = "unknown",
};

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
	if (!ARRAY_ADD(object->field, object->field_count,
		       (struct object_field) { relocation->place->vaddr + relocation->offset,
					       name && *name ? name : NULL, !known }))
		return object_no_memory(link);
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

static size_t object_symbol_section(const struct object_link *link, size_t number,
				    const GElf_Sym *symbol);
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

ARRAY_ORDER(compare_fields, struct object_field, vaddr)

static int sort_fields(struct object_link *link)
{
	struct object *object = link->object;

	ARRAY_SORT(object->field, object->field_count, compare_fields);
	for (size_t i = 0; i < object->field_count; i++)
		if (object->field[i].unknown &&
		    !ARRAY_ADD(object->unknown, object->unknown_count, object->field[i].vaddr))
			return object_no_memory(link);
	return 0;
}

/* SHT_CREL, as LLVM writes it on demand. */
#define SHT_CREL_LLVM 0x40000014u

static bool has_relocations(const GElf_Shdr *header)
{
	return header->sh_type == SHT_RELA || header->sh_type == SHT_REL ||
	       header->sh_type == SHT_CREL_LLVM;
}

/* ---- object_image.c ---- */
static int object_relocate(struct object_link *link)
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

/* ==== the image ============================================================================= */

/*
 * Two segments, what has instructions and what has not, and headers of the sections that somebody asks
 * for: those with code, for the names and ends of functions, and those with CFI. Symbols are those of
 * code, with addresses. Those that other files define are in a section ".undefined" of one byte for
 * each, which no segment holds: who looks for the name of a call's target finds it, and who looks for
 * its instructions finds none.
 */

#define PROGRAM_HEADERS 2

/* ---- symbols ------------------------------------------------------------------------------ */

/* Finds the symbols' table, before sections are placed. */
static void object_find_symbols(struct object_link *link)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(link->elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_SYMTAB && !link->symbols &&
		    header.sh_entsize == sizeof(Elf64_Sym)) {
			link->symbols = elf_getdata(section, NULL);
			link->symbol_table = elf_ndxscn(section);
			link->string_section = header.sh_link;
			if (link->symbols)
				link->symbol_count = link->symbols->d_size / sizeof(Elf64_Sym);
		}
	}
	while (link->symbols && (section = elf_nextscn(link->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB_SHNDX &&
		    header.sh_link == link->symbol_table)
			link->symbol_sections = elf_getdata(section, NULL);
	if (link->symbol_count > INT32_MAX)
		link->symbol_count = INT32_MAX;
}

/* The section that a symbol is defined in: its number, SHN_UNDEF, or one of these. */
static size_t object_symbol_section(const struct object_link *link, size_t number,
				    const GElf_Sym *symbol)
{
	GElf_Sym again;
	Elf32_Word section;

	if (symbol->st_shndx < SHN_LORESERVE)
		return symbol->st_shndx;
	if (symbol->st_shndx == SHN_ABS)
		return OBJECT_SECTION_ABSOLUTE;
	if (symbol->st_shndx != SHN_XINDEX || !link->symbol_sections ||
	    !gelf_getsymshndx(link->symbols, link->symbol_sections, (int)number, &again, &section))
		return OBJECT_SECTION_NONE;
	return section;
}

/* ---- room --------------------------------------------------------------------------------- */

static size_t count_headers(struct object_link *link)
{
	size_t count = 1;

	for (size_t i = 1; i < link->section_count; i++)
		if (link->place[i].has_bytes &&
		    (link->place[i].executable || link->place[i].is_cfi))
			link->place[i].out = (uint32_t)count++;
	return count;
}

/* Makes room for all, behind what has been placed, and copies sections. */
static int object_begin_image(struct object_link *link, uint64_t end)
{
	if (end > OBJECT_BYTES_MAX)
		return error_set(link->error, ERROR_TABLE_LIMIT, NULL, 0,
				 "its sections are larger than what is laid out");
	link->size = end;
	link->bytes = calloc(1, end);
	if (!link->bytes)
		return object_no_memory(link);
	memset(link->bytes + link->text_begin, 0xcc, link->text_end - link->text_begin);
	for (size_t i = 1; i < link->section_count; i++) {
		const struct object_place *place = &link->place[i];

		if (place->has_bytes)
			memcpy(link->bytes + place->offset, place->data, place->size);
	}
	return 0;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Bytes at the image's end. Their offset, or 0: no memory. */
static uint64_t append(struct object_link *link, const void *data, size_t size)
{
	uint64_t at = (link->size + 7) / 8 * 8;
	uint8_t *bytes = realloc(link->bytes, at + size + 1);

	if (!bytes)
		return 0;
	memset(bytes + link->size, 0, at - link->size);
	if (size)
		memcpy(bytes + at, data, size);
	link->bytes = bytes;
	link->size = at + size;
	return at;
}

/* Hidden symbols become local ones when they are linked: no other image calls them. */
static unsigned char linked_info(const GElf_Sym *symbol)
{
	unsigned int visibility = GELF_ST_VISIBILITY(symbol->st_other);

	if (visibility != STV_HIDDEN && visibility != STV_INTERNAL)
		return symbol->st_info;
	return GELF_ST_INFO(STB_LOCAL, GELF_ST_TYPE(symbol->st_info));
}

/* A symbol's place in the image; its name's index stays. False: it is none of code. */
static bool convert_symbol(const struct object_link *link, size_t number,
			   uint32_t undefined_section, Elf64_Sym *ret)
{
	const struct object_place *place;
	GElf_Sym symbol;
	uint32_t out = undefined_section;
	size_t section;

	if (!gelf_getsym(link->symbols, (int)number, &symbol))
		return false;
	section = object_symbol_section(link, number, &symbol);
	*ret = (Elf64_Sym) { .st_name = symbol.st_name,
			     .st_info = linked_info(&symbol),
			     .st_size = symbol.st_size };
	if (section == SHN_UNDEF) {
		ret->st_value = link->undefined_vaddr + number;
		ret->st_size = 1;
		ret->st_info = GELF_ST_INFO(GELF_ST_BIND(symbol.st_info), STT_FUNC);
	} else {
		place = section < link->section_count ? &link->place[section] : NULL;
		if (!place || !place->out || !place->executable || symbol.st_value > place->size)
			return false;
		ret->st_value = place->vaddr + symbol.st_value;
		out = place->out;
	}
	ret->st_shndx = out < SHN_LORESERVE ? (uint16_t)out : SHN_XINDEX;
	return true;
}

/* The headers of the sections that are in the image, and of what is written here. */
struct headers {
	Elf64_Shdr *header;
	size_t count;
	char *names;
	size_t names_size;
	FILE *name_file;
};

static uint32_t add_name(struct headers *headers, const char *name)
{
	long at = ftell(headers->name_file);

	fwrite(name, strlen(name) + 1, 1, headers->name_file);
	return (uint32_t)at;
}

static void add_header(struct headers *headers, const char *name, Elf64_Shdr header)
{
	header.sh_name = add_name(headers, name);
	header.sh_addralign = 1;
	headers->header[headers->count++] = header;
}

static void add_places(const struct object_link *link, struct headers *headers)
{
	for (size_t i = 1; i < link->section_count; i++) {
		const struct object_place *place = &link->place[i];
		uint64_t flags = place->vaddr ? SHF_ALLOC : 0;

		if (place->out)
			add_header(
				headers, place->name,
				(Elf64_Shdr) {
					.sh_type = place->executable ? SHT_PROGBITS : place->type,
					.sh_flags = flags | (place->executable ? SHF_EXECINSTR : 0),
					.sh_addr = place->vaddr,
					.sh_offset = place->offset,
					.sh_size = place->size });
	}
}

static int add_symbols(struct object_link *link, struct headers *headers)
{
	Elf64_Sym *symbols = calloc(link->symbol_count + 1, sizeof(*symbols));
	uint32_t undefined_section = (uint32_t)headers->count;
	size_t count = 1;
	Elf_Scn *section = elf_getscn(link->elf, link->string_section);
	Elf_Data *strings = section && link->symbols ? elf_getdata(section, NULL) : NULL;
	size_t strings_size = strings && strings->d_buf ? strings->d_size : 0;
	uint64_t at, strings_at;

	if (!symbols)
		return object_no_memory(link);
	for (size_t i = 1; i < link->symbol_count; i++)
		count += convert_symbol(link, i, undefined_section, &symbols[count]);
	at = append(link, symbols, count * sizeof(*symbols));
	free(symbols);
	strings_at = at ? append(link, strings_size ? strings->d_buf : "", strings_size) : 0;
	if (!strings_at || !append(link, "", 1))
		return object_no_memory(link);
	add_header(headers, ".undefined",
		   (Elf64_Shdr) { .sh_type = SHT_PROGBITS,
				  .sh_flags = SHF_EXECINSTR,
				  .sh_addr = link->undefined_vaddr,
				  .sh_offset = link->undefined_offset,
				  .sh_size = link->symbol_count });
	add_header(headers, ".symtab",
		   (Elf64_Shdr) { .sh_type = SHT_SYMTAB,
				  .sh_offset = at,
				  .sh_size = count * sizeof(*symbols),
				  .sh_link = undefined_section + 2,
				  .sh_info = 1,
				  .sh_entsize = sizeof(*symbols) });
	add_header(headers, ".strtab",
		   (Elf64_Shdr) { .sh_type = SHT_STRTAB,
				  .sh_offset = strings_at,
				  .sh_size = strings_size });
	return 0;
}

/* Counts that 16 bits don't hold are in section 0 (gABI, "Sections"). */
static void set_counts(struct headers *headers, Elf64_Ehdr *header)
{
	bool many = headers->count >= SHN_LORESERVE;

	header->e_shnum = many ? 0 : (uint16_t)headers->count;
	header->e_shstrndx = many ? SHN_XINDEX : (uint16_t)(headers->count - 1);
	headers->header[0].sh_size = many ? headers->count : 0;
	headers->header[0].sh_link = many ? (uint32_t)headers->count - 1 : 0;
}

static void set_segments(struct object_link *link, const struct headers *headers)
{
	Elf64_Phdr *segment = (Elf64_Phdr *)(link->bytes + sizeof(Elf64_Ehdr));
	const struct {
		uint64_t begin, end;
		uint32_t flags;
	} all[PROGRAM_HEADERS] = {
		{ link->text_begin, link->text_end, PF_R | PF_X },
		{ link->data_begin, link->data_end, PF_R | PF_W },
	};

	for (size_t i = 0; i < PROGRAM_HEADERS; i++) {
		uint64_t size = all[i].end - all[i].begin;

		segment[i] = (Elf64_Phdr) { .p_type = PT_LOAD,
					    .p_flags = all[i].flags,
					    .p_offset = all[i].begin,
					    .p_vaddr = OBJECT_BASE + all[i].begin,
					    .p_paddr = OBJECT_BASE + all[i].begin,
					    .p_filesz = size,
					    .p_memsz = size,
					    .p_align = 1 };
	}
}

static int write_headers(struct object_link *link, struct headers *headers)
{
	Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   ELFDATA2LSB, EV_CURRENT },
			      .e_type = ET_EXEC,
			      .e_machine = EM_X86_64,
			      .e_version = EV_CURRENT,
			      .e_phoff = sizeof(header),
			      .e_ehsize = sizeof(header),
			      .e_phentsize = sizeof(Elf64_Phdr),
			      .e_phnum = PROGRAM_HEADERS,
			      .e_shentsize = sizeof(Elf64_Shdr) };
	Elf64_Shdr names = { .sh_type = SHT_STRTAB };

	add_places(link, headers);
	if (add_symbols(link, headers))
		return -1;
	add_header(headers, ".shstrtab", names);
	if (fflush(headers->name_file))
		return object_no_memory(link);
	names.sh_name = headers->header[headers->count - 1].sh_name;
	names.sh_size = headers->names_size;
	names.sh_offset = append(link, headers->names, headers->names_size);
	headers->header[headers->count - 1] = names;
	set_counts(headers, &header);
	header.e_shoff = append(link, headers->header, headers->count * sizeof(Elf64_Shdr));
	if (!names.sh_offset || !header.e_shoff)
		return object_no_memory(link);
	set_segments(link, headers);
	memcpy(link->bytes, &header, sizeof(header));
	return 0;
}

/* Headers and symbols; then the image is opened. */
static int object_end_image(struct object_link *link)
{
	/* Behind the sections: .undefined, .symtab, .strtab, .shstrtab. */
	struct headers headers = { .header = calloc(count_headers(link) + 4, sizeof(Elf64_Shdr)),
				   .count = 1 };
	int result;

	headers.name_file = open_memstream(&headers.names, &headers.names_size);
	if (headers.header && headers.name_file) {
		add_name(&headers, "");
		result = write_headers(link, &headers);
	} else {
		result = object_no_memory(link);
	}
	if (headers.name_file)
		fclose(headers.name_file);
	free(headers.names);
	free(headers.header);
	return result ? -1
		      : image_create_memory(link->bytes, link->size, link->file->path,
					    &link->object->image, link->error);
}
