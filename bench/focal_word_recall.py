"""Count the test sentences of a corpus in which `wsd predict` finds the focal word.

    python bench/focal_word_recall.py coarsewsd20 ARCHIVE.tar.gz
    python bench/focal_word_recall.py noad ARCHIVE.tar.gz
    python bench/focal_word_recall.py wic WiC_dataset.zip

The test sentences are joined by spaces and searched as `wsd predict --word WORD` does: for the
forms in the training sentences and the forms that the inflection rules give. CoarseWSD-20 and WiC
have their own splits. NOAD counts every word (lemma and part of speech) with two senses of at least
10 instances, and tests on every fifth document. `--rules` ignores the forms of the training
sentences. `--misses N` prints the N most frequent misses: word, focal token and count.
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
    """A sentence whose token at ``position`` is the focal word."""

    word: str
    is_test: bool
    tokens: list[str]
    position: int


def coarsewsd20(archive: Path) -> Iterator[Instance]:
    """Read `data/CoarseWSD-20/<word>/{train,test}.data.txt`."""
    with tarfile.open(archive) as tar:
        for member in tar:
            match = re.search(r"data/CoarseWSD-20/(\w+)/(train|test)\.data\.txt\Z", member.name)
            if not match or not (file := tar.extractfile(member)):
                continue
            for line in file.read().decode().splitlines():
                position, sentence = line.split("\t")
                yield Instance(match[1], match[2] == "test", sentence.split(), int(position))


def wic(archive: Path) -> Iterator[Instance]:
    """Read both sentences of each pair; dev and test are for testing."""
    with zipfile.ZipFile(archive) as file:
        for split in ("train", "dev", "test"):
            for line in file.read(f"{split}/{split}.data.txt").decode().splitlines():
                word, part, positions, *sentences = line.split("\t")
                for position, sentence in zip(positions.split("-"), sentences, strict=True):
                    name = f"{word}.{part.lower()}"
                    yield Instance(name, split != "train", sentence.split(), int(position))


def noad(archive: Path) -> Iterator[Instance]:
    """Read the instances of words that have two senses with ``AT_LEAST`` instances each."""
    senses: dict[str, Counter[str]] = defaultdict(Counter)
    instances = []
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
                    # The loop keeps adding the sentence's tokens to this list.
                    instances.append(Instance(word, number % 5 == 4, tokens, len(tokens)))
                tokens.append(element.get("text") or "")
    words = {w for w, n in senses.items() if sum(c >= AT_LEAST for c in n.values()) > 1}
    return (instance for instance in instances if instance.word in words)


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    readers = {"coarsewsd20": coarsewsd20, "noad": noad, "wic": wic}
    parser.add_argument("corpus", choices=readers)
    parser.add_argument("archive", type=Path)
    parser.add_argument(
        "--rules", action="store_true", help="ignore the forms in the training sentences"
    )
    parser.add_argument(
        "--misses", type=int, default=0, metavar="N", help="print the N most frequent misses"
    )
    args = parser.parse_args()
    test_instances: dict[str, list[Instance]] = defaultdict(list)
    training_forms: dict[str, set[str]] = defaultdict(set)
    for instance in readers[args.corpus](args.archive):
        if instance.is_test:
            test_instances[instance.word].append(instance)
        elif not args.rules:
            training_forms[instance.word].add(instance.tokens[instance.position])
    total, misses = Counter[str](), Counter[tuple[str, str]]()
    for word, instances in test_instances.items():
        finder = Finder([word], lambda word: training_forms[word])
        for instance in instances:
            count = count_found(finder, [(instance.tokens, instance.position)])
            total += count
            if not count["with_word"]:
                misses[word, instance.tokens[instance.position]] += 1
    share = total["with_word"] / total["sentences"]
    print(
        f"{args.corpus}: {len(test_instances)} words, found in {total['with_word']:,} of "
        f"{total['sentences']:,} test sentences ({100 * share:.2f}%); {total['several']:,} have "
        "several occurrences"
    )
    for (word, token), times in misses.most_common(args.misses):
        print(f"  {word}: {token!r}, {times} times")


if __name__ == "__main__":
    main()
