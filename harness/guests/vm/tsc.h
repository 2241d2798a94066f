/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tsc.h - the frequency of this machine's time-stamp counter
 */
#ifndef STACKPROOF_VM_TSC_H
#define STACKPROOF_VM_TSC_H

/* Measures it, in kHz, to a ten-thousandth. 0: there is no counter to read. Takes 20 ms. */
unsigned int tsc_khz(void);

#endif
