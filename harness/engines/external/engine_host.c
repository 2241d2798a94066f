/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * engine_host.c - a program: loads a shared object and asks it for stacks
 *
 *	engine_host FILE.so ARGUMENT
 *
 * stackproof starts it (external.c) and speaks the messages of external_wire.h with it, on its
 * standard streams. So a shared object that crashes or never comes back does that here. It is a
 * program of its own, with nothing linked but the C library: whatever the object brings, also
 * another unwinder, is alone. What the object prints goes to standard error, and is kept.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include "host_serve.h"

static void *find(void *library, const char *name)
{
	void *found = dlsym(library, name);

	if (!found)
		fprintf(stderr, "it has no %s()\n", name);
	return found;
}

static bool load(const char *path, struct host_functions *ret)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return false;
	}
	ret->open = find(library, "stackproof_engine_open");
	ret->walk = find(library, "stackproof_engine_walk");
	ret->close = find(library, "stackproof_engine_close");
	return ret->open && ret->walk && ret->close;
}

int main(int argc, char **argv)
{
	struct host_functions functions;
	struct host *host;

	if (argc != 3)
		host_give_up("usage: engine_host FILE.so ARGUMENT");
	host = host_create();
	if (!load(argv[1], &functions))
		return HOST_STATUS_BAD;
	return host_serve(host, &functions, argv[2]);
}
