/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * doctor_cache.c - kernels and emulators that were fetched; the network is not asked
 */
#include <stdio.h>
#include <string.h>
#include "doctor.h"
#include "freed.h"
#include "guests/vm/vm.h"

/* Adds a word, behind a comma if there is one before; what has no room is "..." */
static void add_word(char text[DOCTOR_TEXT_BYTES], const char *word)
{
	size_t size = strlen(text);

	if (size + strlen(word) + 8 > DOCTOR_TEXT_BYTES) {
		if (strcmp(text + size - 3, "...") != 0)
			strcpy(text + size, " ...");
		return;
	}
	sprintf(text + size, "%s%s", size ? ", " : "", word);
}

void doctor_ask_kernels(const struct ability *ability, struct doctor_found *ret)
{
	FREED struct kernel *kernel = NULL;
	struct error error;
	size_t count;

	(void)ability;
	if (kernels_cached(&kernel, &count, &error) || !count) {
		doctor_say(ret, DOCTOR_MISSING, "none was fetched");
		return;
	}
	doctor_say(ret, DOCTOR_THERE, "%s", "");
	for (size_t i = 0; i < count; i++)
		add_word(ret->text, kernel[i].name);
}

void doctor_ask_emulator(const struct ability *ability, struct doctor_found *ret)
{
	struct emulator emulator;
	char path[512];
	struct error error;

	(void)ability;
	doctor_say(ret, DOCTOR_MISSING, "%s", "");
	for (size_t i = 0; emulator_name_at(i); i++) {
		if (emulator_find(emulator_name_at(i), &emulator) ||
		    (!emulator.directory[0] && i) ||
		    emulator_plugin(&emulator, "watch", path, sizeof(path), &error) < 0)
			continue;
		ret->answer = DOCTOR_THERE;
		add_word(ret->text, emulator.name);
	}
	if (ret->answer == DOCTOR_MISSING)
		doctor_say(ret, DOCTOR_MISSING, "no QEMU here takes the plugin `watch'");
}
