/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* dlopen.h - what dlopen.c finds in the libraries that it loads */
#ifndef TESTPROGS_DLOPEN_H
#define TESTPROGS_DLOPEN_H

#include "testprog.h"

/* Calls the function with value, from a frame of the library's own. */
typedef long work_function(long (*function)(long), long value);

work_function work;

#endif
