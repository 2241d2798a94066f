// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// Only a module's files get the same names in any folder, and only a package may have assembly (scripts/corpus-rules).
module testprogs/go/bare

go 1.19
