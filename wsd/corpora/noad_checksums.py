"""Facts about NOAD's archive: SemCor and MASC with senses of the New Oxford American Dictionary."""

from wsd.artifacts.dataset import DATA, DATASETS
from wsd.corpora.archives import SourceArchive

COMMIT = "894bf257296d1994df55c17fde0b09192644c74f"
ARCHIVE = SourceArchive(
    title="NOAD",
    url=f"{DATASETS['noad'].source}/archive/{COMMIT}.tar.gz",
    file=f"word_sense_disambigation_corpora-{COMMIT}.tar.gz",
    variable="WSD_NOAD_ARCHIVE",
    checksums=DATA / "noad.sha256",
)
DOCUMENT = ".xml"
WORDNET = "manual_map.txt"
