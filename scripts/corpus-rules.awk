# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# corpus-rules.awk - the second step of corpus-rules: which binaries there are, and how each is made
#
# Reads rules/toolchains.tsv (as corpus-rules asked the toolchains), then testprogs/variants.tsv if all is wanted,
# exceptions.tsv and corpus.tsv; each says at its top what its fields are. Prints the rules, and writes the
# files in OUT/CORPUS/rules. The words:
#
#	toolchain	one line of toolchains.tsv: its key is id and language
#	pair		a program and a toolchain that builds it
#	variant		flags, and what else is done: a pair has the variants of its line in corpus.tsv, and those of
#			variants.tsv that name both
#
# A toolchain of the set "named" builds only what variants.tsv names: "*" in corpus.tsv does not mean it. Of corpus-own,
# another's compilers, a rule never fails: what the compiler said is kept, and what it should have made is not there.

function die(text)
{
	printf "corpus-rules: %s:%d: %s\n", FILENAME, FNR, text > "/dev/stderr"
	failed = 1
	exit 1
}

function empty_if_dash(field)
{
	return field == "-" ? "" : field
}

# Writes text unless the file has it already: its time must not change then.
function write_changed(path, text,	line, old)
{
	old = ""
	while ((getline line < path) > 0)
		old = old line "\n"
	close(path)
	if (old == text)
		return
	printf "%s", text > path
	close(path)
}

# Whether name matches one of the globs in list, separated by spaces, and none of those with "!" before them.
function matches(name, list,	i, n, glob, found, not)
{
	n = split(list, glob, / /)
	for (i = 1; i <= n; i++) {
		not = sub(/^!/, "", glob[i])
		gsub(/[.+]/, "[&]", glob[i])
		gsub(/\*/, ".*", glob[i])
		gsub(/\?/, ".", glob[i])
		if (name ~ ("^" glob[i] "$")) {
			if (not)
				return 0
			found = 1
		}
	}
	return found
}

# Of "O2-nofp" or "O2-nofp-static"; what comes behind is variants.tsv's.
function variant_flags(language, variant,	level, fp)
{
	if (variant ~ /^asm(-|$)/ || variant ~ /^go(-|$)/)
		return ""
	if (variant !~ /^O[0-3sz]-(fp|nofp)(-|$)/)
		die("unknown variant " variant)
	level = substr(variant, 2, 1)
	fp = variant ~ /^...fp/
	if (language == "rust")
		return "-C opt-level=" level " -C force-frame-pointers=" (fp ? "yes" : "no")
	return "-O" level (fp ? " -fno-omit-frame-pointer" : " -fomit-frame-pointer")
}

# Go files, or a module, whose go.mod is named first: its folder is built. Go's build-id of files without a module is a
# hash of their folder, too, so it is left out.
function go_command(build, sources, output,	settings, module)
{
	settings = "GOCACHE=$(abspath $(O))/gocache GOFLAGS= GOTOOLCHAIN=local CGO_ENABLED=0 GO111MODULE="
	if (!match(sources, /\/go\.mod( |$)/))
		return settings "off " build " -ldflags=-buildid= -o " output " " sources
	module = substr(sources, 1, RSTART - 1)
	return "cd " module " && " settings "on GOPROXY=off " build " -buildvcs=false -o $(abspath " output ") ."
}

function command_of(key, language, flags, sources, output, link,	own)
{
	own = output ".d"
	# rustc leaves its objects beside the output, under names that only the program gives: each binary
	# gets a folder of its own, or two variants built at once take the other's. It looks for make's jobserver, which
	# make doesn't give it.
	if (language == "rust")
		return "mkdir -p " own " && MAKEFLAGS= " compiler[key] " --edition 2021 --remap-path-prefix $(CURDIR)=." \
			" -C codegen-units=1 -C debuginfo=1" \
			(linker[key] == "-" ? "" : " -C link-arg=-fuse-ld=" linker[key]) " -C link-arg=-Wl,--build-id=sha1 " flags " -o " own "/$(@F) " sources \
			" && mv " own "/$(@F) " output " && rm -r " own
	if (language == "go")
		return go_command(compiler[key] " build -trimpath " flags, sources, output)
	return compiler[key] (language == "asm" ? "" : " -g") " -ffile-prefix-map=$(CURDIR)=." \
		(linker[key] == "-" ? "" : " -fuse-ld=" linker[key]) " -Wl,--build-id=sha1 -Wl,-z,lazy " flags " -o " output " " sources " " link
}

# One file to build, with its rule and its saved command. lint: arguments of "corpus-lint frames";
# claims: what "corpus-lint claims" looks for, one in a line, kept in a file since it is full of quotes.
function emit(name, command, sources, needs, lint, claims,	file, rule, headers)
{
	file = folder "/" name
	headers = sources ~ /\.(c|cc)( |$)/ ? " $(wildcard testprogs/c/*.h)" : \
		sources ~ /\.S( |$)/ ? " $(wildcard testprogs/asm/*.h)" : ""
	gsub(/ +/, " ", command)
	if (own_compilers) {
		lint = claims = ""
		command = "( " command " ) >$@.log 2>&1 && rm $@.log || rm -f $@"
	}
	if (claims != "")
		write_changed(out "/" corpus "/rules/" name ".claims", claims "\n")
	write_changed(out "/" corpus "/rules/" name, command "\n" (lint == "" ? "" : lint "\n") \
		      (claims == "" ? "" : claims "\n"))
	rule = list " += " file "\n" file ": " sources headers " " needs " " folder "/rules/" name
	if (lint claims != "")
		rule = rule " scripts/corpus-lint"
	rule = rule "\n\t$(call msg,CORPUS,$@)\n\t$(Q)" command "\n"
	if (lint != "")
		rule = rule "\t$(Q)scripts/corpus-lint frames $@ " lint "\n"
	if (claims != "")
		rule = rule "\t$(Q)scripts/corpus-lint claims $@ " folder "/rules/" name ".claims\n"
	print rule
}

function manifest_line(path, key, variant, needs, expected)
{
	manifest = manifest path "\t" $1 "\t" full_id[key] "\t" variant "\t" $2 "\t" needs "\t" expected "\n"
}

# What is expected of a binary: words of its program, of its variant and of exceptions. "exact" only alone.
function expected_of(words,	i, n, word, rest)
{
	n = split(words, word, / /)
	for (i = 1; i <= n; i++)
		if (word[i] != "" && word[i] != "-" && (word[i] != "exact" || n == 1))
			rest = rest (rest == "" ? "" : " ") word[i]
	return rest == "" ? "exact" : rest
}

# Its libraries, each with a rule. Sets libraries (paths) and needs (names).
function emit_libraries(base, key, flags,	i, n, pair, part, lib)
{
	libraries = needs = ""
	n = split(empty_if_dash($6), pair, / /)
	for (i = 1; i <= n; i++) {
		split(pair[i], part, /=/)
		lib = base "." part[1] ".so"
		emit(lib, command_of(key, $2, flags " -fPIC -shared -Wl,-soname," lib, "testprogs/" part[2], "$@",
				     empty_if_dash($8)), "testprogs/" part[2], "", "", "")
		libraries = libraries " " folder "/" lib
		needs = needs (needs == "" ? "" : " ") lib
	}
}

# One binary: the current line of corpus.tsv, by one toolchain, in one variant. own: its line of variants.tsv, or 0.
function binary(id, variant, own,	base, key, flags, link, command, sources, lint, claims, words, i)
{
	key = id SUBSEP $2
	base = $1 "." id "." variant
	if (built[base]++)
		die(base " is there twice")
	words = $10 (own ? " " variant_expected[own] : "")
	for (i = 1; i <= exceptions; i++)
		if (matches(base, exception_binaries[i]))
			words = words " " exception_words[i]
	if (match(words, /skip:[a-z_]+/) || reason[key] != "-") {
		manifest_line(reason[key] == "-" ? substr(words, RSTART, RLENGTH) : "skip:" reason[key], key, variant, \
			      "-", $10)
		return
	}
	flags = variant_flags($2, variant) " " toolchain_flags[key] " " empty_if_dash($7) " " \
		(own ? empty_if_dash(variant_extra[own]) : "")
	sources = "testprogs/" $3
	gsub(/ /, " testprogs/", sources)
	emit_libraries(base, key, flags)
	link = libraries (libraries == "" ? "" : " -Wl,-rpath,\047$$ORIGIN\047") " " empty_if_dash($8)
	lint = $2 == "asm" || $9 == "-" ? "" : (variant ~ /^...fp/ ? "fp" : "nofp") " " $9
	claims = empty_if_dash($11)
	if (" " flags " " ~ / -s / || (own && variant_steps[own] == "no_sections"))
		lint = ""
	if (gsub(/ no_claims/, "", words))
		claims = ""
	if (own && variant_claims[own] != "-")
		claims = claims (claims == "" ? "" : " & ") variant_claims[own]
	gsub(/ & /, "\n", claims)
	if ($2 != "rust" && $2 != "go" && " " flags " " $8 " " !~ / -(static|static-pie|no-pie) /)
		flags = flags " -fPIE -pie"
	command = command_of(key, $2, flags, sources, "$@", link)
	if (own && variant_steps[own] != "-")
		command = "scripts/corpus-step " variant_steps[own] " $@ " command
	emit(base, command, sources (command ~ /corpus-step/ ? " scripts/corpus-step" : ""), libraries, lint, claims)
	manifest_line(base, key, variant, needs == "" ? "-" : needs, expected_of(words))
}

BEGIN {
	folder = "$(O)/" corpus
	list = toupper(corpus)
	gsub(/-/, "_", list)
	own_compilers = corpus == "corpus-own"
	print "# Made by scripts/corpus-rules from testprogs/*.tsv.\n" list " :="
}

/^#/ || NF == 0 { next }

FILENAME ~ /toolchains\.tsv$/ {
	key = $1 SUBSEP $2
	id[++ids] = $1
	language[ids] = $2
	set[key] = $3
	full_id[key] = $4
	compiler[key] = $5
	toolchain_flags[key] = empty_if_dash($6)
	linker[key] = $7
	reason[key] = $8
	if ($8 == "-" && ($4, $2) in by_full_id) {
		printf "corpus-rules: %s (%s): it is %s by its own words, as %s is: left out. Snapshots are kept by that name; " \
			"an id that begins otherwise tells them apart\n", $1, $2, $4, by_full_id[$4, $2] > "/dev/stderr"
		reason[key] = "same_version"
		full_id[key] = $1
	} else if ($8 == "-") {
		by_full_id[$4, $2] = $1
	}
	next
}

FILENAME ~ /variants\.tsv$/ {
	if (NF != 8)
		die("eight fields expected, not " NF)
	variant_name[++variants] = $1
	variant_programs[variants] = $2
	variant_toolchains[variants] = $3
	variant_extra[variants] = $4
	variant_steps[variants] = $5
	variant_claims[variants] = $6
	variant_expected[variants] = $7
	next
}

FILENAME ~ /exceptions\.tsv$/ {
	if (NF != 3)
		die("three fields expected, not " NF)
	exception_binaries[++exceptions] = $1
	exception_words[exceptions] = $2
	next
}

{
	if (NF != 12)
		die("twelve fields expected, not " NF)
	if ($10 !~ /^(exact|((startup|prefix|absent|unproven|lazy|(flagged|table_fault\??|missing|diagnostic):[^ ]+)( |$))+)$/)
		die("expected is not " $10)
	if (seen[$1]++)
		die("program " $1 " is there twice")
	if (!matches($1, programs))
		next
	found = 0
	for (t = 1; t <= ids; t++) {
		if (language[t] != $2)
			continue
		if ($4 == "*" ? set[id[t], $2] != "named" : matches(id[t], $4)) {
			found = 1
			n = split($5, own_variants, / /)
			for (v = 1; v <= n; v++)
				binary(id[t], own_variants[v], 0)
		}
		for (v = 1; v <= variants; v++)
			if (matches($1, variant_programs[v]) && matches(id[t], variant_toolchains[v])) {
				used[v] = 1
				binary(id[t], variant_name[v], v)
			}
	}
	if (!found && variants)
		die("no toolchain for program " $1)
}

END {
	if (failed)
		exit 1
	for (v = 1; v <= variants; v++)
		if (!used[v])
			die("variant " variant_name[v] " (" variant_programs[v] ", " variant_toolchains[v] ") has no binary")
	write_changed(out "/" corpus "/rules/manifest.tsv",
		      "# path\tprogram\ttoolchain\tvariant\tlanguage\tneeds\texpected\n" manifest)
	print folder "/manifest.tsv: $(" list ") " folder "/rules/manifest.tsv scripts/corpus-lint"
	print "\t$(Q)scripts/corpus-lint " (own_compilers ? "built " : "merge ") folder "/rules/manifest.tsv " folder
	if (corpus == "corpus-all")
		print "\t$(Q)scripts/corpus-lint count " folder " >" folder "/count"
}
