"""Write a data set in DWUG's layout: three words in two periods, with our own sentences.

*cell* changes from a room to a part of a body, *file* stays as it is, *mouse* gets a second use.
"""

import hashlib
import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from archive_server import build_archive

HEADER = (
    "lemma\tpos\tdate\tgrouping\tidentifier\tdescription\tcontext\tindexes_target_token\t"
    "indexes_target_sentence\tcontext_tokenized\tindexes_target_token_tokenized"
)
# The sentences of each use, by word and cluster. The focal word is marked.
SENTENCES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "cell_nn": (
        (
            "The *cell* of the monk had a narrow window",
            "Two *cells* stood open when the keeper came",
            "He slept badly in a damp *cell* below the tower",
            "Bare *cells* are cold in winter",
        ),
        (
            "The *cells* divide until the wound is closed",
            "A *cell* of this kind makes sugar",
            "Under the glass a single *cell* seemed to move",
            "Old *cells* are replaced at night",
        ),
    ),
    "file_nn": (
        (
            "She put the letters into a *file*",
            "The *files* of the office fill a whole room",
            "Nobody could find the *file* on this case",
            "A thick *file* lay on the table",
        ),
    ),
    "mouse_nn": (
        (
            "A *mouse* ran under the stove",
            "The cat watched the *mouse* all evening",
            "We heard *mice* behind the wall",
            "A field *mouse* had a nest in the hay",
        ),
        (
            "Move the *mouse* to the corner of the screen",
            "This *mouse* has three buttons",
            "Press the left button of the *mouse*",
            "The cable of my *mouse* is too short",
        ),
    ),
}
# The clusters of the uses of each word in the two periods, two uses for each number. In the second
# period of file_nn there is noise.
CLUSTERS = {
    "cell_nn": ((0, 0), (1, 1)),
    "file_nn": ((0, 0), (0, -1)),
    "mouse_nn": ((0, 0), (0, 1)),
}
# The Jensen-Shannon distance (base 2) of the two periods without noise.
CHANGE = {"cell_nn": "1.0", "file_nn": "0.0", "mouse_nn": "0.5579230452841438"}


def files() -> dict[str, bytes]:
    """Return the files by their paths below the folder of the data set."""
    texts: dict[str, str] = {}
    for word, periods in CLUSTERS.items():
        uses, clusters = [HEADER], ["identifier\tcluster"]
        judgments = ["identifier1\tidentifier2\tannotator\tjudgment\tcomment\tlemma"]
        members: list[tuple[str, int]] = []
        for period, numbers in enumerate(periods, start=1):
            for place, number in enumerate(numbers):
                pair = SENTENCES[word][max(number, 0)][2 * place : 2 * place + 2]
                for marked in pair:
                    identifier = f"{word}-{period}-{len(members)}"
                    before, form, after = marked.split("*")
                    sentence, start = before + form + after, len(before)
                    token = len(before.split())
                    date, span = 1800 + 150 * (period - 1), f"{start}:{start + len(form)}"
                    uses.append(
                        f"{word}\tnn\t{date}\t{period}\t{identifier}\t \t{sentence}\t{span}\t"
                        f"0:{len(sentence)}\t{sentence}\t{token}"
                    )
                    clusters.append(f"{identifier}\t{number}")
                    members.append((identifier, number))
        for n, (first, cluster) in enumerate(members):
            second, other = members[(n + 3) % len(members)]
            for annotator, shift in (("ann", 0), ("bob", n % 2)):
                rating = 4 - shift if cluster == other else 1 + shift
                judgments.append(f"{first}\t{second}\t{annotator}\t{rating}.0\t \t{word}")
        judgments.append(f"{members[0][0]}\t{members[1][0]}\tcid\t0.0\t \t{word}")
        texts[f"data/{word}/uses.csv"] = "\n".join(uses)
        texts[f"data/{word}/judgments.csv"] = "\n".join(judgments)
        texts[f"clusters/opt/{word}.csv"] = "\n".join(clusters)
    change = (f"{w}\t1_2\t{value}\t{int(float(value) > 0)}" for w, value in CHANGE.items())
    header = "lemma\tgrouping\tchange_graded\tchange_binary"
    texts["stats/opt/stats_groupings.csv"] = "\n".join([header, *change])
    return {name: f"{text}\n".encode() for name, text in texts.items()}


def write(folder: Path, changed: Mapping[str, bytes | None] | None = None) -> Path:
    """Write the folder of the data set; a changed file that is None is left out."""
    for name, content in {**files(), **(changed or {})}.items():
        if content is not None:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return folder


def write_archive(folder: Path, kind: str = "zip") -> tuple[Path, Path]:
    """Write an archive and the checksums of its files; return both paths."""
    folder.mkdir(parents=True, exist_ok=True)
    archive, sums = folder / f"dwug.{kind}", folder / "dwug.sha256"
    content = files()
    folder_of = {f"dwug_xx/{name}": data for name, data in content.items()}
    if kind == "zip":
        with zipfile.ZipFile(archive, "w") as target:
            for name, data in folder_of.items():
                target.writestr(name, data)
    elif kind == "tar.xz":
        with tarfile.open(archive, mode="w:xz") as tar:
            for name, data in folder_of.items():
                member = tarfile.TarInfo(name)
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
    else:
        archive.write_bytes(build_archive(content))
    lines = (f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in content.items())
    sums.write_text("".join(lines))
    return archive, sums
