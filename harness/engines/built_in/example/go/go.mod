// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
module engines

go 1.17

require github.com/go-delve/delve v1.21.2
