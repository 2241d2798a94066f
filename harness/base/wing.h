/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - what every wing is built on: the command line, children, images as files, exit statuses
 *
 * cli parses the arguments of a command. A program that a command runs is a child. A file that it reads is an image.
 * gate makes the exit status of what was checked and what was not.
 *
 *	cli/		options, input and output files, JSON, messages, exit statuses, progress on a terminal
 *	child/		child processes: started, read from, ended
 *	images/		ELF files, archives, packages and folders as images; debug files; code as source lines
 *	ignore/		the list of findings that a user ignores, with a reason and a last day for each
 *	finding/	findings that are read: as records, and those of two runs against each other
 *	gate/		what was checked, what was not and why, and the exit status that follows
 *	cases/		what a command judged, as test cases for CI servers: JUnit and TAP
 */
#ifndef STACKPROOF_BASE_WING_H
#define STACKPROOF_BASE_WING_H

#endif
