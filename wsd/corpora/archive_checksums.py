"""Facts about the archive of a built-in corpus that are known before it is downloaded.

The host packs the archive anew for each request, so the archive's own checksum is not stable.
Therefore, the checksum of each file that we need is pinned.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class SourceArchive:
    """An archive at a public host.

    Attributes
    ----------
    title : str
        The title of the corpus.
    url : str
    file : str
        The name of the archive in the cache.
    variable : str
        The environment variable that names a local copy.
    checksums : Path
        A file with a line per needed file: SHA-256, and path below the archive's top folder.
    """

    title: str
    url: str
    file: str
    variable: str
    checksums: Path

    def file_checksums(self) -> dict[str, str]:
        """Return the SHA-256 of each needed file, by its path below the archive's top folder."""
        lines = self.checksums.read_text(encoding="utf-8").splitlines()
        return {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}

    @property
    def alternatives(self) -> str:
        """Advice if the archive cannot be downloaded."""
        return (
            f"set {self.variable}=FILE to a local copy of the archive, "
            "or use the built-in corpus: --configfile config/quickstart.yaml"
        )
