"""The corpora the pipeline knows: their words, where they come from, and what they ask of users."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from wsd.errors import ConfigError
from wsd.names import word_of

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Dataset:
    """A sense-labelled corpus in CoarseWSD's format.

    Attributes
    ----------
    name : str
        Also the folder under ``results/``.
    title, source, licence, licence_url, citation : str
        For the report and the download; ``source`` is an address or a folder.
    """

    name: str
    title: str
    source: str
    licence: str
    licence_url: str
    citation: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words, sorted; nothing is downloaded to know them."""
        if self.name == "coarsewsd20":
            lines = (DATA / "coarsewsd20.sha256").read_text(encoding="utf-8").splitlines()
            members = [Path(line.split(maxsplit=1)[1]) for line in lines]
            return tuple(
                sorted(word_of(m.parent.name) for m in members if m.name == "classes_map.txt")
            )
        return tuple(
            sorted(word_of(f.parent.name) for f in (DATA / self.name).glob("*/classes_map.txt"))
        )

    def choose(self, words: object, *, where: str) -> tuple[str, ...]:
        """The words of a config: ``"all"``, or a list of the corpus's words, sorted.

        Raises
        ------
        ConfigError
            For a word that the corpus does not have.
        """
        if words == "all":
            return self.words
        if not isinstance(words, list) or not words:
            raise ConfigError(f"words {words!r}", where=where, fix="give `all` or a list of words")
        for i, word in enumerate(words):
            if word not in self.words:
                raise ConfigError(
                    f"{self.title} has no word {word!r}",
                    where=f"{where}[{i}]",
                    fix=f"choose among {', '.join(self.words)}",
                )
        return tuple(sorted(set(words)))


DATASETS = {
    dataset.name: dataset
    for dataset in (
        Dataset(
            name="coarsewsd20",
            title="CoarseWSD-20",
            source="https://github.com/danlou/bert-disambiguation",
            licence="CC BY-NC 4.0: not for commercial use",
            licence_url="https://creativecommons.org/licenses/by-nc/4.0/",
            citation=(
                "Daniel Loureiro, Kiamehr Rezaee, Mohammad Taher Pilehvar and Jose "
                "Camacho-Collados. Analysis and Evaluation of Language Models for Word Sense "
                "Disambiguation. Computational Linguistics 47(2), 2021."
            ),
        ),
        Dataset(
            name="quickstart",
            title="The quickstart corpus",
            source="wsd/data/quickstart",
            licence="CC0 1.0: public domain",
            licence_url="https://creativecommons.org/publicdomain/zero/1.0/",
            citation="Written for this project; cite the project.",
        ),
    )
}
