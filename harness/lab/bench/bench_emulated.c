/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_emulated.c - is this CPU made by a program?
 *
 * An emulator counts instructions and knows no caches and no guesses: what is quick there says nothing of a real CPU. QEMU's
 * TCG names itself where hypervisors do, in CPUID's leaf 0x40000000.
 */
#include <cpuid.h>
#include <string.h>
#include "bench.h"

bool bench_is_emulated(void)
{
	unsigned int most, name[3] = { 0 };

	__cpuid(0x40000000, most, name[0], name[1], name[2]);
	return !memcmp(name, "TCGTCGTCGTCG", sizeof(name));
}
