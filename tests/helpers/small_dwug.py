"""Write a data set in DWUG's layout: three words in two periods, with our own sentences.

*cell* changes from a room to a part of a body, *file* stays as it is, *mouse* gets a second use.
"""

import hashlib
import shutil
from pathlib import Path

HEADER = (
    "lemma\tpos\tdate\tgrouping\tidentifier\tdescription\tcontext\tindexes_target_token\t"
    "indexes_target_sentence\tcontext_tokenized\tindexes_target_token_tokenized"
)
# The sentences of each use, a paragraph for each cluster of a word. The focal word is marked.
TEXTS = {
    "cell_nn": """
The *cell* of the monk had a narrow window
Two *cells* stood open when the keeper came
He slept badly in a damp *cell* below the tower
Bare *cells* are cold in winter

The *cells* divide until the wound is closed
A *cell* of this kind makes sugar
Under the glass a single *cell* seemed to move
Old *cells* are replaced at night
""",
    "file_nn": """
She put the letters into a *file*
The *files* of the office fill a whole room
Nobody could find the *file* on this case
A thick *file* lay on the table
""",
    "mouse_nn": """
A *mouse* ran under the stove
The cat watched the *mouse* all evening
We heard *mice* behind the wall
A field *mouse* had a nest in the hay

Move the *mouse* to the corner of the screen
This *mouse* has three buttons
Press the left button of the *mouse*
The cable of my *mouse* is too short
""",
}
SENTENCES = {
    word: [part.splitlines() for part in text.strip().split("\n\n")] for word, text in TEXTS.items()
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
        drawn = [
            (period, cluster, marked)
            for period, numbers in enumerate(periods, start=1)
            for place, cluster in enumerate(numbers)
            for marked in SENTENCES[word][max(cluster, 0)][2 * place : 2 * place + 2]
        ]
        for number, (period, cluster, marked) in enumerate(drawn):
            identifier, date = f"{word}-{period}-{number}", 1650 + 150 * period
            before, form, after = marked.split("*")
            sentence, span = before + form + after, f"{len(before)}:{len(before + form)}"
            uses.append(
                f"{word}\tnn\t{date}\t{period}\t{identifier}\t \t{sentence}\t{span}\t"
                f"0:{len(sentence)}\t{sentence}\t{len(before.split())}"
            )
            clusters.append(f"{identifier}\t{cluster}")
            members.append((identifier, cluster))
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


def write(folder: Path) -> Path:
    """Write the folder of the data set."""
    for name, content in files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def write_archive(folder: Path, kind: str = "zip") -> tuple[Path, Path]:
    """Write an archive and the checksums of its files; return both paths."""
    write(folder / "dwug_xx")
    form = {"zip": "zip", "tar.xz": "xztar", "tar.gz": "gztar"}[kind]
    archive = shutil.make_archive(str(folder / "dwug"), form, folder, "dwug_xx")
    sums = folder / "dwug.sha256"
    lines = (f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in files().items())
    sums.write_text("".join(lines))
    return Path(archive), sums
