/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * function_name.c - a symbol's name without what differs between two builds of one source
 *
 * rustc puts a hash of its own version into each name, LLVM's ThinLTO a hash of the module, and
 * code without a symbol is named by its address. Held against another compiler's, these would be
 * other functions. Of Rust's legacy mangling the path is given as it is written in the source; C++
 * names stay as they are, since every compiler mangles them alike (Itanium C++ ABI, 5.1).
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "function_name.h"

#define RUST_HASH_SIZE 17 /* 'h' and 16 hexadecimal digits */

static const struct rust_escape {
	const char *escaped;
	const char *text;
} rust_escapes[] = {
	{ "$LT$", "<" },   { "$GT$", ">" },  { "$RF$", "&" },  { "$BP$", "*" },	 { "$C$", "," },
	{ "$LP$", "(" },   { "$RP$", ")" },  { "$u20$", " " }, { "$u7b$", "{" }, { "$u7d$", "}" },
	{ "$u5b$", "[" },  { "$u5d$", "]" }, { "$u27$", "'" }, { "$u3b$", ";" }, { "$u2b$", "+" },
	{ "$u22$", "\"" }, { "..", "::" },
};

static void put_rust_segment(FILE *file, const char *at, size_t size)
{
	const char *end = at + size;

	/* An identifier can't begin with '$': an underscore was put before it. */
	if (size > 1 && at[0] == '_' && at[1] == '$')
		at++;
	while (at < end) {
		size_t i, count = sizeof(rust_escapes) / sizeof(rust_escapes[0]);
		for (i = 0; i < count; i++) {
			size_t length = strlen(rust_escapes[i].escaped);
			if ((size_t)(end - at) >= length &&
			    !strncmp(at, rust_escapes[i].escaped, length))
				break;
		}
		if (i < count) {
			fputs(rust_escapes[i].text, file);
			at += strlen(rust_escapes[i].escaped);
		} else {
			putc(*at++, file);
		}
	}
}

static bool is_rust_hash(const char *at, size_t size)
{
	if (size != RUST_HASH_SIZE || at[0] != 'h')
		return false;
	for (size_t i = 1; i < size; i++)
		if (!isxdigit((unsigned char)at[i]))
			return false;
	return true;
}

/* "_ZN4main2a117h0123456789abcdefE.llvm.1" -> "main::a1". False: it is none. */
static bool print_rust(FILE *file, const char *name)
{
	const char *at = name + 3;
	bool hash = false;
	int segments = 0;

	if (strncmp(name, "_ZN", 3) != 0)
		return false;
	/* Once to see whether it is one, once to print. */
	for (int print = 0; print < 2; print++) {
		size_t left, size;
		segments = 0;
		for (at = name + 3; isdigit((unsigned char)*at); at += size, segments++) {
			char *end;
			size = strtoul(at, &end, 10);
			at = end;
			left = strlen(at);
			if (!size || size > left)
				return false;
			hash = is_rust_hash(at, size) && at[size] == 'E';
			if (print && !hash) {
				fputs(segments ? "::" : "", file);
				put_rust_segment(file, at, size);
			}
		}
		if (!hash || *at != 'E')
			return false;
	}
	return true;
}

/* Rust's v0 mangling: the crate's disambiguator is a hash ("Cs1a2B_4main" -> "C4main"). */
static void put_v0(FILE *file, const char *name)
{
	for (const char *at = name; *at; at++) {
		putc(*at, file);
		if (at[0] != 'C' || at[1] != 's')
			continue;
		size_t digits = 0;
		while (isalnum((unsigned char)at[2 + digits]))
			digits++;
		if (digits && at[2 + digits] == '_')
			at += 2 + digits;
	}
}

void function_name_print(const char *name, char *ret, size_t size)
{
	FILE *file;

	ret[0] = '\0';
	if (!name[0] || !strncmp(name, "gap@0x", 6)) {
		snprintf(ret, size, "%s", name[0] ? "code without symbol" : "?");
		return;
	}
	if (!strncmp(name, "fde@0x", 6)) {
		snprintf(ret, size, "an FDE without symbol");
		return;
	}
	file = fmemopen(ret, size, "w");
	if (!file)
		return;
	if (!print_rust(file, name)) {
		const char *suffix = strstr(name, ".llvm.");
		char *plain = strndup(name, suffix ? (size_t)(suffix - name) : strlen(name));
		if (plain && !strncmp(plain, "_R", 2))
			put_v0(file, plain);
		else if (plain)
			fputs(plain, file);
		free(plain);
	}
	fclose(file);
	ret[size - 1] = '\0';
	/* Nothing but a hash. */
	if (!ret[0])
		snprintf(ret, size, "%s", name);
}
