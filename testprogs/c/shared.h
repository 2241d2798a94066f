/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* shared.h - the chain of shared.c: a1 and c1 are in one library, b1 and top in the other. */
#ifndef STACKPROOF_SHARED_H
#define STACKPROOF_SHARED_H

int a1(int depth);
int b1(int depth);
int c1(int depth);
int top(int depth);

#endif
