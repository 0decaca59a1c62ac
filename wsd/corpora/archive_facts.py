"""What is known of an archive that a built-in corpus is read from, before it is there.

The host packs a source archive anew on request, so the archive's own checksum is not stable. What
is pinned is the content: the checksum of each file that is needed.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class SourceArchive:
    """An archive at a public host.

    Attributes
    ----------
    title : str
        Of the corpus.
    url : str
    file : str
        Its name in the cache.
    variable : str
        The environment variable that names a local copy.
    checksums : Path
        A line per file that is needed: SHA-256 and path below the archive's top folder.
    """

    title: str
    url: str
    file: str
    variable: str
    checksums: Path

    def file_checksums(self) -> dict[str, str]:
        """Checksum of each file that is needed, by its path below the archive's top folder."""
        lines = self.checksums.read_text(encoding="utf-8").splitlines()
        return {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}

    @property
    def ways_on(self) -> str:
        """What to do where it cannot be downloaded."""
        return (
            f"set {self.variable}=FILE to a local copy of the archive, "
            "or use the built-in corpus: --configfile config/quickstart.yaml"
        )
