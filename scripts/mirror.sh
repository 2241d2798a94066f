# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# shellcheck shell=sh
#
# mirror.sh - where this machine gets Debian from; sourced by fresh-root and roots
#
# A machine behind a wall has one mirror, and it is written in apt's configuration, so that is read, and no
# address is known here. A suite that isn't configured is looked for where the machine's own release comes from:
# an archive of Debian holds all its suites. A wrong guess fails on the suite's signature; it can't do harm.

# mirror_of SUITE [KIND]: the URI from which apt gets SUITE, or else this machine's own release; KIND is
# what is appended to both ("-security"). Prints nothing if there is none.
mirror_of() {
	# shellcheck disable=SC1091 # not ours
	mirror_here=$(. /etc/os-release && [ "${ID-}" = debian ] && printf '%s' "${VERSION_CODENAME-}") || true
	# A line is 'URI/dists/SUITE/InRelease' FILE SIZE; lists that were never fetched are named, too.
	apt-get update --print-uris 2>/dev/null |
		sed -n "s|^'\(.*\)/dists/\(.*\)/InRelease'.*|\2 \1|p" |
		awk -v wanted="$1${2-}" -v here="$mirror_here${2-}" '
			$1 == wanted && !first { first = $2 }
			$1 == here && !second { second = $2 }
			END { print first ? first : second }'
}

# The machine's settings for fetching (proxies, time-outs, whether dates are believed), as lines of apt.conf.
mirror_settings() {
	apt-config dump --no-empty |
		grep -E '^Acquire::(https?::|Retries |ForceIPv|Check-(Date|Valid-Until) )' || true
}

# Exports the proxy that apt uses, for programs that are not apt.
mirror_proxy() {
	eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
	[ -z "${http_proxy-}" ] || export http_proxy
	[ -z "${https_proxy-}" ] || export https_proxy
}
