/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cut_file.h - a file that becomes shorter while it is read
 *
 * Images are mapped, not copied. If a page lies behind the file's end by the time that it is read, or the disk can't
 * deliver it, the reader gets SIGBUS (mmap(2)).
 */
#ifndef STACKPROOF_CUT_FILE_H
#define STACKPROOF_CUT_FILE_H

/* The message, after the file's name. */
#define CUT_FILE_MESSAGE "cut while it was read, or its disk failed"

/* Handles that SIGBUS from now on: the process prints name, the file's name and the message, and exits with
 * EXIT_BAD_INPUT. Its unwritten output is lost. Children of child_fork() have no handler. name must live as
 * long as the process. */
void cut_file_watch(const char *name);

#endif
