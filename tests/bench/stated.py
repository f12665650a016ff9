"""What the reader of stored sentences makes of claims that nobody meant: python tests/bench/stated.py FOLDER

FOLDER holds folders with a corpus.jsonl each, {"title", "text"} a line. Sentences are drawn from all of them, the same
number of each, at random with --seed. Two things are measured:

- claims: names, participles, prepositions and nouns of a sentence are put together anew. Whether a verdict is right has
  to be judged by a person: --show of them are printed, drawn at random, in the order verdict, claim, sentence.
- frames: where a sentence states a claim that is its own beginning, words are put around it that make it an untruth, a
  story, an opinion or a matter of another time ("It is a myth that …"). No verdict on the claim is right then; every
  one is counted and printed by its frame.
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from mcp_graphrag.english.sentences import split_sentences
from mcp_graphrag.model import StoredChunk, StoredDocument
from mcp_graphrag.reason.stated_in_text import stated_in_chunk

# S is the sentence without its full stop, s the same with a small "the" or "a" in front.
FRAMES = r"""
It is a myth that s.|It is a common error that s.|It is not true that s.|Rumour has it that s.|Legend says that s.
Some say that s.|Hale claimed that s.|Say s.|Imagine that s.|Suppose s.|Make sure that s.|Verify that s.|Pretend s.
Perhaps s.|Allegedly, s.|Maybe s.|Contrary to s.|Almost s.|If only s.|Should s.|Nobody believes that s.
In the film, s.|In the novel Blue Barn, s.|In a parallel world, s.|In our dreams, s.|In the worst case, s.
In version 9.0, s.|In the target architecture, s.|In theory, s.|In 1984 by George Orwell, s.|In the play of 1923, s.
Next year, s.|Tomorrow, s.|From next year, s.|After the migration, s.|As soon as the move is done, s.
Before the war, s.|Until 2019, s.|From January 2090, s.|In 2090, s.|By 2090, s.|Since the fire, s.
Once the vote is over, s.|One day, s.|S, some say.|S, according to Hale.|S, or so it is said.|S, said Hale.
S, joked Hale.|S, which is a myth.|S, in theory.|S, which is false.|S, on paper.|S, they hoped.|S, if all goes well.
S, in a dream.|S, it was claimed.|S, Hale wrote.|S from January 2090.|S until 2019.|S in 2090.|S by 2090.
S since 2090.|S before 2001.|S after the migration.|S next year.|S in the film Blue Barn.|S in staging.
S in the worst case.|S only in tests.|S in fiction.|S in a parallel world.|S unless it rains.|S except on Mondays.
S or not.|S, but that is wrong.|S, but not really.|S when asked.|S while it rains.|S (false).|S (planned).
S (until 2019).|S (outdated).|S (citation needed).|S (rumour).|S (2090).|S, supposedly.|S ❌.|~~S.~~|- [ ] S.|> S.
"S," wrote Hale.|“S,” said Hale.|"S."|S?|S!?|False: s.|Myth: s.|True or false: s.|Wrong: s.|S. This claim is false.
S. This is wrong.|S. That is no longer true.|S. Not!|S. Or so they say.|S. Just kidding.|S. None of this is true.
S. At least that was the plan.|S. That was before the move.|S. But that is a myth.
The following statement is wrong. S.|What follows is fiction. S.|The following statements are false:\n\n- S.
We do not believe:\n\n- S.|Things that were removed:\n\n- S.\n- More.|The following is false:\n\nS.|Wrong:\n\n> S.
Hale: S.\nPike: wrong, we removed it.|Status: Rejected\n\nS.|Status: Proposed\n\nS.
Status: Superseded by ADR-9\n\nS.|Hale said: "Listen. S. You will see."|<!-- S. -->|    S.|```\nS.\n```
"""
HEADINGS = ("Myths", "Proposal", "Rejected options", "Target state (2090)", "Before the migration", "Example", "Plot")
NAME = re.compile(r"(?:[A-Z][\w.'-]+)(?: (?:of |the |de |van )?(?:[A-Z][\w.'-]+|\d[\w.]*))*")
PARTICIPLE = re.compile(r"\b(\w+ed|written|born|made|known|sung|built|held|won|led|shot|set)\b")
VERB = re.compile(r"\b[a-z]{3,}(?:s|ed)\b")
PREPOSITIONS = ("by", "in", "for", "from", "with", "at", "to", "on")
NUMBER = re.compile(r"\d+")
NOW = datetime(2026, 1, 1)  # noqa: DTZ001
MIN_LENGTH, MAX_LENGTH, MAX_NAMES, MAX_BEGINNINGS = 25, 350, 6, 12


@dataclass(frozen=True)
class Verdict:
    """What the reader makes of a claim."""

    agrees: bool
    claim: str
    text: str
    why: str


def verdict(claim: str, text: str, headings: Sequence[str] = ()) -> Verdict | None:
    """What one chunk says of a claim, None for nothing."""
    document = StoredDocument(1, "bench", "", "", "text/markdown", {}, "", len(text), NOW, None)
    stated = stated_in_chunk(StoredChunk(1, document, 0, 0, len(text), tuple(headings), text, ""), claim)
    sides = {each.agrees for each in stated}
    return Verdict(stated[0].agrees, claim, text, stated[0].why) if len(sides) == 1 else None


def sentences(folder: Path, count: int) -> Iterator[tuple[str, str]]:
    """(subject, sentence), the same number from each corpus; the subject is the title or the first name."""
    corpora = sorted(folder.glob("*/corpus.jsonl"))
    for corpus in corpora:
        found: list[tuple[str, str]] = []
        for row in map(json.loads, corpus.read_text(encoding="utf-8").splitlines()):
            title = row["title"].split(" (")[0]
            for sentence in map(str.strip, split_sentences(row["text"])):
                first = NAME.match(sentence)
                subject = title if title and title in sentence[:60] else first[0] if first else ""
                if subject and MIN_LENGTH < len(sentence) < MAX_LENGTH and "\n" not in sentence:
                    found.append((subject, sentence))
        yield from random.sample(found, min(count // len(corpora), len(found)))


def recombined(subject: str, sentence: str) -> Iterator[str]:
    """Claims about the subject out of the words of the sentence."""
    names = [name for name in dict.fromkeys(NAME.findall(sentence)) if name != subject and len(name) > 2][:MAX_NAMES]
    words = sentence.split()
    prepositions = [each for each in PREPOSITIONS if each in words]
    for participle in list(dict.fromkeys(PARTICIPLE.findall(sentence)))[:5]:
        yield f"{subject} was {participle}."
        for name in names:
            yield from (f"{subject} was {participle} {each} {name}." for each in prepositions)
    for verb in list(dict.fromkeys(VERB.findall(sentence)))[:6]:
        for name in names:
            yield f"{subject} {verb} {name}."
            yield from (f"{subject} {verb} {each} {name}." for each in prepositions)
    for name in names:
        yield from (f"{subject} is {each} {name}." for each in ("a", "in", "the"))
        yield f"{subject} was the {name}."
    nouns = re.findall(r"\b[a-z]{4,}\b", sentence)
    for noun in random.sample(nouns, min(8, len(nouns))):
        yield from (f"{subject} is a {noun}.", f"{subject} was a {noun}.", f"{subject} is the {noun}.")
        yield from (f"{subject} has {number[0]} {noun}." for number in NUMBER.finditer(sentence))
    for number in list(NUMBER.finditer(sentence))[:4]:
        other = str(int(number[0]) + 1)
        yield from (f"{start}." for start in beginnings(sentence[: number.start()] + other + sentence[number.end() :]))


def beginnings(sentence: str) -> Iterator[str]:
    """The sentence without its end, cut behind each of its words from the fourth on, and whole."""
    words = sentence.rstrip(".").split()
    yield from (" ".join(words[:end]).rstrip(",") for end in range(3, min(len(words), MAX_BEGINNINGS)))
    yield " ".join(words)


def framed(sentence: str) -> Iterator[tuple[str, str, Sequence[str]]]:
    """(frame, text, headings): the sentence in every frame."""
    whole = sentence.rstrip(".")
    small = re.sub(r"\A(?:The|A|An|In|It|He|She|They|His|Its)\b", lambda found: found[0].lower(), whole)
    for frame in (each for line in FRAMES.strip().splitlines() for each in line.split("|")):
        text = re.sub(r"\b[Ss]\b(?!')", lambda found: small if found[0] == "s" else whole, frame.replace("\\n", "\n"))
        yield frame, text, ()
    for heading in HEADINGS:
        yield f"# {heading}", sentence, (heading,)


def main() -> None:
    """Measure, and print what has to be judged."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--show", type=int, default=150)
    given = parser.parse_args()
    random.seed(given.seed)
    drawn = list(sentences(given.folder, given.sentences))
    asked = stating = frames = 0
    found: list[Verdict] = []
    wrong: Counter[str] = Counter()
    examples: dict[str, Verdict] = {}
    for subject, sentence in drawn:
        claims = list(dict.fromkeys(recombined(subject, sentence)))
        asked += len(claims)
        found += [each for claim in claims if (each := verdict(claim, sentence))]
        own = (f"{start}." for start in beginnings(sentence) if start + "." != sentence)
        base = next((claim for claim in own if (each := verdict(claim, sentence)) and each.agrees), None)
        stating += base is not None
        for frame, text, headings in framed(sentence) if base else ():
            frames += 1
            if each := verdict(base or "", text, headings):
                wrong[frame] += 1
                examples[frame] = each
    agree = sum(each.agrees for each in found)
    print(f"{len(drawn)} sentences, {asked} claims, {agree} stated, {len(found) - agree} contradicted")
    print(f"{stating} sentences state their beginning; of {frames} in frames {wrong.total()} give a verdict")
    for frame, count in wrong.most_common():
        print(f"{count:5} {frame!r}: {examples[frame].claim} | {examples[frame].why} | {examples[frame].text}")
    shown = sorted(random.sample(found, min(given.show, len(found))), key=lambda each: (each.agrees, each.claim))
    for each in shown:
        print(f"{'+' if each.agrees else '-'} {each.claim} | {each.why} | {each.text}")


if __name__ == "__main__":
    main()
