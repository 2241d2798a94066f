/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_name.c - one function's names: keys
 *
 * libiberty demangles: C++ (Itanium ABI) and both manglings of Rust, as perf and binutils do.
 */
#include <ctype.h>
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>
#include "score/score_name.h"

#define RUST_HASH_SIZE 19 /* "::h" and 16 digits */

/* What compilers put behind the name of a function that they have cut up or copied. */
static const char *const clones[] = { "cold", "part", "constprop",  "isra",	"lto_priv",
				      "llvm", "warm", "localalias", "unlikely", "resolver" };

static bool is_clone(const char *at, size_t size)
{
	for (size_t i = 0; i < sizeof(clones) / sizeof(clones[0]); i++)
		if (strlen(clones[i]) == size && !memcmp(at, clones[i], size))
			return true;
	return false;
}

static bool is_number(const char *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!isdigit((unsigned char)at[i]))
			return false;
	return size > 0;
}

/* "f.part.0.cold" -> "f", a suffix a call. */
static bool cut_clone(char *key)
{
	char *last = strrchr(key, '.'), *before;

	if (!last || last == key)
		return false;
	if (is_number(last + 1, strlen(last + 1))) {
		before = memrchr(key, '.', last - key);
		if (!before || before == key || !is_clone(before + 1, last - before - 1))
			return false;
		last = before;
	} else if (!is_clone(last + 1, strlen(last + 1))) {
		return false;
	}
	*last = '\0';
	return true;
}

static void cut_version(char *key)
{
	char *at = strchr(key + (*key != '\0'), '@');

	/* "fde@0x1230" is our own name of what has none. */
	if (at && strcmp(at, "@plt") != 0 && strncmp(at, "@0x", 3) != 0)
		*at = '\0';
}

static void cut_rust_hash(char *key)
{
	size_t size = strlen(key);
	char *at = key + size - RUST_HASH_SIZE;

	if (size <= RUST_HASH_SIZE || memcmp(at, "::h", 3))
		return;
	for (char *digit = at + 3; *digit; digit++)
		if (!isxdigit((unsigned char)*digit))
			return;
	*at = '\0';
}

void name_key(const char *name, char ret[NAME_KEY_MAX])
{
	size_t size = 0;
	const char *clone = strstr(name, " [clone ");

	for (; *name && name != clone && size < NAME_KEY_MAX - 1; name++)
		if (!isspace((unsigned char)*name))
			ret[size++] = *name;
	ret[size] = '\0';
	cut_version(ret);
	while (cut_clone(ret))
		;
	cut_rust_hash(ret);
}

bool name_key_bare(const char *key, char ret[NAME_KEY_MAX])
{
	static const char operator[] = "operator", nameless[] = "(anonymousnamespace)";
	size_t depth = 0;

	for (const char *at = key; *at; at++) {
		if (!strncmp(at, operator, strlen(operator))) {
			at += strlen(operator);
			at += !strncmp(at, "()", 2); /* then at its ')' */
			while (*at && strchr("<>", *at))
				at++;
			if (!*at)
				return false;
		}
		depth += *at == '<';
		depth -= *at == '>' && depth;
		if (*at != '(' || depth || at == key)
			continue;
		if (!strncmp(at, nameless, strlen(nameless))) {
			at += strlen(nameless) - 1;
			continue;
		}
		memcpy(ret, key, at - key);
		ret[at - key] = '\0';
		return true;
	}
	return false;
}

char *name_demangle(const char *name)
{
	char plain[NAME_KEY_MAX];
	size_t size = strlen(name);
	char *ret;

	if (strncmp(name, "_Z", 2) != 0 && strncmp(name, "_R", 2) != 0)
		return NULL;
	ret = cplus_demangle(name, DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI);
	if (ret || size >= sizeof(plain))
		return ret;
	/* Suffixes that it does not know, and versions. */
	name_key(name, plain);
	return cplus_demangle(plain, DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI);
}

int name_keys(const char *name, name_key_fn *fn, void *context)
{
	char key[NAME_KEY_MAX], bare[NAME_KEY_MAX];
	char *plain = name_demangle(name);
	int status;

	name_key(name, key);
	status = fn(context, key);
	if (plain && !status) {
		name_key(plain, key);
		status = fn(context, key);
		if (!status && name_key_bare(key, bare))
			status = fn(context, bare);
	}
	free(plain);
	return status;
}
