# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# mutant_places.py - where scripts/mutants can plant a wrong line in a C file, and which
#
# The rules look at tokens, not at a syntax tree:
#
#       comparison         < <= > >= == != by its neighbour
#       constant           one more or one less, #define's values too
#       sign               + - << >> by the other, and where they assign
#       logic              && || & | by the other; ! dropped
#       dropped statement  an expression statement, break or continue
#       dropped check      the condition of an if that only leaves: never true
#       condition          that of any other if, and each operand of && and ||: always true, never true
#       similar            another variable of the function that has the same type
#       early return       of a function without a result, before it counts
#       last of a loop     a loop that ends one round too early
#       forgotten          += |= &= by =: what was there before is forgotten
#       first of all       x[i] by x[0]: the first one's for each
#
# Left out is what no unit test can see: comments, strings, assertions, abort(); releases (RELEASES);
# what happens when there is no memory: the check of an allocation, and the sizes in it, which are a
# sanitizer's to find; 0 that only initialises; sizes of arrays. So is what is the same for certain:
# sizeof(array[1]), the break of the last case, and <= in `a < b ? a : b`.
import collections
import re

# What gives something back: leaving it out is a leak, and no answer changes. A lock that is not taken
# shows in a race alone.
RELEASES = re.compile(
    r"(\w+_)?(free|close|fclose|munmap|deinit|destroy|detach|va_end|freeaddrinfo|unlink|"
    r"xmlFree\w*|json_decref|elf_end|dwarf_end|dwarf_cfi_end|"
    r"prefetch|madvise|setvbuf|waitpid|nanosleep|fflush|pthread_mutex_lock)$"
)
ALLOCATES = re.compile(
    r"(\w+_)?(malloc|calloc|realloc|reallocarray|strdup|strndup|asprintf|memdup)$"
)
KEYWORDS = frozenset(
    "if else for while do switch case default return break continue goto struct enum union "
    "const static unsigned int char bool void long short signed volatile extern typedef "
    "sizeof inline float double register".split()
)
TYPES = re.compile(r"(u?int\d*_t|size_t|ssize_t|pid_t|__[su]\d+|bool|FILE|off_t|Elf\w*|Dwarf\w*)$")
SWAPS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "&&": "||",
    "||": "&&",
    "+": "-",
    "-": "+",
    "+=": "-=",
    "-=": "+=",
    "<<": ">>",
    ">>": "<<",
    "&": "|",
    "|": "&",
}
KIND = {
    "<": "comparison",
    "<=": "comparison",
    ">": "comparison",
    ">=": "comparison",
    "==": "comparison",
    "!=": "comparison",
    "&&": "logic",
    "||": "logic",
    "&": "logic",
    "|": "logic",
}
# Those that keep what was there before.
KEEPS = ("+=", "|=", "&=")
TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/|\\\n)
    |(?P<string>L?"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
        |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
        |(?P<word>[A-Za-z_]\w*)|(?P<sign><<=|>>=|\.\.\.|->|\+\+|--
        |<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.S | re.X,
)

Token = collections.namedtuple("Token", "kind text at end")
Mutant = collections.namedtuple("Mutant", "file line kind before after nth at end text")


def tokens_of(text):
    """Without what the compiler doesn't see, and lines of the preprocessor but #define's."""
    ret, at, line_begins = [], 0, True
    while at < len(text):
        found = TOKEN.match(text, at)
        kind, value = found.lastgroup, found.group()
        if kind == "sign" and value == "#" and line_begins:
            end = re.compile(r"(?<!\\)\n|\Z").search(text, at).end()
            plain = re.match(r"#\s*define\s+\w+[ \t]+(?![\"'])", text[at:end])
            if plain:  # a constant: only its numbers are of interest
                ret.append(Token("define", "#", at, end))
            at = end
            continue
        line_begins = kind == "space" and (line_begins or "\n" in value)
        if kind != "space":
            ret.append(Token(kind, value, at, found.end()))
        at = found.end()
    return ret


def closing(tokens, at):
    """The index of the token that closes the bracket at index at."""
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i].text in "([{":
            depth += 1
        elif tokens[i].text in ")]}":
            depth -= 1
            if not depth:
                return i
    return len(tokens) - 1


def declares(tokens, at):
    """Does the statement begin with a type, in which the comma at at is? Not in brackets."""
    depth = 0
    for i in range(at, -1, -1):
        depth += (tokens[i].text in ")]}") - (tokens[i].text in "([{")
        if depth < 0 or not depth and tokens[i].text == ";":
            first = tokens[i + 1].text
            return tokens[i].text in ";{" and bool(first in KEYWORDS or TYPES.match(first))
    return False


def silenced(tokens):
    """Indices of tokens that are left as they are."""
    ret = set()
    for i, token in enumerate(tokens[:-1]):
        if ALLOCATES.match(token.text) and tokens[i + 1].text == "(":
            ret.update(range(i + 1, closing(tokens, i + 1) + 1))
        if token.text in (
            "assert",
            "abort",
            "static_assert",
            "_Static_assert",
            "__attribute__",
            "offsetof",
            "SEC",
            "case",
        ) or token.text.startswith("__uint"):
            if tokens[i + 1].text == "(":
                ret.update(range(i, closing(tokens, i + 1) + 1))
            elif token.text == "case":  # two cases of one value don't build
                while tokens[i].text not in (":", "{"):
                    ret.add(i)
                    i += 1
        elif token.text == "sizeof" and tokens[i + 1].text == "(":
            end = closing(tokens, i + 1)
            if [t.text for t in tokens[end - 3 : end]] == ["[", "0", "]"]:
                ret.add(end - 2)
        elif ends_switch(tokens, i) or takes_either(tokens, i):
            ret.add(i)
        elif (
            token.text == "["
            and i >= 2
            and tokens[i - 1].kind == "word"
            and (
                tokens[i - 2].text == "*"
                or tokens[i - 2].kind == "word"
                and (
                    TYPES.match(tokens[i - 2].text)
                    or tokens[i - 2].text in KEYWORDS
                    or tokens[i - 3].text == "struct"
                )
                or tokens[i - 2].text == ","
                and declares(tokens, i - 2)
            )
        ):
            ret.update(range(i, closing(tokens, i) + 1))
    return ret


def opening(tokens, at):
    """The index of the token that opens the bracket at index at."""
    depth = 0
    for i in range(at, -1, -1):
        depth += (tokens[i].text in ")]}") - (tokens[i].text in "([{")
        if not depth:
            return i
    return 0


def ends_switch(tokens, i):
    """Is the break at i the last of a switch?"""
    texts = [t.text for t in tokens[i + 1 : i + 3]]
    if tokens[i].text != "break" or texts != [";", "}"]:
        return False
    head = opening(tokens, i + 2) - 1
    return tokens[head].text == ")" and tokens[opening(tokens, head) - 1].text == "switch"


def takes_either(tokens, i):
    """Is it the comparison of `a < b ? a : b`, or of the other way round?"""
    behind = [t.text for t in tokens[i + 1 : i + 60]]
    if tokens[i].text not in ("<", "<=", ">", ">=") or "?" not in behind:
        return False
    right, behind = behind[: behind.index("?")], behind[behind.index("?") + 1 :]
    if ":" not in behind:
        return False
    first, second = behind[: behind.index(":")], behind[behind.index(":") + 1 :]
    for size in range(1, 20):
        left = [t.text for t in tokens[i - size : i]]
        if tokens[i - size - 1].text in ("=", "(", ",", "{", "return"):
            for one, other in ((left, right), (right, left)):
                end = second[len(other) : len(other) + 1]
                if first == one and second[: len(other)] == other and end in ([";"], [","], [")"]):
                    return True
    return False


def number_changes(token, lot):
    found = re.match(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)$", token.text)
    if not found:
        return None
    value = (
        int(found.group(1), 0) if not re.match(r"0\d", found.group(1)) else int(found.group(1), 8)
    )
    value += 1 if value == 0 or lot else -1
    return (hex(value) if found.group(1)[:2].lower() == "0x" else str(value)) + found.group(2)


def function_head(tokens, i):
    """The index of the token before the function whose body begins at i."""
    at = opening(tokens, i - 1)
    while at > 0 and tokens[at].text not in (";", "}") and tokens[at].kind != "define":
        at -= 1
    return at


def gives_nothing(tokens, head):
    """Is the function behind head of type void?"""
    words = [token.text for token in tokens[head + 1 : head + 4]]
    return "void" in words and words[words.index("void") + 1 : words.index("void") + 2] != ["*"]


def is_counter(tokens, i):
    """Does the statement at i only count: `a->b++;`, `a += b;`?"""
    end = i
    while tokens[end].text not in ";{}":
        end = closing(tokens, end) + 1 if tokens[end].text in "([" else end + 1
    return tokens[end - 1].text == "++" or any(tokens[j].text == "+=" for j in range(i, end))


def places(text):
    """Yields (kind, at, end, replacement)."""
    tokens = tokens_of(text)
    still = silenced(tokens)
    silent = {tokens[i].at for i in still}
    depth, body, gives = 0, [], True
    for i, token in enumerate(tokens):
        before = tokens[i - 1] if i else Token("", "", 0, 0)
        after = tokens[i + 1] if i + 1 < len(tokens) else Token("", "", 0, 0)
        in_body = bool(body)
        if token.text == "{":
            # ") {" at the top opens a function; "= {" and "[] = {" a list.
            if body or (before.text == ")" and depth == 0):
                body.append(i)
            if depth == 0 and body:
                head = function_head(tokens, i)
                gives = not gives_nothing(tokens, head)
                for found in similar(text, tokens[head].end, tokens, i, closing(tokens, i)):
                    if found[1] not in silent:
                        yield found
            depth += 1
        elif token.text == "}":
            depth -= 1
            if body:
                body.pop()
        if i in still:
            continue
        if token.kind == "define":
            value = re.match(r"(#\s*define\s+\w+\s+)(.*)", text[token.at : token.end], re.S)
            for number in re.finditer(
                r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]*\b", value.group(2).split("/*")[0]
            ):
                at = token.at + len(value.group(1)) + number.start()
                changed = number_changes(Token("number", number.group(), at, 0), True)
                yield "constant", at, at + len(number.group()), changed
            continue
        if token.kind == "number":
            alone = before.text in "{," and after.text in "}," and token.text == "0"
            if not alone and in_body or before.text == "=" and not in_body:
                changed = number_changes(token, i % 2)
                if changed:
                    yield "constant", token.at, token.end, changed
            continue
        if not in_body:
            continue
        operand = (
            before.kind in ("word", "number")
            and before.text not in ("return", "case", "sizeof")
            or before.text in (")", "]")
        )
        if token.text in KEEPS and operand:
            yield "forgotten", token.at, token.end, "="
        if token.text == "[" and before.kind == "word" and after.text in ("i", "j", "index"):
            if i + 2 < len(tokens) and tokens[i + 2].text == "]":
                yield "first of all", after.at, after.end, "0"
        if (
            token.text in SWAPS
            and operand
            and not (before.text == ")" and token.text in "&-+" and casts(tokens, i - 1))
        ):
            yield KIND.get(token.text, "sign"), token.at, token.end, SWAPS[token.text]
        elif token.text == "!" and not operand:
            yield "logic", token.at, token.end, ""
        elif token.text == "if" and after.text == "(":
            end = closing(tokens, i + 1)
            if is_of_memory(tokens, i, end):
                continue
            leaves = tokens[end + 1].text in ("return", "break", "continue", "goto")
            condition = text[after.at : tokens[end].end]
            yield (
                "dropped check" if leaves else "condition",
                after.at,
                tokens[end].end,
                "(0 && " + condition + ")",
            )
            yield "condition", after.at, tokens[end].end, "(1 || " + condition + ")"
            yield from operands(text, tokens, i + 1, end)
        elif token.text == "for" and after.text == "(":
            yield from ends_early(text, tokens, i + 1)
        elif token.text in ("break", "continue") and after.text == ";":
            yield "dropped statement", token.at, token.end, ""
        elif begins_statement(tokens, i):
            end = i
            while tokens[end].text != ";" and tokens[end].text not in "{}":
                end = closing(tokens, end) + 1 if tokens[end].text in "([" else end + 1
            declares = (
                after.kind == "word"
                or after.text == "*"
                and tokens[i + 2].kind == "word"
                or TYPES.match(token.text)
            )
            if (
                tokens[end].text == ";"
                and not declares
                and not (after.text == "(" and RELEASES.match(token.text))
            ):
                yield "dropped statement", token.at, tokens[end].at, ""
                if not gives and is_counter(tokens, i) and before.text in ";{}":
                    yield "early return", token.at, token.at, "return; "


def operands(text, tokens, start, end):
    """Each operand of the && and || at the top of the condition at start .. end, as if it were not there."""
    first, found, depth = start + 1, [], 0
    for i in range(start + 1, end + 1):
        word = tokens[i].text
        if depth == 0 and (word in ("&&", "||") or i == end):
            found.append((first, i, word))
            first = i + 1
        depth += (word in "([{") - (word in ")]}")
    words = {word for _, i, word in found if i != end}
    if len(words) != 1:  # none, or both: which belongs to which the tokens don't say
        return
    neutral = "1 || " if words == {"&&"} else "0 && "
    for first, behind, _ in found:
        at, to = tokens[first].at, tokens[behind - 1].end
        yield "condition", at, to, "(" + neutral + "(" + text[at:to] + "))"


def ends_early(text, tokens, start):
    """The < of a for's condition: one round less."""
    end = closing(tokens, start)
    parts = [i for i in range(start + 1, end) if tokens[i].text == ";"]
    if len(parts) != 2:
        return
    for i in range(parts[0] + 1, parts[1]):
        if tokens[i].text == "<" and tokens[i - 1].kind == "word":
            yield "last of a loop", tokens[i - 1].at, tokens[i - 1].end, tokens[i - 1].text + " + 1"
            return


# What declares a variable of a function: a type of one or two words, stars, and the name behind them.
DECLARED = re.compile(
    r"[;{}(,]\s*((?:const\s+)?(?:(?:struct|enum|unsigned)\s+)?[A-Za-z_]\w*(?:\s+|\s*\*+))"
    r"([A-Za-z_]\w*)(?=\s*[=;,)])((?:\s*=[^;,(]*)?(?:,\s*\**\w+(?=\s*[=;,])(?:\s*=[^;,(]*)?)*)"
)
DECLARES = frozenset("int char bool long short unsigned signed float double struct enum".split())


def variables(text, head, end):
    """Type -> names, of the parameters and local variables of the function at head .. end."""
    ret = collections.defaultdict(list)
    for found in DECLARED.finditer(text, head, end):
        kind = re.sub(r"\s+", " ", found.group(1)).replace("const ", "").strip()
        if kind.split(" ")[0].rstrip("*") in KEYWORDS - DECLARES:
            continue
        names = [found.group(2)]
        names += [n for n in re.findall(r",\s*\**(\w+)", found.group(3)) if not n[0].isdigit()]
        ret[kind] += [name for name in names if name not in KEYWORDS and name not in ret[kind]]
    return ret


BEFORE_OPERAND = frozenset("( , = + - < > == != <= >= && || ! return [".split())
BEHIND_OPERAND = frozenset(") , ; + - < > == != <= >= && || ] -> . [".split())


def similar(text, head, tokens, first, end):
    """Uses of a variable as operand or argument, with the next one of its type in its stead."""
    other = {}
    for names in variables(text, head, tokens[end].at).values():
        if len(names) > 1:
            other.update({name: names[(i + 1) % len(names)] for i, name in enumerate(names)})
    for i in range(first + 1, end):
        token, before, after = tokens[i], tokens[i - 1].text, tokens[i + 1].text
        if (
            token.text in other
            and before in BEFORE_OPERAND
            and after in BEHIND_OPERAND
            and not declares(tokens, i - 1)
            and not (before == "," and after in ";,=" and declares(tokens, i))
        ):
            yield "similar", token.at, token.end, other[token.text]


def casts(tokens, end):
    """Is what closes at end a type in brackets?"""
    at = end
    while tokens[at].text != "(":
        at -= 1
    return all(
        t.text in KEYWORDS or t.text == "*" or TYPES.match(t.text) for t in tokens[at + 1 : end]
    )


def is_of_memory(tokens, i, end):
    """Does the check at i .. end look at what an allocation gave, or leave for want of memory?"""
    behind = end
    while tokens[behind].text not in ";{}":
        behind += 1
    if any("memory" in t.text.lower() for t in tokens[end:behind] if t.kind != "sign"):
        return True
    return any(
        ALLOCATES.match(t.text) or t.text in ("grow", "tsearch")
        for t in tokens[max(i - 25, 0) : end]
    ) and any(t.text == "!" for t in tokens[i:end])


def begins_statement(tokens, i):
    token, before = tokens[i], tokens[i - 1]
    if token.text == "*" and before.text in (";", "{", "}"):  # *result = ...
        return bracket_free(tokens, i)
    if token.kind != "word" or token.text in KEYWORDS:
        return False
    if before.text in (";", "{", "}", "else"):
        return bracket_free(tokens, i)
    if before.text == ")":  # of an if, for, while
        depth = 0
        for j in range(i - 1, -1, -1):
            depth += tokens[j].text == ")"
            depth -= tokens[j].text == "("
            if not depth:
                return tokens[j - 1].text in ("if", "for", "while")
    return False


def bracket_free(tokens, i):
    """False in the head of a for, and in a list of values."""
    for j in range(i - 1, max(i - 200, 0), -1):
        if tokens[j].text in ")]":
            return True
        if tokens[j].text == "(":
            return False
        if tokens[j].text in ";}":
            continue
        if tokens[j].text == "{":
            return tokens[j - 1].text in (")", "else", "do", ":")
    return True


def squeeze(line):
    return re.sub(r"\s+", " ", line).strip()


def mutants_of(file, text):
    seen, ret = collections.Counter(), []
    for kind, at, end, replacement in places(text):
        first = text.rfind("\n", 0, at) + 1
        last = text.find("\n", end)
        before = squeeze(text[first:last])
        after = squeeze(text[first:at] + replacement + text[end:last])
        key = (before, after)
        seen[key] += 1
        ret.append(
            Mutant(
                file,
                text.count("\n", 0, at) + 1,
                kind,
                before,
                after,
                seen[key],
                at,
                end,
                replacement,
            )
        )
    return ret
