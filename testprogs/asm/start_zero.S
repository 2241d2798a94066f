/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * start_zero.S - an outermost frame whose return address is 0
 *
 * Rule: a return address of 0 looks like an end and proves none: it is what a thread's start
 * function finds where clone's caller wrote 0, and what a lost stack may hold. Every frame is
 * right; the walk must stop, and must not say "complete".
 */
	.file	"start_zero.S"
#define ZERO_RETURN
#include "bare.h"
begin_program

	function inner
	call	leaf
	ret
	end inner

	caller_on rbx, run, inner
