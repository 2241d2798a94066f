/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - what every wing stands on: the command line, children, images as files, exit statuses
 *
 * A command's words come in by cli, what it runs is a child, what it reads is an image, and what it checked or left
 * unchecked decides its exit status in gate.
 *
 *	cli/		options, input and output files, JSON, messages, exit statuses, progress on a terminal
 *	child/		a program that is run: started, heard, ended
 *	images/		ELF files, archives, packages and folders as images; debug files; code as source lines
 *	ignore/		findings that a user excuses: the list, its reasons and ends
 *	gate/		what was checked, what was not and why, and the exit status that follows
 *	cases/		what was judged as test cases, for CI: JUnit and TAP
 */
#ifndef STACKPROOF_BASE_WING_H
#define STACKPROOF_BASE_WING_H

#endif
