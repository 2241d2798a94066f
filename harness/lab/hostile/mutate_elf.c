/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * mutate_elf.c - wrong headers, notes, relocations, symbols, compression, lengths
 *
 * gABI 4.1, chapters 4 and 5; ar(5). Only 64-bit little-endian files are made, whatever the
 * original is: the rest of what is not such a file is a border, too.
 */
#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "freed.h"
#include "mutate.h"

#define FIELD(type, name)                                                                          \
	{                                                                                          \
		offsetof(type, name), sizeof(((type *)0)->name)                                    \
	}

struct field {
	uint16_t offset;
	uint8_t bytes;
};

static void put_field(struct victim *victim, uint64_t base, const struct field *fields,
		      size_t count)
{
	const struct field *field = &fields[victim_draw(victim, count)];

	victim_put_border(victim, base + field->offset, field->bytes);
}
#define PUT_FIELD(victim, base, fields)                                                            \
	put_field(victim, base, fields, sizeof(fields) / sizeof((fields)[0]))

/* ---- tables ------------------------------------------------------------------------------ */

static uint64_t section_table(const struct victim *victim, uint64_t *ret_count)
{
	uint64_t offset = victim_get(victim, offsetof(Elf64_Ehdr, e_shoff), 8);

	*ret_count = victim_get(victim, offsetof(Elf64_Ehdr, e_shnum), 2);
	return offset;
}

static uint64_t segment_table(const struct victim *victim, uint64_t *ret_count)
{
	*ret_count = victim_get(victim, offsetof(Elf64_Ehdr, e_phnum), 2);
	return victim_get(victim, offsetof(Elf64_Ehdr, e_phoff), 8);
}

static bool name_is(const struct victim *victim, uint64_t section, const char *name)
{
	uint64_t count, table = section_table(victim, &count);
	uint64_t strings = table + victim_get(victim, offsetof(Elf64_Ehdr, e_shstrndx), 2) *
					   sizeof(Elf64_Shdr);
	uint64_t at = victim_get(victim, strings + offsetof(Elf64_Shdr, sh_offset), 8) +
		      victim_get(victim, section, 4);
	size_t length = strlen(name) + 1;

	return at <= victim->size && length <= victim->size - at &&
	       !memcmp(victim->data + at, name, length);
}

uint64_t victim_section(struct victim *victim, uint32_t type, const char *name)
{
	uint64_t count, table = section_table(victim, &count), found = 0, seen = 0;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t section = table + i * sizeof(Elf64_Shdr);

		if (section >= victim->size)
			break;
		if (type && victim_get(victim, section + offsetof(Elf64_Shdr, sh_type), 4) != type)
			continue;
		if (name && !name_is(victim, section, name))
			continue;
		if (!victim_draw(victim, ++seen))
			found = section;
	}
	return found;
}

static uint64_t any_section(struct victim *victim)
{
	static const char *const names[] = { ".eh_frame", ".eh_frame_hdr", ".debug_frame",  ".text",
					     ".symtab",	  ".strtab",	   ".rela.plt",	    ".plt",
					     ".dynsym",	  ".shstrtab",	   ".plt.got",	    ".got",
					     ".plt.sec",  ".zdebug_frame", ".rela.eh_frame" };
	uint64_t which = victim_draw(victim, 2 * sizeof(names) / sizeof(names[0]));
	uint64_t section = 0;

	if (which < sizeof(names) / sizeof(names[0]))
		section = victim_section(victim, 0, names[which]);
	return section ? section : victim_section(victim, 0, NULL);
}

static uint64_t section_offset(const struct victim *victim, uint64_t section)
{
	return victim_get(victim, section + offsetof(Elf64_Shdr, sh_offset), 8);
}

static uint64_t section_size(const struct victim *victim, uint64_t section)
{
	return victim_get(victim, section + offsetof(Elf64_Shdr, sh_size), 8);
}

/* ---- headers ----------------------------------------------------------------------------- */

void mutate_header(struct victim *victim)
{
	static const struct field fields[] = {
		FIELD(Elf64_Ehdr, e_phoff),	FIELD(Elf64_Ehdr, e_shoff),
		FIELD(Elf64_Ehdr, e_phnum),	FIELD(Elf64_Ehdr, e_shnum),
		FIELD(Elf64_Ehdr, e_shstrndx),	FIELD(Elf64_Ehdr, e_type),
		FIELD(Elf64_Ehdr, e_entry),	FIELD(Elf64_Ehdr, e_phentsize),
		FIELD(Elf64_Ehdr, e_shentsize), FIELD(Elf64_Ehdr, e_version),
	};
	static const uint16_t special[] = { PN_XNUM, SHN_XINDEX, SHN_LORESERVE, 0, ET_REL, ET_DYN };
	uint64_t count, table;

	switch (victim_draw(victim, 4)) {
	case 0: /* counts in section 0 */
		table = section_table(victim, &count);
		victim_put(victim, offsetof(Elf64_Ehdr, e_phnum), PN_XNUM, 2);
		victim_put(victim, offsetof(Elf64_Ehdr, e_shnum), 0, 2);
		victim_put(victim, table + offsetof(Elf64_Shdr, sh_size),
			   victim_border(victim, count), 8);
		victim_put(victim, table + offsetof(Elf64_Shdr, sh_info),
			   victim_border(victim, count), 4);
		break;
	case 1:
		victim_put(victim, offsetof(Elf64_Ehdr, e_phentsize) + 2 * victim_draw(victim, 5),
			   special[victim_draw(victim, sizeof(special) / sizeof(special[0]))], 2);
		break;
	default: PUT_FIELD(victim, 0, fields);
	}
}

static const struct field section_fields[] = {
	FIELD(Elf64_Shdr, sh_type),	 FIELD(Elf64_Shdr, sh_flags),	FIELD(Elf64_Shdr, sh_addr),
	FIELD(Elf64_Shdr, sh_offset),	 FIELD(Elf64_Shdr, sh_size),	FIELD(Elf64_Shdr, sh_link),
	FIELD(Elf64_Shdr, sh_info),	 FIELD(Elf64_Shdr, sh_entsize), FIELD(Elf64_Shdr, sh_size),
	FIELD(Elf64_Shdr, sh_addralign), FIELD(Elf64_Shdr, sh_name),
};

void mutate_section_header(struct victim *victim)
{
	uint64_t section = any_section(victim), other = any_section(victim);
	uint64_t size = section_size(victim, section), offset = section_offset(victim, section);

	if (!section)
		return;
	switch (victim_draw(victim, 6)) {
	case 0: /* it ends where the file does, or a byte later */
		victim_put(victim, section + offsetof(Elf64_Shdr, sh_size),
			   victim->size - offset + victim_draw(victim, 2), 8);
		break;
	case 1: /* a little less of it */
		victim_put(victim, section + offsetof(Elf64_Shdr, sh_size),
			   victim_draw(victim, size + 1), 8);
		break;
	case 2: /* one lies over another */
		victim_put(victim, section + offsetof(Elf64_Shdr, sh_offset),
			   section_offset(victim, other) + victim_draw(victim, 8), 8);
		break;
	case 3: { /* a type that means something */
		static const uint32_t types[] = { SHT_NULL,   SHT_PROGBITS,	SHT_SYMTAB,
						  SHT_STRTAB, SHT_RELA,		SHT_NOTE,
						  SHT_NOBITS, SHT_REL,		SHT_DYNSYM,
						  SHT_GROUP,  SHT_SYMTAB_SHNDX, SHT_X86_64_UNWIND };
		victim_put(victim, section + offsetof(Elf64_Shdr, sh_type),
			   types[victim_draw(victim, sizeof(types) / sizeof(types[0]))], 4);
		break;
	}
	default: PUT_FIELD(victim, section, section_fields);
	}
}

/* What is called so is read as such. */
void mutate_section_name(struct victim *victim)
{
	uint64_t section = any_section(victim), other = any_section(victim);

	if (section && other)
		victim_put(victim, section, victim_get(victim, other, 4), 4);
}

void mutate_segment(struct victim *victim)
{
	static const struct field fields[] = {
		FIELD(Elf64_Phdr, p_type),   FIELD(Elf64_Phdr, p_flags),
		FIELD(Elf64_Phdr, p_offset), FIELD(Elf64_Phdr, p_vaddr),
		FIELD(Elf64_Phdr, p_filesz), FIELD(Elf64_Phdr, p_memsz),
		FIELD(Elf64_Phdr, p_filesz), FIELD(Elf64_Phdr, p_memsz),
		FIELD(Elf64_Phdr, p_align),
	};
	static const uint32_t types[] = { PT_LOAD, PT_NOTE, PT_GNU_EH_FRAME, PT_NULL, PT_DYNAMIC };
	uint64_t count, table = segment_table(victim, &count);
	uint64_t segment = table + victim_draw(victim, count) * sizeof(Elf64_Phdr);

	switch (victim_draw(victim, 5)) {
	case 0:
		victim_put(victim, segment,
			   types[victim_draw(victim, sizeof(types) / sizeof(types[0]))], 4);
		break;
	case 1: /* executable, and all that can be said of its size */
		victim_put(victim, segment + offsetof(Elf64_Phdr, p_flags), PF_R | PF_X, 4);
		victim_put_border(victim, segment + offsetof(Elf64_Phdr, p_memsz), 8);
		break;
	default: PUT_FIELD(victim, segment, fields);
	}
	/* Sections would be asked first. */
	if (!victim_draw(victim, 4))
		victim_put(victim, offsetof(Elf64_Ehdr, e_shoff), 0, 8);
}

void mutate_many_segments(struct victim *victim)
{
	uint64_t count, table = segment_table(victim, &count);
	uint64_t wanted = 1 + victim_draw(victim, 2000);
	Elf64_Phdr *segment = calloc(wanted, sizeof(*segment));

	for (uint64_t i = 0; segment && i < wanted; i++) {
		uint64_t from = table + victim_draw(victim, count) * sizeof(*segment);

		if (from <= victim->size && sizeof(*segment) <= victim->size - from)
			memcpy(&segment[i], victim->data + from, sizeof(*segment));
		if (victim_draw(victim, 2))
			segment[i].p_vaddr += i << 12;
	}
	table = segment ? victim_append(victim, segment, wanted * sizeof(*segment)) : 0;
	free(segment);
	if (!table)
		return;
	victim_put(victim, offsetof(Elf64_Ehdr, e_phoff), table, 8);
	victim_put(victim, offsetof(Elf64_Ehdr, e_phnum), wanted, 2);
}

/* ---- contents ---------------------------------------------------------------------------- */

void mutate_note(struct victim *victim)
{
	uint64_t count, table = segment_table(victim, &count);
	uint64_t section = victim_section(victim, SHT_NOTE, NULL);
	uint64_t at = section ? section_offset(victim, section) : 0;

	for (uint64_t i = 0; i < count && !at; i++)
		if (victim_get(victim, table + i * sizeof(Elf64_Phdr), 4) == PT_NOTE)
			at = victim_get(
				victim,
				table + i * sizeof(Elf64_Phdr) + offsetof(Elf64_Phdr, p_offset), 8);
	if (at)
		victim_put_border(victim, at + 4 * victim_draw(victim, 3), 4);
}

void mutate_relocation(struct victim *victim)
{
	static const struct field fields[] = { FIELD(Elf64_Rela, r_offset),
					       FIELD(Elf64_Rela, r_info),
					       FIELD(Elf64_Rela, r_addend),
					       { offsetof(Elf64_Rela, r_info) + 4, 4 } };
	uint64_t section = victim_section(victim, SHT_RELA, NULL);
	uint64_t count = section_size(victim, section) / sizeof(Elf64_Rela);

	if (!section)
		return;
	for (uint64_t left = 1 + victim_draw(victim, 8); left; left--)
		PUT_FIELD(victim,
			  section_offset(victim, section) +
				  victim_draw(victim, count) * sizeof(Elf64_Rela),
			  fields);
	if (!victim_draw(victim, 4))
		PUT_FIELD(victim, section, section_fields);
}

void mutate_symbol(struct victim *victim)
{
	static const struct field fields[] = {
		FIELD(Elf64_Sym, st_name),  FIELD(Elf64_Sym, st_value), FIELD(Elf64_Sym, st_size),
		FIELD(Elf64_Sym, st_shndx), FIELD(Elf64_Sym, st_info),
	};
	uint64_t section = victim_section(victim, victim_draw(victim, 2) ? SHT_SYMTAB : SHT_DYNSYM,
					  NULL);
	uint64_t count = section_size(victim, section) / sizeof(Elf64_Sym);

	for (uint64_t left = 1 + victim_draw(victim, 20); section && left; left--)
		PUT_FIELD(victim,
			  section_offset(victim, section) +
				  victim_draw(victim, count) * sizeof(Elf64_Sym),
			  fields);
}

/* Names without an end, of control characters, of nothing. */
void mutate_strings(struct victim *victim)
{
	uint64_t section = victim_section(victim, SHT_STRTAB, NULL);
	uint64_t at = section_offset(victim, section), size = section_size(victim, section);

	if (!section || size > victim->size)
		return;
	if (!victim_draw(victim, 3)) {
		victim_put(victim, at + size - 1, 'x', 1);
		return;
	}
	for (uint64_t left = 1 + victim_draw(victim, 60); left; left--)
		victim_put(victim, at + victim_draw(victim, size),
			   victim_draw(victim, 2) ? victim_draw(victim, 32)
						  : victim_draw(victim, 256),
			   1);
}

void mutate_debug_link(struct victim *victim)
{
	static const char *const links[] = { "x", "/", "..", "\033[2J", "/dev/zero", "self\0" };
	uint64_t section = victim_section(victim, 0, ".gnu_debuglink");
	uint64_t at = section_offset(victim, section);
	const char *link = links[victim_draw(victim, sizeof(links) / sizeof(links[0]))];

	if (!section) {
		/* One that is nothing yet becomes it. */
		mutate_section_name(victim);
		return;
	}
	for (size_t i = 0; i <= strlen(link); i++)
		victim_put(victim, at + i, (uint8_t)link[i], 1);
	victim_put_border(victim, section + offsetof(Elf64_Shdr, sh_size), 8);
}

/* Deflates a section, truly, and then lies about it. */
void mutate_compression(struct victim *victim)
{
	static const char *const names[] = { ".eh_frame", ".debug_frame", ".zdebug_frame",
					     ".strtab", ".symtab" };
	static const struct field fields[] = { FIELD(Elf64_Chdr, ch_type),
					       FIELD(Elf64_Chdr, ch_size),
					       FIELD(Elf64_Chdr, ch_addralign) };
	uint64_t section = victim_section(victim, 0, names[victim_draw(victim, 5)]);
	uint64_t at = section_offset(victim, section), size = section_size(victim, section);
	uLongf deflated;
	FREED uint8_t *bytes = NULL;

	if (!section || at > victim->size || size > victim->size - at || size > 1u << 20)
		return;
	deflated = compressBound(size);
	bytes = calloc(1, sizeof(Elf64_Chdr) + deflated);
	if (!bytes)
		return;
	*(Elf64_Chdr *)bytes = (Elf64_Chdr) { ELFCOMPRESS_ZLIB, 0, size, 8 };
	compress(bytes + sizeof(Elf64_Chdr), &deflated, victim->data + at, size);
	size = sizeof(Elf64_Chdr) + deflated;
	at = victim_append(victim, bytes, size);
	if (!at)
		return;
	victim_put(victim, section + offsetof(Elf64_Shdr, sh_offset), at, 8);
	victim_put(victim, section + offsetof(Elf64_Shdr, sh_size), size, 8);
	victim_put(victim, section + offsetof(Elf64_Shdr, sh_flags),
		   victim_get(victim, section + offsetof(Elf64_Shdr, sh_flags), 8) | SHF_COMPRESSED,
		   8);
	switch (victim_draw(victim, 5)) {
	case 0: break; /* the truth */
	case 1:
		victim_put(victim, section + offsetof(Elf64_Shdr, sh_size),
			   victim_draw(victim, size), 8);
		break;
	case 2:
		victim_put(victim, at + victim_draw(victim, size), victim_draw(victim, 256), 1);
		break;
	default: PUT_FIELD(victim, at, fields);
	}
}

void mutate_truncate(struct victim *victim)
{
	uint64_t section = any_section(victim);
	uint64_t end = section_offset(victim, section) +
		       (victim_draw(victim, 2) ? section_size(victim, section) : 0) +
		       victim_draw(victim, 3) - 1;

	if (victim_draw(victim, 3) == 0)
		end = victim_draw(victim, victim->size);
	if (end < victim->size)
		victim->size = end;
}

/* ---- archives ---------------------------------------------------------------------------- */

struct member {
	char name[16], date[12], owner[6], group[6], mode[8], size[10], end[2];
};

static void put_member(struct victim *victim, char *text, size_t *used, const char *name,
		       uint64_t size)
{
	struct member member;
	char number[24];

	memset(&member, ' ', sizeof(member));
	memcpy(member.name, name, strnlen(name, sizeof(member.name)));
	memcpy(member.date, "0", 1);
	memcpy(member.mode, "100644", 6);
	memcpy(member.end, "`\n", 2);
	if (!victim_draw(victim, 6))
		member.end[0] = (char)victim_draw(victim, 256);
	if (!victim_draw(victim, 3))
		size = victim_border(victim, size);
	snprintf(number, sizeof(number), victim_draw(victim, 8) ? "%llu" : "-%llx",
		 (unsigned long long)size);
	memcpy(member.size, number, strnlen(number, sizeof(member.size)));
	memcpy(text + *used, &member, sizeof(member));
	*used += sizeof(member);
}

/* The file becomes an archive's member: of ar(1), or what a .deb begins with. */
void mutate_archive(struct victim *victim)
{
	static const char *const names[] = { "a.o/",
					     "/0",
					     "/18446744073709551615",
					     "/9999999999999",
					     "debian-binary",
					     "data.tar.xz",
					     "//",
					     "/",
					     "/SYM64/" };
	FREED char *text = malloc(victim->size + 1024);
	size_t used = 8;

	if (!text)
		return;
	memcpy(text, victim_draw(victim, 6) ? "!<arch>\n" : "!<thin>\n", 8);
	for (uint64_t before = victim_draw(victim, 3); before; before--) {
		uint64_t size = victim_draw(victim, 40) & ~1ull;

		put_member(victim, text, &used,
			   names[victim_draw(victim, sizeof(names) / sizeof(names[0]))], size);
		memset(text + used, (int)victim_draw(victim, 256), size);
		used += size;
	}
	put_member(victim, text, &used,
		   names[victim_draw(victim, sizeof(names) / sizeof(names[0]))], victim->size);
	memcpy(text + used, victim->data, victim->size);
	used += victim->size;
	victim->size = 0;
	victim_append(victim, text, used);
	if (!victim_draw(victim, 4))
		victim->size = victim_draw(victim, victim->size);
	snprintf(victim->what + strlen(victim->what), sizeof(victim->what) - strlen(victim->what),
		 " archive");
}
