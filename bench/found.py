"""In how many test sentences of a corpus is the focal word found?

    python bench/found.py coarsewsd20 ARCHIVE.tar.gz
    python bench/found.py noad ARCHIVE.tar.gz
    python bench/found.py wic WiC_dataset.zip

A word's forms are those of the training sentences and of the rules; both are looked up in the test
sentences, joined by spaces, as `wsd predict --word WORD` does. CoarseWSD-20 and WiC have their own
splits. Of NOAD every word with two senses of 10 instances counts (lemma and part of speech); each
fifth document is for testing. `--rules` leaves the training sentences' forms out; `--misses N`
prints so many of what is not found: the word, the focal token, and how often.
"""

import argparse
import io
import re
import tarfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from wsd.corpora.focal_word_recall import count_found
from wsd.corpora.word_forms import Finder

AT_LEAST = 10


class Instance(NamedTuple):
    """A sentence with a word, which is its token at ``position``."""

    word: str
    is_test: bool
    tokens: list[str]
    position: int


def coarsewsd20(archive: Path) -> Iterator[Instance]:
    """Of `data/CoarseWSD-20/<word>/{train,test}.data.txt`."""
    with tarfile.open(archive) as tar:
        for member in tar:
            named = re.search(r"data/CoarseWSD-20/(\w+)/(train|test)\.data\.txt\Z", member.name)
            if not named or not (file := tar.extractfile(member)):
                continue
            for line in file.read().decode().splitlines():
                position, sentence = line.split("\t")
                yield Instance(named[1], named[2] == "test", sentence.split(), int(position))


def wic(archive: Path) -> Iterator[Instance]:
    """Both sentences of each pair; dev and test are for testing."""
    with zipfile.ZipFile(archive) as file:
        for split in ("train", "dev", "test"):
            for line in file.read(f"{split}/{split}.data.txt").decode().splitlines():
                word, part, positions, *sentences = line.split("\t")
                for position, sentence in zip(positions.split("-"), sentences, strict=True):
                    name = f"{word}.{part.lower()}"
                    yield Instance(name, split != "train", sentence.split(), int(position))


def noad(archive: Path) -> Iterator[Instance]:
    """Instances of the words that have two senses of ``AT_LEAST`` instances."""
    senses: dict[str, Counter[str]] = defaultdict(Counter)
    found = []
    with tarfile.open(archive) as tar:
        documents = sorted(m.name for m in tar.getmembers() if m.name.endswith(".xml"))
        for number, name in enumerate(documents):
            tokens: list[str] = []
            for element in ElementTree.parse(tar.extractfile(name) or io.BytesIO()).iter("word"):
                if element.get("break_level") in ("SENTENCE_BREAK", "PARAGRAPH_BREAK"):
                    tokens = []
                if sense := element.get("sense"):
                    word = f"{element.get('lemma')}.{element.get('pos', '').lower()}"
                    senses[word][sense] += 1
                    # The sentence goes on being read into the same list.
                    found.append(Instance(word, number % 5 == 4, tokens, len(tokens)))
                tokens.append(element.get("text") or "")
    kept = {w for w, n in senses.items() if sum(c >= AT_LEAST for c in n.values()) > 1}
    return (one for one in found if one.word in kept)


def main() -> None:
    """Count, and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    readers = {"coarsewsd20": coarsewsd20, "noad": noad, "wic": wic}
    parser.add_argument("corpus", choices=readers)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--rules", action="store_true")
    parser.add_argument("--misses", type=int, default=0, metavar="N")
    args = parser.parse_args()
    test: dict[str, list[Instance]] = defaultdict(list)
    seen: dict[str, set[str]] = defaultdict(set)
    for one in readers[args.corpus](args.archive):
        if one.is_test:
            test[one.word].append(one)
        elif not args.rules:
            seen[one.word].add(one.tokens[one.position])
    total, misses = Counter[str](), Counter[tuple[str, str]]()
    for word, instances in test.items():
        finder = Finder([word], lambda word: seen[word])
        for one in instances:
            count = count_found(finder, [(one.tokens, one.position)])
            total += count
            if not count["with_word"]:
                misses[word, one.tokens[one.position]] += 1
    share = total["with_word"] / total["sentences"]
    print(
        f"{args.corpus}: {len(test)} words, found in {total['with_word']:,} of "
        f"{total['sentences']:,} test sentences ({100 * share:.2f}%); {total['several']:,} have "
        "several occurrences"
    )
    for (word, token), times in misses.most_common(args.misses):
        print(f"  {word}: {token!r}, {times} times")


if __name__ == "__main__":
    main()
