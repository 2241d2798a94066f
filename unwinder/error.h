/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * error.h - what went wrong, and where
 *
 * A function that can fail returns 0, or -1 and fills the caller's struct error, which is never NULL.
 */
#ifndef STACKPROOF_ERROR_H
#define STACKPROOF_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum error_code {
	ERROR_NONE,
	ERROR_SYSTEM,		/* a system call failed: see system_errno */
	ERROR_MEMORY,		/* out of memory */
	ERROR_NOT_ELF,		/* no ELF magic, or too short for an ELF header */
	ERROR_UNSUPPORTED_ELF,	/* a class, byte order or machine that is not supported */
	ERROR_ELF_BOUNDS,	/* a header, segment or section reaches past the file's end */
	ERROR_RELOCATION,	/* a relocation of an object file that can't be resolved */
	ERROR_NO_CFI,		/* the image has neither .eh_frame nor .debug_frame */
	ERROR_CFI_LENGTH,	/* a CIE's or FDE's length reaches past the section's end */
	ERROR_CFI_TRUNCATED,	/* a field reaches past its CIE's or FDE's end */
	ERROR_CIE_POINTER,	/* an FDE points at no CIE */
	ERROR_CIE_VERSION,	/* a version that is not supported */
	ERROR_CIE_AUGMENTATION, /* an augmentation whose length is unknown */
	ERROR_POINTER_ENCODING, /* DW_EH_PE_* that is not defined */
	ERROR_CFI_REGISTER,	/* a register number that the machine does not have */
	ERROR_CFI_INSTRUCTION,	/* DW_CFA_* that is not defined for the machine */
	ERROR_CFI_STATE, /* restore_state without remember_state, offset rule without a register */
	ERROR_CFI_RANGE, /* an FDE's PC range wraps, or an advance leaves it */
	ERROR_SEARCH_TABLE,	   /* .eh_frame_hdr is malformed, or disagrees with .eh_frame */
	ERROR_EXPRESSION,	   /* an expression that is malformed or not evaluated here */
	ERROR_EXPRESSION_MEMORY,   /* an expression read memory that could not be read */
	ERROR_EXPRESSION_REGISTER, /* an expression needs a register whose value is not known */
	ERROR_TABLE_LIMIT,	   /* more pages, rows or rules than the format can number */
	ERROR_TEXT_SYNTAX,	   /* a malformed line of a saved table; offset is its number */
	ERROR_UNAVAILABLE, /* the environment lacks something: BPF, a VM, a privilege, a compiler */
	ERROR_PROTOCOL,	   /* a child, tracee, guest or file broke its protocol or format */
	ERROR_TIMEOUT,
	ERROR_THIN_ARCHIVE,    /* an archive whose members are files of their own */
	ERROR_NO_SFRAME,       /* the image has no .sframe */
	ERROR_SFRAME_VERSION,  /* a version of SFrame that is not known */
	ERROR_SFRAME_HEADER,   /* a header of .sframe that makes no sense */
	ERROR_SFRAME_BOUNDS,   /* an offset or a length in .sframe leads out of it */
	ERROR_SFRAME_FUNCTION, /* a malformed entry of its index */
	ERROR_SFRAME_ROW,      /* a malformed row */
	ERROR_SFRAME_ORDER,    /* functions that are out of order, or share code */
	ERROR_CODE_COUNT,
};

/* What went wrong, and where. A plain value: there is nothing to free. */
struct error {
	enum error_code code;
	int system_errno;  /* with ERROR_SYSTEM, else 0 */
	char section[24];  /* "" if the error is not inside a section */
	uint64_t offset;   /* bytes from the section's start; from the file's if section is "", and
			    * always with ERROR_ELF_BOUNDS */
	char message[232]; /* one sentence without newline and full stop; of a long one both ends */
};

/* Fills ret. Returns -1, for `return error_set(...)`. section may be NULL: "". */
int error_set(struct error *ret, enum error_code code, const char *section, uint64_t offset,
	      const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The same for errno: the message is the formatted text, ": " and strerror(errno). */
int error_set_errno(struct error *ret, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Whether an errno, or an error, says that there was no memory or no file descriptor. The input is then not
 * at fault, and may be read later. */
bool errno_is_want(int number);
bool error_is_want(const struct error *error);
/* The code's name in JSON and tests: "cfi_length". */
const char *error_code_name(enum error_code code);
/* Writes "PATH: SECTION+0xOFFSET: MESSAGE", without the parts that are absent, and a newline. */
void error_print(FILE *file, const char *path, const struct error *error);

/* A growing list of errors: one bad FDE is a diagnostic, not a failure. Zero-initialise. */
struct error_list {
	struct error *error;
	size_t count;
	size_t dropped; /* errors that are only counted: beyond ERROR_LIST_MAX, or for want of memory */
};
#define ERROR_LIST_MAX 1000
void error_list_add(struct error_list *list, const struct error *error);
void error_list_deinit(struct error_list *list);

#endif
