/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * finding_fixture.h - findings of JSON, as records and as sets
 */
#ifndef STACKPROOF_FINDING_FIXTURE_H
#define STACKPROOF_FINDING_FIXTURE_H

#include "base/finding/finding_record.h"

/* A pointer to the record of an object, valid in the block. */
#define RECORD(object) ((const struct finding_record[]) { finding_record_read(object) })

#endif
