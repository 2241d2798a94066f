/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cut_file.h - a file that becomes shorter while it is read
 *
 * Images are mapped, not copied. Who reads a page of one that is behind the file's end by then, or that the disk
 * can't give, gets SIGBUS (mmap(2)).
 */
#ifndef STACKPROOF_CUT_FILE_H
#define STACKPROOF_CUT_FILE_H

/* What is said of it, behind the file's name. */
#define CUT_FILE_MESSAGE "cut while it was read, or its disk failed"

/* From here on this process, and none that child_fork() makes of it, says then which file that was, behind its own
 * name, and ends with EXIT_BAD_INPUT. What it has not written yet is lost. name: as long as the process. */
void cut_file_watch(const char *name);

#endif
