/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tsc.h - how fast this machine's time-stamp counter goes
 */
#ifndef STACKPROOF_VM_TSC_H
#define STACKPROOF_VM_TSC_H

/* kHz, to a ten-thousandth; 0 where there is none to be read. Takes 20 ms. */
unsigned int tsc_khz(void);

#endif
