/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_digest.h - what tells a file from another build of it, where there is no build-id
 *
 * Its code, where that lies, and its symbols. A file that was copied, moved, stripped or got another time has the same
 * digest; one that was linked anew from other code, or whose functions have other names, has not.
 */
#ifndef STACKPROOF_CODE_DIGEST_H
#define STACKPROOF_CODE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* docs/TRUTH_FILE.md says how each is made; 0: the file has no such bytes. */
struct code_digest {
	uint64_t code; /* of the executable segments; 0: nothing is known of the file */
	uint64_t symtab, dynsym;
};

/* The digest of an ELF file's bytes, which may be anything. False, and *ret is 0: they are no ELF file of this machine, or
 * it has no code. */
bool code_digest_of(const uint8_t *bytes, size_t size, struct code_digest *ret);
/* Two known files have the same code, and no table of symbols that differs: one may have been stripped. */
bool code_digest_is_same(const struct code_digest *a, const struct code_digest *b);

#define CODE_DIGEST_TEXT 51 /* bytes: three numbers of 16 digits */

/* "0123456789abcdef-0123456789abcdef-0123456789abcdef": in JSON. */
const char *code_digest_print(const struct code_digest *digest, char ret[CODE_DIGEST_TEXT]);
/* False: text is none. */
bool code_digest_scan(const char *text, struct code_digest *ret);

#endif
