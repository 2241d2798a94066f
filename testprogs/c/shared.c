/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * shared.c - main a1 b1 c1 top across two shared libraries, through the lazy PLT
 *
 * Each call but the first of its kind goes through a PLT stub; the first goes on through
 * _dl_runtime_resolve and _dl_fixup. Rules: the PLT's CFA expression (binutils writes it with
 * lit11; for -z ibtplt with lit10 or, as 2.40 does, lit9), the resolver's own frames, tables of
 * several images, calls back and forth between them. OTel #1092 lost all PLT rows for two months,
 * lightswitch for seven. The chain is walked twice: the second time the PLT is bound.
 */
#include "testprog.h"
#include "shared.h"

int main(void)
{
	int depth = a1(1);

	KEEP(depth);
	depth += a1(1);
	KEEP(depth);
	return depth != 10;
}
