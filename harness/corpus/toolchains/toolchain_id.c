/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * toolchain_id.c - "gcc-12.2.0+lld-14.0.6" in parts, and their order
 *
 * FAMILY-VERSION, with +LINKER-VERSION behind it if the linker is not the usual one. Versions are
 * compared number by number, so that 9 comes before 12. Names come from files: what fits no pattern
 * is a family without a version, which comes before any version.
 */
#include <ctype.h>
#include <string.h>
#include "toolchains.h"

/* The last '-' that a digit follows, or NULL. */
static const char *version_of(const char *text, size_t size)
{
	for (size_t i = size; i-- > 1;) {
		if (text[i - 1] == '-' && isdigit((unsigned char)text[i]))
			return text + i;
	}
	return NULL;
}

/* A number of a version, held at the largest that fits. */
static unsigned int read_number(const char **at, const char *end)
{
	unsigned int number = 0;

	for (; *at < end && isdigit((unsigned char)**at); ++*at) {
		unsigned int digit = **at - '0';
		number = number > (UINT32_MAX - digit) / 10 ? UINT32_MAX : number * 10 + digit;
	}
	return number;
}

void toolchain_id_parse(const char *text, struct toolchain_id *ret)
{
	const char *plus = strchr(text, '+');
	const char *end = plus ? plus : text + strlen(text);
	const char *version = version_of(text, end - text);
	size_t family = (version ? version - 1 : end) - text;

	*ret = (struct toolchain_id) { .family = "" };
	snprintf(ret->family, sizeof(ret->family), "%.*s", (int)family, text);
	snprintf(ret->linker, sizeof(ret->linker), "%s", plus ? plus + 1 : "");
	for (int i = 0; version && i < TOOLCHAIN_VERSION_PARTS; i++) {
		ret->version[i] = read_number(&version, end);
		if (version == end || *version != '.')
			break;
		version++;
	}
}

int toolchain_id_compare(const struct toolchain_id *a, const struct toolchain_id *b)
{
	int order = strcmp(a->family, b->family);

	if (!order)
		order = (a->linker[0] != '\0') - (b->linker[0] != '\0');
	for (int i = 0; !order && i < TOOLCHAIN_VERSION_PARTS; i++)
		order = a->version[i] < b->version[i] ? -1 : a->version[i] > b->version[i];
	return order ? order : strcmp(a->linker, b->linker);
}

/* Whether both begin with the same number of parts. */
static bool same_parts(const struct toolchain_id *a, const struct toolchain_id *b, int parts)
{
	return !memcmp(a->version, b->version, parts * sizeof(*a->version));
}

void toolchain_short_version(const struct toolchain_id *id,
			     const struct toolchain_id *const *others, size_t count, char *ret,
			     size_t size)
{
	int parts = 1;

	/* rustc has been 1 since ever. */
	if (id->version[0] == 1 && id->version[1])
		parts = 2;
	for (size_t i = 0; i < count; i++) {
		if (!toolchain_id_compare(others[i], id) || strcmp(others[i]->linker, id->linker))
			continue;
		while (parts < TOOLCHAIN_VERSION_PARTS && same_parts(id, others[i], parts))
			parts++;
	}
	size_t used = 0;
	ret[0] = '\0';
	for (int i = 0; i < parts && used < size; i++)
		used += snprintf(ret + used, size - used, "%s%u", i ? "." : "", id->version[i]);
	if (id->linker[0] && used < size)
		snprintf(ret + used, size - used, "+%.*s", (int)strcspn(id->linker, "-"),
			 id->linker);
}
