/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plant_image.h - an ELF file with something of all that can be planted
 *
 * Four functions of real instructions (rows are moved by whole ones) with names, two CIEs and a
 * search table; one segment whose addresses are the file's offsets. For the tests of plant and of
 * goldens; as a program of 18 instructions for those of commands that step one.
 */
#ifndef STACKPROOF_TESTS_PLANT_IMAGE_H
#define STACKPROOF_TESTS_PLANT_IMAGE_H

#include <assert.h>
#include <elf.h>
#include <stdint.h>
#include <string.h>
#include "tests/cfa_bytes.h"

enum {
	PLANT_HDR = 0x200, /* offsets and addresses */
	PLANT_EH_FRAME = 0x300,
	PLANT_FRAMED = 0x1000, /* frame pointer, rbx, an early return, a state remembered */
	PLANT_PUSHES = 0x1010, /* rbx */
	PLANT_GAP = 0x1020,    /* code that no FDE covers */
	PLANT_PLT = 0x1030,    /* an expression */
	PLANT_SIGNAL = 0x1040, /* a signal frame */
	PLANT_END = 0x1048,
};

struct plant_file {
	uint8_t bytes[0x2000];
	size_t size;
	size_t at; /* in .eh_frame */
	uint32_t fde_count;
};

/* A CIE or an FDE: its length and padding are added here. Returns where it begins. */
static inline size_t plant_file_entry(struct plant_file *file, const uint8_t *bytes, size_t size)
{
	size_t start = file->at;
	uint32_t length = (uint32_t)((size + 4 + 7) / 8 * 8 - 4);

	memcpy(file->bytes + start, &length, sizeof(length));
	memcpy(file->bytes + start + 4, bytes, size);
	file->at = start + 4 + length;
	return start;
}

static inline void plant_file_fde(struct plant_file *file, size_t cie, uint32_t pc, uint32_t range,
				  const uint8_t *instructions, size_t size)
{
	uint32_t back = (uint32_t)(file->at + 4 - cie), relative = pc - (uint32_t)(file->at + 8);
	int32_t found[2] = { (int32_t)pc - PLANT_HDR, (int32_t)file->at - PLANT_HDR };
	uint8_t bytes[96] = { 0 };

	assert(size <= sizeof(bytes) - 13);
	memcpy(bytes, &back, 4);
	memcpy(bytes + 4, &relative, 4);
	memcpy(bytes + 8, &range, 4); /* then the length of no augmentation data */
	memcpy(bytes + 13, instructions, size);
	plant_file_entry(file, bytes, 13 + size);
	memcpy(file->bytes + PLANT_HDR + 12 + 8 * file->fde_count++, found, sizeof(found));
}

#define PLANT_FILE_FDE(file, cie, pc, range, ...)                                                  \
	plant_file_fde(file, cie, pc, range, (uint8_t[]) { __VA_ARGS__ },                          \
		       sizeof((uint8_t[]) { __VA_ARGS__ }))

static inline void plant_file_fdes(struct plant_file *file)
{
	/* id 0, version 1, "zR", 1, -8, 16, 1 byte: pcrel sdata4 */
	static const uint8_t plain[] = {
		0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, CFA_USUAL
	};
	static const uint8_t signal[] = { 0, 0, 0,    0,  1, 'z',  'R',	     'S',
					  0, 1, 0x78, 16, 1, 0x1b, CFA_USUAL };
	size_t cie, signal_cie;

	file->at = PLANT_EH_FRAME;
	cie = plant_file_entry(file, plain, sizeof(plain));
	PLANT_FILE_FDE(file, cie, PLANT_FRAMED, 16, CFA_advance_loc(1), CFA_def_cfa_offset(16),
		       CFA_offset(RBP, 2), CFA_advance_loc(3), CFA_def_cfa_register(RBP),
		       CFA_advance_loc(1), CFA_offset(RBX, 3), CFA_advance_loc(2),
		       CFA_remember_state, CFA_def_cfa(RSP, 8), CFA_restore(RBP),
		       CFA_advance_loc(1), CFA_restore_state, CFA_nop, CFA_nop, CFA_nop, CFA_nop,
		       CFA_nop, CFA_nop);
	PLANT_FILE_FDE(file, cie, PLANT_PUSHES, 16, CFA_advance_loc(1), CFA_def_cfa_offset(16),
		       CFA_offset(RBX, 2), CFA_advance_loc(1), CFA_def_cfa_offset(8),
		       CFA_restore(RBX));
	/* rsp + 8 + (((rip & 15) >= 11) << 3) */
	PLANT_FILE_FDE(file, cie, PLANT_PLT, 16,
		       CFA_def_cfa_expression(DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15,
					      DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3,
					      DW_OP_shl, DW_OP_plus));
	signal_cie = plant_file_entry(file, signal, sizeof(signal));
	PLANT_FILE_FDE(file, signal_cie, PLANT_SIGNAL, 8, CFA_nop, CFA_nop, CFA_nop, CFA_nop);
}

static inline void plant_file_code(struct plant_file *file)
{
	/* push %rbp; mov %rsp,%rbp; push %rbx; pop %rbx; leave; ret; nop; ret; nop ... */
	static const uint8_t framed[] = {
		0x55, 0x48, 0x89, 0xe5, 0x53, 0x5b, 0xc9, 0xc3, 0x90, 0xc3
	};
	static const uint8_t pushes[] = { 0x53, 0x5b, 0xc3 };
	/* push 0, which ends where the expression says so; a jump to itself */
	static const uint8_t plt[] = { 0x6a, 0, 0xeb, 0xfe };

	memset(file->bytes + PLANT_FRAMED, 0x90, PLANT_END - PLANT_FRAMED);
	memcpy(file->bytes + PLANT_FRAMED, framed, sizeof(framed));
	memcpy(file->bytes + PLANT_PUSHES, pushes, sizeof(pushes));
	memcpy(file->bytes + PLANT_PLT + 9, plt, sizeof(plt));
}

/* Sections behind the code: .eh_frame_hdr, .eh_frame, .symtab with its names, the sections' own. */
static inline void plant_file_sections(struct plant_file *file, Elf64_Ehdr *header)
{
	static const char names[] = "\0framed\0pushes\0plt\0signal\0.eh_frame_hdr\0.eh_frame\0.tab";
	static const struct {
		uint16_t name, pc, size;
	} functions[] = { { 1, PLANT_FRAMED, 16 },
			  { 8, PLANT_PUSHES, 16 },
			  { 15, PLANT_PLT, 16 },
			  { 19, PLANT_SIGNAL, 8 } };
	Elf64_Sym symbol[5] = { { 0 } };
	Elf64_Shdr section[5] = {
		{ 0 },
		{ .sh_name = 26,
		  .sh_type = SHT_PROGBITS,
		  .sh_flags = SHF_ALLOC,
		  .sh_addralign = 4 },
		{ .sh_name = 40,
		  .sh_type = SHT_PROGBITS,
		  .sh_flags = SHF_ALLOC,
		  .sh_addralign = 8 },
		{ .sh_name = 50,
		  .sh_type = SHT_SYMTAB,
		  .sh_link = 4,
		  .sh_entsize = sizeof(symbol[0]) },
		{ .sh_name = 50, .sh_type = SHT_STRTAB },
	};

	for (int i = 0; i < 4; i++)
		symbol[i + 1] = (Elf64_Sym) { .st_name = functions[i].name,
					      .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					      .st_shndx = 1,
					      .st_value = functions[i].pc,
					      .st_size = functions[i].size };
	section[1].sh_addr = section[1].sh_offset = PLANT_HDR;
	section[1].sh_size = 12 + 8 * file->fde_count;
	section[2].sh_addr = section[2].sh_offset = PLANT_EH_FRAME;
	section[2].sh_size = file->at - PLANT_EH_FRAME;
	section[3].sh_offset = 0x1100;
	section[3].sh_size = sizeof(symbol);
	section[4].sh_offset = 0x1200;
	section[4].sh_size = sizeof(names);
	memcpy(file->bytes + 0x1100, symbol, sizeof(symbol));
	memcpy(file->bytes + 0x1200, names, sizeof(names));
	memcpy(file->bytes + 0x1300, section, sizeof(section));
	header->e_shoff = 0x1300;
	header->e_shentsize = sizeof(section[0]);
	header->e_shnum = 5;
	header->e_shstrndx = 4;
	file->size = 0x1300 + sizeof(section);
}

static inline void plant_file_make(struct plant_file *file)
{
	Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
	};
	Elf64_Phdr segment = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_align = 0x1000 };
	static const uint8_t search[] = { 1, 0x1b, 3, 0x3b };
	int32_t eh_frame = PLANT_EH_FRAME - (PLANT_HDR + 4);

	*file = (struct plant_file) { .size = 0 };
	plant_file_code(file);
	plant_file_fdes(file);
	memcpy(file->bytes + PLANT_HDR, search, sizeof(search));
	memcpy(file->bytes + PLANT_HDR + 4, &eh_frame, sizeof(eh_frame));
	memcpy(file->bytes + PLANT_HDR + 8, &file->fde_count, sizeof(file->fde_count));
	plant_file_sections(file, &header);
	segment.p_filesz = segment.p_memsz = file->size;
	memcpy(file->bytes, &header, sizeof(header));
	memcpy(file->bytes + sizeof(header), &segment, sizeof(segment));
}

/* A program of it, wherever it is loaded: from the gap on, which no FDE covers, it calls pushes, that calls
 * framed, and ends with status 7. */
static inline void plant_file_run(struct plant_file *file)
{
	/* call pushes; push $60; pop %rax; push $7; pop %rdi; syscall */
	static const uint8_t begin[] = { 0xe8, 0xeb, 0xff, 0xff, 0xff, 0x6a, 0x3c,
					 0x58, 0x6a, 0x07, 0x5f, 0x0f, 0x05 };
	/* push %rbx; pop %rbx; call framed; ret */
	static const uint8_t pushes[] = { 0x53, 0x5b, 0xe8, 0xe9, 0xff, 0xff, 0xff, 0xc3 };
	Elf64_Ehdr header;

	memcpy(&header, file->bytes, sizeof(header));
	header.e_type = ET_DYN;
	header.e_entry = PLANT_GAP;
	memcpy(file->bytes, &header, sizeof(header));
	memcpy(file->bytes + PLANT_GAP, begin, sizeof(begin));
	memcpy(file->bytes + PLANT_PUSHES, pushes, sizeof(pushes));
}

#endif
