/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * engines.c - the list of engines
 *
 * A new engine is one file beside this one and one line here.
 */
#include <string.h>
#include "engine.h"

static const struct engine *const engines[] = {
	&engine_cfi,	   &engine_table,  &engine_bpf,	   &engine_fp,	    &engine_libdw,
	&engine_libunwind, &engine_libgcc, &engine_perf8k, &engine_perf16k, &engine_perf32k,
	&engine_perf64k,   &engine_scan,   &engine_sframe,
};

static const struct {
	const char *alias, *name;
} aliases[] = {
	{ "perf", "perf8k" }, /* what perf record --call-graph dwarf copies unless told otherwise */
};

const struct engine *engine_at(size_t index)
{
	return index < sizeof(engines) / sizeof(engines[0]) ? engines[index] : NULL;
}

const struct engine *engine_find(const char *name)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strcmp(aliases[i].alias, name) == 0)
			name = aliases[i].name;
	for (size_t i = 0; engine_at(i); i++)
		if (strcmp(engines[i]->name, name) == 0)
			return engines[i];
	return NULL;
}

int engine_open(const struct engine *engine, struct bpf_records *records, void **ret,
		struct error *error)
{
	if (engine->external)
		return engine_external_open(engine, ret, error);
	if (engine->driven)
		return engine_driven_open(engine, ret, error);
	return engine->open(records, ret, error);
}
