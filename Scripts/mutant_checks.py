"""Finds the checks in Swift sources and writes the sources with a switch at each: what Scripts/mutants removes."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Group:
    """Checks, and the tests that must notice when one is gone."""

    folders: list[str]
    tests: list[str]
    # What the code behind a check begins with, if it is one.
    refusals: str = r"throw\b"
    # Checks that are calls: a pattern of the call, and what stands before and behind it. NUMBER is the mutant's.
    calls: tuple[tuple[str, str, str], ...] = ()
    # Patterns of files in Tests/Interop, whose tests run the built programs. They are asked about what no test of `tests` notices.
    interop: tuple[str, ...] = ()


# What stands in each module that has mutants: one of them is on. MUTANTS_REACHED names a file with a byte for each, which every
# process of a test has in its memory; the byte of a check that is reached becomes 1. The names do not begin with WARD_: the
# Python tests start programs without the caller's settings of Ward.
SWITCH = """import Foundation

@usableFromInline let activeMutant = ProcessInfo.processInfo.environment["MUTANT"].flatMap { Int($0) } ?? 0
nonisolated(unsafe) private let reachedMutants: UnsafeMutableRawBufferPointer? = {
    guard let path = ProcessInfo.processInfo.environment["MUTANTS_REACHED"] else { return nil }
    let file = unsafe open(path, O_RDWR | O_CLOEXEC)
    let size = Int(lseek(file, 0, SEEK_END))
    guard size > 0, let bytes = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
        unsafe bytes != MAP_FAILED
    else { return nil }
    close(file)
    return unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size)
}()
@usableFromInline func isMutant(_ number: Int) -> Bool {
    if let bytes = unsafe reachedMutants { unsafe bytes[number] = 1 }
    return number == activeMutant
}
@usableFromInline func mutated(_ number: Int, _ value: Bool, _ checked: Bool) -> Bool {
    isMutant(number) ? value : checked
}
"""


@dataclass(frozen=True)
class Mutant:
    group: str
    file: Path
    start: int
    end: int
    before: str
    behind: str
    line: int
    text: str

    @property
    def key(self) -> str:
        """What EQUIVALENT calls it: a line number would not last."""
        return f"{self.file.relative_to(ROOT)}: {' '.join(self.text.split())}"

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line}: {' '.join(self.text.split())}"


def condition_end(source: str, start: int, closing: str) -> int:
    """Where the condition that begins at `start` ends: before `closing`, outside brackets."""
    depth = 0
    for match in re.compile(r"[(\[{]|[)\]}]|\belse\b|\{").finditer(source, start):
        token = match.group()
        if depth == 0 and token == closing:
            return match.start()
        if token in "([{":
            depth += 1
        elif token in ")]}":
            depth -= 1
    return -1


def clauses(condition: str) -> list[tuple[int, int]]:
    """The comma-separated clauses of a condition."""
    found, depth, begin = [], 0, 0
    for index, character in enumerate(condition):
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            found.append((begin, index))
            begin = index + 1
    return found + [(begin, len(condition))]


def without_words(source: str) -> str:
    """The source with blanks for comments and quotation marks for texts, every other character at its place."""
    return re.sub(
        r'//[^\n]*|"(?:\\.|[^"\\\n])*"',
        lambda match: (" " if match.group().startswith("/") else '"') * len(match.group()),
        source,
    )


def mutants_of(name: str, group: Group, file: Path) -> list[Mutant]:
    source = file.read_text()
    code = without_words(source)
    found = []
    for match in re.finditer(r"\b(guard|if) ", code):
        word, start = match.group(1), match.end()
        end = condition_end(code, start, "else" if word == "guard" else "{")
        if end < 0:
            continue
        body_start = code.find("{", end)
        if not re.match(rf"\{{\s*(?:{group.refusals})", code[body_start : body_start + 400]):
            continue
        for begin, stop in clauses(code[start:end]):
            # Without the comments before and behind it, which are blanks here.
            words = code[start + begin : start + stop]
            begin, stop = begin + len(words) - len(words.lstrip()), stop - len(words) + len(words.rstrip())
            clause = source[start + begin : start + stop]
            if re.match(r"(let|var|case)\b", clause) or not clause:
                continue
            tries, inner = re.fullmatch(r"((?:try[?]?\s+)?(?:await\s+)?)(.*)", clause, re.S).groups()
            begin += len(tries)
            holds = word == "guard"
            # An operator that leaves its right side out can neither wait nor keep the type of an error.
            waits = re.search(r"\b(?:try|await)\b", code[start + begin - len(tries) : start + stop])
            before, behind = (f"mutated(NUMBER, {str(holds).lower()}, ", ")") if waits else (
                ("(isMutant(NUMBER) || (", "))") if holds else ("(!isMutant(NUMBER) && (", "))")
            )
            line = source.count("\n", 0, start + begin) + 1
            end_of_clause = start + begin + len(inner)
            found.append(Mutant(name, file, start + begin, end_of_clause, before, behind, line, clause))
            if word == "if":  # one clause that never holds takes the whole check away
                break
    for pattern, before, behind in group.calls:
        for match in re.finditer(pattern, code):
            line = source.count("\n", 0, match.start()) + 1
            ends = match.expand(before), match.expand(behind)
            found.append(Mutant(name, file, match.start(), match.end(), *ends, line, match.group()))
    return found


def with_mutants(source: str, mutants: dict[int, Mutant]) -> str:
    """The source with these mutants of it in place; every line stays where it is."""
    pieces = []
    for number, mutant in mutants.items():
        # At one place the shorter check is the inner one: it opens later and closes sooner.
        length = mutant.end - mutant.start
        pieces.append((mutant.start, 1, -length, mutant.before.replace("NUMBER", str(number))))
        pieces.append((mutant.end, 0, length, mutant.behind))
    for place, _, _, text in sorted(pieces, reverse=True):
        source = source[:place] + text + source[place:]
    return source
