/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * decode.h - internal: what decode.c and decode_registers.c share
 */
#ifndef STACKPROOF_DECODE_H
#define STACKPROOF_DECODE_H

#include <capstone/capstone.h>
#include "decoder.h"

/* Fills ret->writes and ret->computed_from. decoded: with capstone's detail. */
void instruction_registers(const cs_insn *decoded, struct instruction *ret);

#endif
