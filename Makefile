# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# One Makefile, not recursive. Everything built lands in $(O) (build/).
#
#	make run	set up, build, and run the matrix: stepped here, played in guests
#	make check	set up, build, and run every test
#	make check-toolchains	the same for the corpus by every toolchain: half an hour
#	make real-programs	programs as they are installed, whole runs: an hour or two
#	make check-replay	the corpus's points on every kernel, played: ten minutes
#	make hostile	50,000 broken ELF files by every command, under the sanitizers: an hour
#	make test	the unit tests but the slow ones; SANITIZE=1: under ASan and UBSan
#	make check-kernels	every compiler's BPF objects into every kernel: an hour, emulated
#	make		build only (the packages of scripts/setup must be there)
#	make install	program, library, headers, manuals, completions: PREFIX (/usr/local), DESTDIR
#	make uninstall	takes them away again
#
# V=1 shows the commands. WERROR=1 turns warnings into errors (CI does).

# Under the sanitizers all is built elsewhere.
O	?= build$(if $(SANITIZE),/sanitized)
CC	:= gcc-12
CXX	:= g++-12
CLANG	:= clang-14
BPFTOOL	:= $(firstword $(wildcard /usr/sbin/bpftool /usr/bin/bpftool) bpftool)
PKGS	:= libbpf libelf libdw capstone jansson libarchive libxml-2.0 zlib

Q := $(if $(V),,@)
msg = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$(2)';)

# CPPFLAGS, CFLAGS and LDFLAGS are the builder's, and come behind these.
OUR_CPPFLAGS := -D_GNU_SOURCE -Iunwinder -Ibpf -Iharness -I$(O)/bpf
OUR_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	   -Wno-unused-parameter $(if $(WERROR),-Werror)
ifneq ($(SANITIZE),)
SANITIZERS := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
endif
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
# Zydis 4.0 has no .pc file there.
PKG_LIBS   = $(shell pkg-config --libs $(PKGS) 2>/dev/null) -liberty -lZydis -lpthread
BPF_CFLAGS := -target bpf -D__TARGET_ARCH_x86 -g -O2 -mcpu=v3 -MMD -MP -Wall -Wextra -Wno-unused-parameter \
	   -Wno-unused-function $(if $(WERROR),-Werror)

# Folders of sources: unwinder/ and harness/'s wings have rooms.
NO_ROOMS := %/tests unwinder/fuzz harness/lab/decoders harness/lab/hostile harness/lab/bench_gimli harness/engines/libgcc
ROOMS	 := unwinder bpf harness/commands \
	    $(filter-out harness/commands/% $(NO_ROOMS),$(patsubst %/,%,$(wildcard unwinder/*/ harness/*/*/)))
NOT_HOST := $(wildcard harness/guests/vm/guest_init*.c) harness/engines/external/engine_host.c harness/commands/main.c \
	    $(wildcard harness/truth/emulator/plugin*.c)
SOURCES	 := $(filter-out %.bpf.c $(NOT_HOST),$(wildcard $(addsuffix /*.c,$(ROOMS))))
OBJECTS	 := $(SOURCES:%.c=$(O)/%.o)
# `make test` leaves the slow ones to `make check`; not the readers of whole files under the sanitizers,
# which have most to say there. Those that take longest begin first.
ALL_TESTS := $(patsubst %.c,$(O)/%,$(wildcard unwinder/tests/test_*.c unwinder/*/tests/test_*.c bpf/tests/test_*.c \
	    harness/commands/tests/test_*.c harness/*/*/tests/test_*.c))
tests	  = $(foreach name,$(1),$(filter %/$(name),$(ALL_TESTS)))
# They replace functions of other objects, or look at their own program: a program each.
ALONE	  := $(call tests,test_no_memory test_corpus_own test_engine_list test_sframe_referee test_external_counts test_score_findings test_score_frames \
	    test_progress test_folder_lock test_child test_verdict test_start_file test_stepping_parts test_dispute_keeper test_recording_images \
	    test_witness_run test_boot_image test_accelerator test_tsc test_initramfs test_guest_folder test_qemu_wait test_guest_files test_cache \
	    test_run_batch_parts test_run_host_wait test_bench_session test_report_session test_lint_session test_compare_session \
	    test_finding test_referee_image test_verdict_parts test_verdict_reader test_verdict_stacks test_bench_parts test_step_continue \
	    test_step_effects test_step_moved test_step_stacks test_tracer_effects test_face_caller test_hostile test_driven_records test_write_no_memory)
TOGETHER  := $(filter-out $(ALONE),$(ALL_TESTS))
LONG_READERS := $(call tests,test_large_table test_hostile test_image test_profile_folded)
SLOW	 := $(call tests,test_compare_depth test_hostile_commands test_plant_session test_bench_figures \
	    test_score_damage test_exec_storm test_costs_measure) $(if $(SANITIZE),,$(LONG_READERS))
LONG	 := $(SLOW) $(call tests,test_tracer test_truth_tricks test_run_lane test_session_entries test_walk)
TESTS	 := $(LONG) $(filter-out $(LONG),$(ALL_TESTS))
SKELS	 := $(patsubst bpf/%.bpf.c,$(O)/bpf/%.skel.h,$(wildcard bpf/*.bpf.c))
HEADERS	 := $(filter-out bpf/vmlinux.h bpf/find_rule.h bpf/%.bpf.h unwinder/table/step.h,$(wildcard $(addsuffix /*.h,$(ROOMS)) harness/*/wing.h))

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.PHONY: all run test check check-toolchains unit corpus corpus-all corpus-own format check-format headers clean FORCE

# libgcc's unwinder is an engine where the compiler has it as an archive.
LIBGCC_EH	:= $(filter /%,$(shell $(CC) -print-file-name=libgcc_eh.a))
LIBGCC_HOST	:= $(if $(LIBGCC_EH),$(O)/libgcc_host)

all: $(O)/stackproof $(O)/guest_init $(O)/engine_host $(LIBGCC_HOST) emulator-plugins bench-programs $(O)/example/stacks

# Set-up comes first and in a make of its own: this one looked for packages before they were there.
# JOBS: compile in parallel.
JOBS	?= $(shell nproc 2>/dev/null || echo 1)
again	= scripts/with-system $(MAKE) --no-print-directory -j$(JOBS) O=$(O) $(if $(WERROR),WERROR=1) $(if $(SANITIZE),SANITIZE=1)

run:
	$(Q)scripts/setup
	$(Q)$(again) all corpus
	$(Q)scripts/with-system $(O)/stackproof run --guests play $(RUN)

test:
	$(Q)scripts/setup
	$(Q)$(again) all corpus unit
	@echo "left to make check: $(notdir $(SLOW))"
	$(Q)scripts/with-system scripts/test $(O) $(filter-out $(SLOW),$(TESTS))

check:
	$(Q)scripts/setup
	$(Q)$(again) all corpus unit headers fuzz-programs hostile-program decoders-program
	$(Q)scripts/with-system scripts/check $(O) $(TESTS)

# The walk under a clock, a million samples: ten minutes.
.PHONY: check-sampling
check-sampling: all
	$(Q)scripts/with-system scripts/check-sampling $(O)

# Programs that nobody wrote for this. REAL: options of scripts/real-programs.
.PHONY: real-programs
real-programs:
	$(Q)scripts/setup
	$(Q)scripts/setup --programs
	$(Q)$(again) all
	$(Q)scripts/with-system scripts/real-programs $(O) $(REAL)
	$(Q)scripts/with-system scripts/check-replay $(O) --recordings $(O)/real/recordings 5.10 7.2

check-toolchains:
	$(Q)scripts/setup
	$(Q)scripts/setup --toolchains
	$(Q)$(again) all
	$(Q)$(again) corpus-all
	$(Q)scripts/with-system scripts/check-toolchains $(O)

unit: $(TESTS)

# What steps itself steps a build of itself without the sanitizers: harness/truth/tracer/tests/own_program.h.
ifneq ($(SANITIZE),)
PLAIN_TESTS := $(patsubst $(O)/%,%,$(call tests,test_compare_ending test_tracer test_truth_faults))
.PHONY: plain-tests
plain-tests:
	$(Q)$(MAKE) --no-print-directory SANITIZE= O=$(O)/plain $(PLAIN_TESTS:%=$(O)/plain/%)
	$(Q)$(foreach test,$(PLAIN_TESTS),mkdir -p $(O)/$(dir $(test)) && \
	    ln -Lf $(O)/plain/$(test) $(O)/$(test).plain &&) true
unit: plain-tests
endif

$(O)/stackproof: $(O)/harness/commands/main.o $(O)/libstackproof.a
	$(call msg,LINK,$@)
	$(Q)$(CC) $(OUR_CFLAGS) $(SANITIZERS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

$(O)/libstackproof.a: $(OBJECTS)
	$(call msg,AR,$@)
	$(Q)rm -f $@; ar qcs --thin $@ $^ # q: members of several rooms share names

# What other programs link, without the harness: libstackproof(3). The example is such a program. One header
# declares it, and only what that declares is global in the archive (of one member) and the shared object.
LIBRARY	 := $(O)/lib/libstackproof.a
LIBRARY_HEADER := bpf/stackproof.h
LIBRARY_VERSION := $(shell awk '/define STACKPROOF_VERSION_M|define STACKPROOF_VERSION_P/ \
	    { printf "%s%s", dot, $$3; dot = "." }' $(LIBRARY_HEADER))
SONAME	 := libstackproof.so.$(firstword $(subst ., ,$(LIBRARY_VERSION)))
SHARED	 := $(O)/lib/libstackproof.so.$(LIBRARY_VERSION)
SHARED_OBJECTS := $(patsubst %.c,$(O)/shared/%.o,$(filter unwinder/%.c bpf/%.c,$(SOURCES)))

$(LIBRARY): $(filter $(O)/unwinder/%.o $(O)/bpf/%.o,$(OBJECTS)) $(LIBRARY_HEADER)
	$(call msg,AR,$@)
	$(Q)mkdir -p $(@D)
	$(Q)CC="$(CC)" scripts/declared-functions bpf >$(@D)/declared
	$(Q)$(LD) -r -o $(@D)/stackproof.o $(filter %.o,$^)
	$(Q)objcopy --keep-global-symbols=$(@D)/declared $(@D)/stackproof.o
	$(Q)rm -f $@; ar qcs $@ $(@D)/stackproof.o

# The sanitizers' run-time is the program's to link.
ifeq ($(SANITIZE),)
all: $(SHARED)
endif

$(SHARED): $(SHARED_OBJECTS) bpf/stackproof.map
	$(call msg,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CFLAGS) $(SANITIZERS) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script,bpf/stackproof.map \
		-Wl,-z,defs -o $@ $(SHARED_OBJECTS) $(shell pkg-config --libs libbpf libelf) -lpthread
	$(Q)ln -sf $(@F) $(@D)/$(SONAME); ln -sf $(SONAME) $(@D)/libstackproof.so

$(O)/shared/%.o: %.c | $(SKELS)
	$(call msg,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(PKG_CFLAGS) $(OUR_CFLAGS) $(SANITIZERS) $(CFLAGS) -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

$(O)/example/%: bpf/example/%.c $(LIBRARY) $(LIBRARY_HEADER)
	$(call msg,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE -Ibpf $(OUR_CFLAGS) $(SANITIZERS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIBRARY) \
		$(shell pkg-config --libs libbpf libelf)

# The program looks for the guests' init, what loads engines, the corpus's sources, and what bench walks beside itself.
PREFIX	?= /usr/local
PLACE	 = $(DESTDIR)$(PREFIX)

# Shells look for completions by the command's name; a packager may want them elsewhere.
BASH_COMPLETION	?= $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETION	?= $(PREFIX)/share/zsh/site-functions

# What `corpus --cc` builds, with what builds it, as it lies here: the program finds that beside itself, too.
CORPUS_PROGRAMS	:= Makefile $(wildcard testprogs/*.tsv $(addprefix testprogs/,asm/* c/* cxx/* rust/*) scripts/corpus-rules.awk scripts/cache.sh)
CORPUS_SCRIPTS	:= $(addprefix scripts/,corpus-rules corpus-lint corpus-step in-root)

.PHONY: install uninstall
install: all
	$(Q)install -d $(PLACE)/bin $(PLACE)/lib/pkgconfig $(PLACE)/lib/stackproof/bench \
		$(PLACE)/include $(PLACE)/share/man/man1 $(PLACE)/share/man/man3
	$(Q)install $(O)/stackproof $(O)/guest_init $(O)/engine_host $(LIBGCC_HOST) $(PLACE)/lib/stackproof
	$(Q)install $(O)/bench/* $(PLACE)/lib/stackproof/bench
	$(Q)install -D -t $(PLACE)/lib/stackproof/emulator $(PLUGIN_FILES)
	$(Q)for file in $(CORPUS_PROGRAMS); do \
		install -D -m 644 $$file $(PLACE)/lib/stackproof/corpus-sources/$$file || exit; done
	$(Q)install $(CORPUS_SCRIPTS) $(PLACE)/lib/stackproof/corpus-sources/scripts
	$(Q)ln -sf ../lib/stackproof/stackproof $(PLACE)/bin/stackproof
	$(Q)install -m 644 $(LIBRARY) $(SHARED) $(PLACE)/lib
	$(Q)ln -sf $(notdir $(SHARED)) $(PLACE)/lib/$(SONAME)
	$(Q)ln -sf $(SONAME) $(PLACE)/lib/libstackproof.so
	$(Q)install -m 644 $(LIBRARY_HEADER) harness/engines/external/stackproof_engine.h harness/engines/driven/stackproof_engine.bpf.h $(PLACE)/include
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(LIBRARY_VERSION)|' bpf/stackproof.pc.in \
		>$(PLACE)/lib/pkgconfig/stackproof.pc
	$(Q)install -m 644 docs/stackproof.1 $(PLACE)/share/man/man1
	$(Q)install -m 644 docs/libstackproof.3 $(PLACE)/share/man/man3
	$(Q)install -D -m 644 scripts/completion.bash $(DESTDIR)$(BASH_COMPLETION)/stackproof
	$(Q)install -D -m 644 scripts/completion.zsh $(DESTDIR)$(ZSH_COMPLETION)/_stackproof

# What install has put there, by the same PREFIX and DESTDIR; folders that others share are left.
uninstall:
	$(Q)rm -f $(PLACE)/bin/stackproof $(PLACE)/lib/libstackproof.a $(PLACE)/lib/libstackproof.so* \
		$(PLACE)/include/stackproof.h $(PLACE)/include/stackproof_engine.h $(PLACE)/include/stackproof_engine.bpf.h $(PLACE)/lib/pkgconfig/stackproof.pc \
		$(PLACE)/share/man/man1/stackproof.1 $(PLACE)/share/man/man3/libstackproof.3 \
		$(DESTDIR)$(BASH_COMPLETION)/stackproof $(DESTDIR)$(ZSH_COMPLETION)/_stackproof
	$(Q)rm -rf $(PLACE)/lib/stackproof

$(O)/guest_init: $(wildcard harness/guests/vm/guest_init*.c harness/guests/vm/guest_init.h harness/guests/vm/frame.h unwinder/crc32.h)
	$(call msg,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) -static -o $@ $(filter %.c,$^)

# It loads engines that others wrote: nothing of ours that they could meet is linked.
$(O)/engine_host: harness/engines/external/engine_host.c harness/engines/external/host_serve.c $(wildcard harness/engines/external/*.h)
	$(call msg,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.c,$^) -ldl

# It has other processes' memory at their addresses: it must lie where they have nothing, HOME_START of
# libgcc_inside.h, and nothing may be loaded. libgcc asks functions of its own for images.
LIBGCC_WRAPS := _dl_find_object dl_iterate_phdr __register_frame_info __deregister_frame_info abort \
		pthread_mutex_lock pthread_mutex_unlock
$(O)/libgcc_host: $(wildcard harness/engines/libgcc/*.[ch]) harness/engines/external/host_serve.c $(wildcard harness/engines/external/*.h)
	$(call msg,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) -DLIBGCC_VERSION='"$(notdir $(patsubst %/,%,$(dir $(LIBGCC_EH))))"' \
		-fno-pie -no-pie -static -Wl,-Ttext-segment=0x74000000 -Wl,--eh-frame-hdr $(LIBGCC_WRAPS:%=-Wl,--wrap=%) \
		-o $@ $(filter %.c,$^)

# Plugins of QEMU's, each for two of its interfaces (harness/truth/emulator/plugin.h): PLUGIN_name has what NAME-4.so and NAME-7.so
# are made of. QEMU has no sanitizer's run-time.
PLUGINS		:= count watch
PLUGIN_count	:= harness/truth/emulator/plugin_count.c
PLUGIN_watch	:= $(filter-out %/plugin.c %/plugin_count.c,$(wildcard harness/truth/emulator/plugin_*.c harness/truth/emulator/fast_*.c harness/truth/emulator/rows_*.c harness/truth/steps/*.c)) \
		   harness/truth/rows/row_facts.c harness/truth/rows/row_facts_write.c \
		   harness/truth/contexts/context_tree.c harness/truth/contexts/context_write.c harness/truth/contexts/entry_write.c \
		   bpf/perf_ring.c $(wildcard unwinder/image/*.c unwinder/cfi/*.c unwinder/sframe/*.c unwinder/table/*.c unwinder/walk/*.c) unwinder/address_set.c unwinder/error.c unwinder/number_map.c unwinder/plain_text.c unwinder/scratch.c
PLUGIN_LIBS_watch := -l:libcapstone.a -Wl,--exclude-libs,ALL -lelf -Wl,-rpath,$(shell pkg-config --variable=libdir libelf)
PLUGIN_FILES	:= $(foreach name,$(PLUGINS),$(foreach api,4 7,$(O)/emulator/$(name)-$(api).so))
PLUGIN_OBJECTS	:= $(foreach name,$(PLUGINS),$(PLUGIN_$(name):%.c=$(O)/emulator/%.o)) $(foreach api,4 7,$(O)/emulator/plugin-$(api).o)
COMPILE_PLUGIN	 = $(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(PKG_CFLAGS) $(OUR_CFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

.PHONY: emulator-plugins
emulator-plugins: $(PLUGIN_FILES)

$(O)/emulator/plugin-%.o: harness/truth/emulator/plugin.c
	$(call msg,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(COMPILE_PLUGIN) -DPLUGIN_API=$*
$(O)/emulator/%.o: %.c
	$(call msg,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(COMPILE_PLUGIN)

define plugin_rules
$(O)/emulator/$1-$2.so: $(O)/emulator/plugin-$2.o $(PLUGIN_$1:%.c=$(O)/emulator/%.o)
	$$(call msg,LINK,$$@)
	$$(Q)$$(CC) $$(OUR_CFLAGS) $$(CFLAGS) $$(LDFLAGS) -shared -o $$@ $$^ $$(PLUGIN_LIBS_$1)
endef
$(foreach name,$(PLUGINS),$(foreach api,4 7,$(eval $(call plugin_rules,$(name),$(api)))))

# What --version says beside the version: the commit, and whether the tree had more. Nothing where there is no git.
$(O)/commit.h: FORCE
	$(Q)mkdir -p $(@D)
	$(Q)commit=$$(git describe --always --dirty --abbrev=12 --match= 2>/dev/null); \
		echo "#define STACKPROOF_COMMIT \"$${commit:+ ($$commit)}\"" >$@.new; \
		cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# A page's script and style as strings, and the script's hash, by which the page's policy lets it run.
FLAME_PARTS := $(O)/flame_parts.h
define as_strings
echo '#define $1 \'; sed -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n" \\/' $2; echo
endef
$(FLAME_PARTS): harness/reports/flame/flame.js harness/reports/flame/flame.css Makefile
	$(call msg,STRINGS,$@)
	$(Q)mkdir -p $(@D)
	$(Q){ $(call as_strings,FLAME_SCRIPT,$(word 1,$^)); $(call as_strings,FLAME_CSS,$(word 2,$^)); \
		printf '#define FLAME_SCRIPT_SHA256 "%s"\n' \
			"$$(env printf "$$(sha256sum $< | cut -c 1-64 | sed 's/../\\x&/g')" | base64)"; } >$@

$(O)/harness/reports/flame/flame_html.o: $(FLAME_PARTS)
$(O)/harness/reports/flame/flame_html.o: OUR_CPPFLAGS += -I$(O)

# Each instruction of an image goes through these: a sixteenth less time.
$(patsubst %.c,$(O)/%.o,$(wildcard harness/analysis/flow/*.c harness/analysis/code/*.c)): OUR_CFLAGS += -O3

$(O)/harness/commands/main.o $(O)/harness/commands/truth.o $(O)/harness/commands/score.o $(O)/harness/commands/profile.o: $(O)/commit.h
$(O)/harness/commands/main.o $(O)/harness/commands/truth.o $(O)/harness/commands/score.o $(O)/harness/commands/profile.o: OUR_CPPFLAGS += -I$(O)

$(O)/%.o: %.c | $(SKELS)
	$(call msg,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(PKG_CFLAGS) $(OUR_CFLAGS) $(SANITIZERS) $(CFLAGS) -MMD -MP -c -o $@ $<

# BPF: compile, drop what only debuggers need, wrap in a skeleton header.
$(O)/bpf/%.bpf.o: bpf/%.bpf.c
	$(call msg,BPF,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) -Iunwinder -Ibpf -idirafter /usr/include/x86_64-linux-gnu -c -o $@ $<

# The same by each clang that is there, for scripts/check-kernels: not what is built in.
BPF_CLANGS  ?= 14 15 16 19
BPF_OBJECTS := $(foreach version,$(BPF_CLANGS),$(if $(wildcard /usr/bin/clang-$(version)),\
	       $(patsubst bpf/%.c,$(O)/bpf/clang-$(version)/%.o,$(wildcard bpf/*.bpf.c))))

.PHONY: bpf-objects check-kernels check-replay
bpf-objects: $(BPF_OBJECTS)

$(BPF_OBJECTS): CLANG = $(notdir $(@D))
$(BPF_OBJECTS):
	$(call msg,BPF,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) -Iunwinder -Ibpf -idirafter /usr/include/x86_64-linux-gnu -c -o $@ \
		bpf/$(@F:%.o=%.c)

$(foreach object,$(BPF_OBJECTS),$(eval $(object): bpf/$(notdir $(object:%.o=%.c))))

check-replay:
	$(Q)scripts/setup
	$(Q)$(again) all
	$(Q)$(again) corpus
	$(Q)scripts/with-system scripts/check-replay $(O) $(KERNELS)

check-kernels:
	$(Q)scripts/setup
	$(Q)$(again) all bpf-objects
	$(Q)scripts/with-system scripts/check-kernels $(O) $(KERNELS)

$(O)/bpf/%.skel.h: $(O)/bpf/%.bpf.o
	$(call msg,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

# All of them by name: what `load` tries.
$(O)/bpf/skeletons.h: $(SKELS)
	$(Q){ printf '#include "%s"\n' $(notdir $^); \
		printf '#define SKELETONS(X)'; printf ' X(%s)' $(notdir $(^:.skel.h=)); echo; } > $@

$(O)/harness/guests/load/load_object.o: | $(O)/bpf/skeletons.h

# Unit tests (libcheck): a program `suites` for each folder tests/, and a link to it for each test_*.c there
# (unwinder/tests/suite.h). What a test file defines is its own. The Makefile says which share one. A program is
# linked again if an object changes that the linker has taken for it: PROGRAM.took says which. If a linker doesn't
# say, any object counts.
SUITE_MAIN := $(O)/unwinder/tests/suite_main.o
define link_tests
$(Q)$(CC) $(OUR_CFLAGS) $(SANITIZERS) $(CFLAGS) $(LDFLAGS) -Wl,--trace -o $@ $(filter $@.o %.own.o $(SUITE_MAIN) $(O)/unwinder/fuzz/%.o,$^) \
		$(O)/libstackproof.a $(PKG_LIBS) $(shell pkg-config --libs check) >$@.trace
	$(Q)awk 'index($$0, "$(O)/") == 1 && /\.o$$/ && !/\/tests\// { print "$@: " $$0; print $$0 ":"; took++ } \
		END { if (!took) print "$@: $(O)/libstackproof.a" }' $@.trace >$@.took
	$(Q)rm $@.trace
endef

$(TOGETHER:=.own.o): %.own.o: %.o
	$(Q)objcopy --keep-global-symbol=none $< $@
$(TOGETHER):
	$(Q)ln -sf suites $@

define suites_rules
$1suites: $(addsuffix .own.o,$(filter $1test_%,$(TOGETHER))) $(SUITE_MAIN) Makefile | $(O)/libstackproof.a
	$$(call msg,LINK,$$@)
	$$(link_tests)
$(filter $1test_%,$(TOGETHER)): $1suites
endef
$(foreach folder,$(sort $(dir $(TOGETHER))),$(eval $(call suites_rules,$(folder))))

$(ALONE): %: %.o $(SUITE_MAIN) Makefile | $(O)/libstackproof.a
	$(call msg,LINK,$@)
	$(Q)rm -f $@ # it may have been a link
	$(link_tests)

# Engines that tests start: a good one and bad ones in one shared object, and what loads it.
HOSTILE_ENGINE := $(O)/harness/engines/external/tests/hostile_engine.so
$(call tests,test_external test_external_batch test_compare_external): | $(HOSTILE_ENGINE) $(O)/engine_host
$(call tests,test_libgcc): | $(O)/engine_host $(O)/guest_init $(LIBGCC_HOST)
$(call tests,test_guest_init) $(O)/harness/guests/vm/tests/suites: | $(O)/guest_init
$(call tests,test_bench_figures): | $(O)/bench/engine.so $(O)/bench/engine_lines $(O)/engine_host
$(O)/harness/lab/costs/tests/suites: | $(O)/bench/sample_calls $(O)/bench/work_cxx $(O)/bench/phases

$(HOSTILE_ENGINE): harness/engines/external/tests/hostile_engine.c harness/engines/external/stackproof_engine.h
	$(call msg,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) $(LDFLAGS) -fPIC -shared -o $@ $<

# Fuzzing: the unwinder once more, by clang with its sanitizers, and a program for each target. No
# programs if clang has no runtime for them (libclang-rt-14-dev): scripts/fuzz says so.
FUZZ_SECONDS ?= 60
FUZZ_TARGETS := $(patsubst unwinder/fuzz/%.c,%,$(wildcard unwinder/fuzz/fuzz_*.c))
FUZZ_SHARED  := $(filter-out %/entry.c %/make_seeds.c $(FUZZ_TARGETS:%=unwinder/fuzz/%.c),$(wildcard unwinder/fuzz/*.c))
FUZZ_OBJECTS := $(patsubst %.c,$(O)/fuzz/%.o,$(filter unwinder/%.c,$(SOURCES)) harness/judge/replay/recording_read.c harness/judge/replay/recording_truth.c \
		$(wildcard harness/profiles/profile/*.c) harness/base/cli/json_counts.c harness/base/cli/exit_status.c harness/base/cli/input_file.c harness/base/cli/output_file.c harness/base/child/child.c harness/base/child/child_find.c harness/base/child/ending_signals.c \
		$(wildcard harness/analysis/code/*.c harness/analysis/flow/*.c harness/analysis/objects/*.c) \
		$(addprefix harness/base/images/,archive.c image_list.c package.c) $(wildcard harness/base/finding/*.c) harness/base/cli/no_memory.c \
		$(addprefix harness/reports/findings/,baseline_match.c baseline_read.c finding_key.c function_name.c) \
		$(addprefix harness/truth/executed/,executed.c executed_results.c executed_truth.c fault_kind.c) harness/truth/contexts/context_tree.c harness/truth/tracer/main_address.c \
		$(addprefix harness/judge/verdict/,verdict.c sframe_blame.c match.c referee.c registers.c) $(addprefix harness/tables/prove/,operations.c sframe_proof.c) $(FUZZ_SHARED))
# Of lint the linker takes what is needed.
FUZZ_LINT    := $(O)/fuzz/lint.a
FUZZ_CFLAGS  := -fsanitize=address,undefined -fno-sanitize-recover=all \
		-Wno-missing-field-initializers
FUZZ_RUNTIME := $(wildcard $(shell $(CLANG) -print-runtime-dir 2>/dev/null)/libclang_rt.fuzzer-x86_64.a)

.PHONY: fuzz fuzz-programs
fuzz: fuzz-programs
	$(Q)scripts/fuzz $(O) $(FUZZ_SECONDS) $(FUZZ)

fuzz-programs: $(if $(FUZZ_RUNTIME),$(FUZZ_TARGETS:%=$(O)/fuzz/%))

$(O)/fuzz/%.o: FUZZ_COVERAGE := -fsanitize=fuzzer-no-link
# What judges the reader is not what new inputs are sought for.
$(O)/fuzz/unwinder/fuzz/%.o $(O)/fuzz/unwinder/table/rule_proof.o $(O)/fuzz/unwinder/table/table_proof.o: FUZZ_COVERAGE :=
$(O)/fuzz/%.o: %.c
	$(call msg,FUZZ-CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(OUR_CPPFLAGS) $(CPPFLAGS) $(PKG_CFLAGS) $(OUR_CFLAGS) $(CFLAGS) $(FUZZ_CFLAGS) $(FUZZ_COVERAGE) -MMD -MP -c -o $@ $<

$(FUZZ_LINT): $(patsubst %.c,$(O)/fuzz/%.o,$(wildcard harness/analysis/lint/*.c))
	$(Q)rm -f $@
	$(Q)$(AR) rc $@ $^

$(O)/fuzz/fuzz_%: $(O)/fuzz/unwinder/fuzz/fuzz_%.o unwinder/fuzz/entry.c $(FUZZ_OBJECTS) $(FUZZ_LINT)
	$(call msg,FUZZ,$@)
	$(Q)$(CLANG) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) $(FUZZ_CFLAGS) -fsanitize=fuzzer -DFUZZ_TARGET=fuzz_$* -o $@ \
		$^ $(shell pkg-config --libs libelf libdw capstone jansson zlib libarchive) -liberty -lZydis

# Broken ELF files for every command (docs/FUZZING.md): 50,000 under the sanitizers by hand, some hundreds of them
# by `make check` as the program is.
HOSTILE_FILES  ?= 50000
HOSTILE_CFLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Wno-unused-parameter -fno-omit-frame-pointer \
		-fsanitize=address,undefined

.PHONY: hostile hostile-program
hostile-program: $(O)/hostile/hostile

hostile: corpus
	$(Q)$(MAKE) --no-print-directory O=$(O)/sanitized CFLAGS="$(HOSTILE_CFLAGS)" \
		LDFLAGS=-fsanitize=address,undefined hostile-program
	$(Q)scripts/hostile $(O)/sanitized $(O)/corpus $(HOSTILE_FILES) $(HOSTILE_SEED)

$(O)/hostile/hostile: $(patsubst %.c,$(O)/%.o,$(wildcard harness/lab/hostile/*.c)) $(O)/libstackproof.a
	$(call msg,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CFLAGS) $(SANITIZERS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

# Where the two decoders differ (docs/DECODERS.md): by hand, for scripts/compare-decoders.
.PHONY: decoders-program
decoders-program: $(O)/decoders/compare_decoders

$(O)/decoders/compare_decoders: $(patsubst %.c,$(O)/%.o,$(wildcard harness/lab/decoders/*.c)) $(O)/libstackproof.a
	$(call msg,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CFLAGS) $(SANITIZERS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

# By hand, for scripts/fuzz-seeds.
$(O)/unwinder/fuzz/make_seeds: $(patsubst %.c,$(O)/%.o,unwinder/fuzz/make_seeds.c $(filter unwinder/%.c,$(SOURCES)))
	$(call msg,LINK,$@)
	$(Q)$(CC) $(OUR_CFLAGS) $(SANITIZERS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(shell pkg-config --libs libelf)

# The kept inputs are replayed by a unit test, which needs the targets but not clang.
$(O)/unwinder/tests/suites: $(patsubst %.c,$(O)/%.o,$(FUZZ_SHARED) $(FUZZ_TARGETS:%=unwinder/fuzz/%.c))

# The corpus: testprogs/*.tsv -> rules -> binaries, and manifest.tsv when all passed the lint. corpus-all is the same with
# every toolchain that can be had (scripts/setup --toolchains, scripts/roots) and with variants.tsv.
corpus: $(O)/corpus/manifest.tsv
corpus-all: $(O)/corpus-all/manifest.tsv
	$(Q)cat $(O)/corpus-all/count

$(O)/corpus.mk: FORCE
	$(Q)scripts/corpus-rules $(O)

$(O)/corpus-all.mk: FORCE
	$(Q)scripts/corpus-rules $(O) all

# By compilers that no file here names: what `stackproof corpus` asks for. OWN: a file of toolchains, and a glob of programs.
corpus-own: $(O)/corpus-own/manifest.tsv

$(O)/corpus-own.mk: FORCE
	$(Q)scripts/corpus-rules $(O) own $(OWN)

ifneq ($(filter corpus $(O)/corpus/%,$(MAKECMDGOALS)),)
include $(O)/corpus.mk
endif
ifneq ($(filter corpus-all $(O)/corpus-all/%,$(MAKECMDGOALS)),)
include $(O)/corpus-all.mk
endif
ifneq ($(filter corpus-own,$(MAKECMDGOALS)),)
include $(O)/corpus-own.mk
endif

# What `bench` walks: the same 100 functions in one image and in five, with and without frame pointers.
BENCH	 := $(foreach v,fp nofp,$(O)/bench/one.$v $(O)/bench/five.$v)
frame_fp := -fno-omit-frame-pointer
frame_nofp := -fomit-frame-pointer

# gimli's program is built by bench, where cargo is: its sources lie beside the others'.
GIMLI	 := $(patsubst harness/lab/%,$(O)/%,$(wildcard harness/lab/bench_gimli/Cargo.toml \
	    harness/lab/bench_gimli/*/Cargo.toml harness/lab/bench_gimli/src/*.rs))

$(O)/bench_gimli/%: harness/lab/bench_gimli/%
	$(Q)mkdir -p $(@D) && cp $< $@

# What `sample` runs: programs that do the same in every round.
SAMPLED	 := $(patsubst testprogs/bench/%.c,$(O)/bench/%,\
	    $(filter-out %/sample_library.c,$(wildcard testprogs/bench/sample_*.c))) $(O)/bench/sample_processes.so

$(O)/bench/sample_%: testprogs/bench/sample_%.c testprogs/bench/sample.h testprogs/c/testprog.h
	$(call msg,BENCH,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -O2 $(frame_nofp) -pthread -o $@ $<
$(O)/bench/sample_processes.so: testprogs/bench/sample_library.c testprogs/c/testprog.h
	$(call msg,BENCH,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -O2 $(frame_nofp) -fPIC -shared -o $@ $<

# The work of `bench profile_costs`, beside sample_calls, and the process that tells how old it is.
COSTS	 := $(O)/bench/work_cxx $(O)/bench/phases $(O)/bench/calls

$(O)/bench/work_cxx: testprogs/bench/work_cxx.cc testprogs/c/testprog.h
	$(call msg,BENCH,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CXX) -O2 $(frame_nofp) -o $@ $<
$(O)/bench/phases $(O)/bench/calls: $(O)/bench/%: testprogs/bench/%.c testprogs/c/testprog.h
	$(call msg,BENCH,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -O2 $(frame_nofp) -o $@ $<

# What `bench` asks: an engine that does next to nothing.
ENGINES	 := $(O)/bench/engine.so $(O)/bench/engine_lines

$(O)/bench/engine.so: testprogs/bench/engine.c harness/engines/external/stackproof_engine.h
	$(call msg,BENCH,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -O2 -Iharness/engines/external -fPIC -shared -o $@ $<
$(O)/bench/engine_lines: testprogs/bench/engine.c
	$(call msg,BENCH,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -O2 -DLINES -o $@ $<

bench-programs: $(BENCH) $(SAMPLED) $(COSTS) $(ENGINES) $(GIMLI)
.PHONY: bench-programs

define bench_rules
$(O)/bench/one.$1: testprogs/bench/deep.c
	$$(call msg,BENCH,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CC) -O2 $$(frame_$1) -o $$@ $$<
$(O)/bench/five.$1: testprogs/bench/deep.c $(foreach p,4 3 2 1 0,$(O)/bench/libdeep$p.$1.so)
	$$(call msg,BENCH,$$@)
	$$(Q)$$(CC) -O2 $$(frame_$1) -DPART=5 -o $$@ $$< $(foreach p,0 1 2 3 4,$(O)/bench/libdeep$p.$1.so) \
		-Wl,-rpath,'$$$$ORIGIN'
$(O)/bench/libdeep%.$1.so: testprogs/bench/deep.c
	$$(call msg,BENCH,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CC) -O2 $$(frame_$1) -fPIC -shared -DPART=$$* -Wl,-soname,$$(@F) -o $$@ $$<
endef
$(foreach v,fp nofp,$(eval $(call bench_rules,$v)))

# Every header compiles alone.
headers: $(HEADERS:%=$(O)/%.ok)

$(O)/%.h.ok: %.h | $(SKELS)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(PKG_CFLAGS) $(OUR_CFLAGS) $(SANITIZERS) $(CFLAGS) -fsyntax-only -x c $< && touch $@

STYLED	:= $(filter-out bpf/vmlinux.h,$(wildcard $(addsuffix /*.[ch],$(ROOMS) $(sort $(dir $(ALL_TESTS:$(O)/%=%))) \
	unwinder/fuzz bpf/example harness/engines/built_in/example harness/lab/hostile harness/lab/decoders harness/engines/libgcc)))

format:
	$(Q)clang-format-14 -i $(STYLED)

check-format:
	$(Q)clang-format-14 --dry-run --Werror $(STYLED)

FORCE:

clean:
	rm -rf $(O)

-include $(SKELS:.skel.h=.bpf.d) $(BPF_OBJECTS:.o=.d) $(OBJECTS:.o=.d) $(PLUGIN_OBJECTS:.o=.d) $(SHARED_OBJECTS:.o=.d) $(O)/harness/commands/main.d $(TESTS:=.d) $(ALONE:=.took) $(addsuffix suites.took,$(sort $(dir $(TOGETHER)))) $(SUITE_MAIN:.o=.d) $(FUZZ_OBJECTS:.o=.d) \
	$(FUZZ_TARGETS:%=$(O)/fuzz/unwinder/fuzz/%.d) \
	$(patsubst %.c,$(O)/%.d,$(wildcard unwinder/fuzz/*.c))
