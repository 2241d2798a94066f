/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * kernel_symbols.c - names of the kernel's addresses: /proc/kallsyms
 *
 * A line is "ffffffff81000000 T _text" or, in a module, "ffffffffc0000000 t f\t[module]". Addresses are 0 for those
 * who may not know them (kernel.kptr_restrict). A module that is loaded later is not known.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "freed.h"
#include "record.h"

struct symbol {
	uint64_t address;
	uint32_t name, module; /* in text */
};

struct kernel_symbols {
	struct symbol *symbol;
	size_t count;
	char *text;
	size_t text_size, text_room;
};

/* Where the text is kept; SIZE_MAX: no memory. */
static size_t keep(struct kernel_symbols *symbols, const char *text)
{
	size_t at = symbols->text_size, size = strlen(text) + 1;

	if (!ARRAY_RESERVE(symbols->text, symbols->text_room, at + size))
		return SIZE_MAX;
	memcpy(symbols->text + at, text, size);
	symbols->text_size += size;
	return at;
}

static bool add(struct kernel_symbols *symbols, const char *line)
{
	char type, name[512], module[64] = "";
	unsigned long long address;
	size_t name_at, module_at = 0;

	if (sscanf(line, "%llx %c %511s [%63[^]]", &address, &type, name, module) < 3 || !address ||
	    !strchr("tTwW", type))
		return true;
	if (!ARRAY_GROW(symbols->symbol, symbols->count))
		return false;
	name_at = keep(symbols, name);
	if (module[0])
		module_at = keep(symbols, module);
	if (name_at == SIZE_MAX || module_at == SIZE_MAX)
		return false;
	symbols->symbol[symbols->count++] = (struct symbol) { address, name_at, module_at };
	return true;
}

struct kernel_symbols *kernel_symbols_read(void)
{
	struct kernel_symbols *symbols = calloc(1, sizeof(*symbols));
	FILE_CLOSED FILE *file = fopen("/proc/kallsyms", "re");
	char line[1024];
	bool enough = symbols && keep(symbols, "") == 0;

	while (enough && file && fgets(line, sizeof(line), file))
		enough = add(symbols, line);
	if (!enough) {
		kernel_symbols_free(symbols);
		return NULL;
	}
	if (symbols->count)
		qsort(symbols->symbol, symbols->count, sizeof(*symbols->symbol), array_order_u64);
	return symbols;
}

void kernel_symbols_free(struct kernel_symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->symbol);
	free(symbols->text);
	free(symbols);
}

const char *kernel_symbols_find(const struct kernel_symbols *symbols, uint64_t address,
				const char **ret_module)
{
	size_t before = ARRAY_BEFORE(symbols->count, i, symbols->symbol[i].address <= address);

	*ret_module = "";
	if (!before)
		return NULL;
	*ret_module = symbols->text + symbols->symbol[before - 1].module;
	return symbols->text + symbols->symbol[before - 1].name;
}
