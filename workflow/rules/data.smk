# In:  the archive of CoarseWSD-20 (download or WSD_COARSEWSD20_ARCHIVE) or of NOAD
#      (WSD_NOAD_ARCHIVE), wsd/data/<dataset>, or a folder that `wsd import` wrote.
# Out: results/<dataset>/corpus/words.json, which lists <word>.parquet beside it, one checked table
#      per word;
#      .../trains/<train>.parquet, the rows of a training set; .../folds/<train>.parquet, its folds;
#      .../published/<system>.parquet, what published systems said of each test instance;
#      .../systems/<system>.parquet, the same of other systems.

FILES = dataset.FILES
OWN = CONFIG.dataset.folder
FROM_NOAD = DATASET in noad.NOAD
SOURCE = (
    f"{RESULTS}/source"
    if DATASET == "coarsewsd20" or FROM_NOAD or OWN
    else f"{PACKAGE}/data/{DATASET}"
)
# What a corpus says of itself, where a step has written it.
MANIFEST = [f"{SOURCE}/{dataset.MANIFEST}"] if FROM_NOAD or OWN else []
OUT_OF_DOMAIN = (
    [f"{SOURCE}/{dataset.FURTHER}"] if CONFIG.dataset.has_out_of_domain else []
)
CORPUS = [f"{RESULTS}/corpus/words.json"]
SUBSTITUTES = f"{RESULTS}/{{model}}/substitutes/words.json"
FOLDS = f"{RESULTS}/folds/{{train}}.parquet"
PUBLISHED = f"{RESULTS}/published/{{system}}.parquet"
SCORED = f"{RESULTS}/systems/{{system}}.parquet"
SYSTEMS = tuple(systems.SYSTEMS) if DATASET == "coarsewsd20" else ()


if DATASET == "coarsewsd20":

    rule download:
        input:
            modules=modules("download"),
            manifest=f"{PACKAGE}/data/coarsewsd20.sha256",
        output:
            [f"{SOURCE}/{file}" for file in coarsewsd20.downloaded_files()],
        log:
            f"{LOGS}/download.log",
        conda:
            CONDA
        resources:
            mem_mb=scaled(600),
            runtime=scaled(60),
        params:
            out=lambda wildcards, output: os.path.commonpath(output),
        message:
            "download: CoarseWSD-20, checking every file"
        shell:
            "wsd --log {log} download --out {params.out}"


if FROM_NOAD:

    rule noad:
        input:
            modules=modules("noad"),
            manifest=f"{PACKAGE}/data/noad.sha256",
        # It names the files beside it.
        output:
            MANIFEST,
        log:
            f"{LOGS}/noad.log",
        conda:
            CONDA
        resources:
            mem_mb=scaled(1500),
            runtime=scaled(60),
        params:
            name=DATASET,
            at_least=CONFIG.dataset.at_least or noad.AT_LEAST,
            out=subpath(output[0], parent=True),
        message:
            "noad: SemCor and MASC, checking every file"
        shell:
            "wsd --log {log} noad --name {params.name} --at-least {params.at_least}"
            " --out {params.out}"


if OWN:

    rule own:
        input:
            modules=modules("own"),
            manifest=f"{OWN}/{dataset.MANIFEST}",
            files=[f"{OWN}/{file}" for file in CONFIG.dataset.digests],
        # The manifest names the files beside it.
        output:
            manifest=f"{SOURCE}/{dataset.MANIFEST}",
        log:
            f"{LOGS}/own.log",
        conda:
            CONDA
        resources:
            mem_mb=scaled(500),
            runtime=scaled(10, 0.2),
        params:
            path=lambda wildcards: str(OWN),
            name=DATASET,
            # Of a function, so that its braces are no wildcards.
            title=lambda wildcards: CONFIG.dataset.title,
            out=subpath(output.manifest, parent=True),
        message:
            "own: copying the corpus, checking every file"
        shell:
            "wsd --log {log} own {params.path:q} --name {params.name} --title {params.title:q}"
            " --out {params.out}"


rule corpus:
    input:
        modules=modules("corpus"),
        files=MANIFEST
        or expand("{source}/{word}/{file}", source=SOURCE, word=WORDS, file=FILES),
        out_of_domain=[] if MANIFEST else OUT_OF_DOMAIN,
    output:
        CORPUS,
    log:
        f"{LOGS}/corpus.log",
    conda:
        CONDA
    resources:
        mem_mb=scaled(500, 20),
        runtime=scaled(10, 0.2),
    params:
        source=folder_of("files", 1 if MANIFEST else 2),
        words=lambda wildcards: [f"--word={word}" for word in CONFIG.words],
        out_of_domain=[
            part for file in OUT_OF_DOMAIN for part in ("--out-of-domain", file)
        ],
        out=subpath(output[0], parent=True),
    message:
        "corpus: reading and checking every word"
    shell:
        "wsd --log {log} corpus --source {params.source:q} {params.words:q}"
        " {params.out_of_domain:q} --out {params.out}"


if DATASET == "coarsewsd20":

    rule trains:
        input:
            modules=modules("trains"),
            corpus=CORPUS,
            files=[
                f"{SOURCE}/trains/{train}/{word}/train.{kind}.txt"
                for train in OTHER_TRAINS
                for word in coarsewsd20.words_of_trains()[train]
                if word in WORDS
                for kind in ("data", "gold")
            ],
        output:
            expand(
                "{results}/trains/{train}.parquet", results=RESULTS, train=OTHER_TRAINS
            ),
        log:
            f"{LOGS}/trains.log",
        conda:
            CONDA
        resources:
            mem_mb=scaled(600, 50),
            runtime=scaled(10, 1),
        params:
            source=SOURCE,
            corpus=folder_of("corpus"),
            words=WORDS,
            trains=OTHER_TRAINS,
            out=f"{RESULTS}/trains",
        message:
            "trains: which sentences each further training set has"
        shell:
            "wsd --log {log} trains --source {params.source} --corpus {params.corpus}"
            " --words {params.words} --trains {params.trains} --out {params.out}"

    rule published:
        input:
            modules=modules("published"),
            corpus=CORPUS,
            files=expand(
                "{source}/published/{{system}}/{word}.jsonl",
                source=SOURCE,
                word=WORDS,
            ),
        output:
            PUBLISHED,
        log:
            f"{LOGS}/published/{{system}}.log",
        conda:
            CONDA
        resources:
            mem_mb=scaled(600, 20),
            runtime=scaled(10, 1),
        params:
            source=folder_of("files", 3),
            corpus=folder_of("corpus"),
            words=WORDS,
        message:
            "published: reading what {wildcards.system} said"
        shell:
            "wsd --log {log} published --source {params.source} --corpus {params.corpus}"
            " --words {params.words} --system {wildcards.system} --out {output}"


if CONFIG.systems:

    rule score:
        input:
            modules=modules("score"),
            corpus=CORPUS,
            file=lambda wildcards: CONFIG.systems[wildcards.system],
        output:
            SCORED,
        log:
            f"{LOGS}/systems/{{system}}.log",
        wildcard_constraints:
            system="|".join(map(re.escape, CONFIG.systems)),
        conda:
            CONDA
        resources:
            mem_mb=scaled(600, 20),
            runtime=scaled(10, 1),
        params:
            corpus=folder_of("corpus"),
            words=WORDS,
        message:
            "score: reading what {wildcards.system} said"
        shell:
            "wsd --log {log} score {input.file:q} --name {wildcards.system}"
            " --corpus {params.corpus} --words {params.words} --out {output}"


rule folds:
    input:
        modules=modules("folds"),
        corpus=CORPUS,
        train=lambda wildcards: (
            []
            if wildcards.train == FULL
            else f"{RESULTS}/trains/{wildcards.train}.parquet"
        ),
    # What it has of other words is kept, for the runs that have them.
    output:
        update(FOLDS),
    log:
        f"{LOGS}/folds/{{train}}.log",
    priority: 1
    conda:
        CONDA
    resources:
        mem_mb=scaled(600, 100),
        runtime=scaled(10, 5),
    params:
        corpus=folder_of("corpus"),
        words=WORDS,
        train=lambda wildcards, input: f"--train {input.train}" if input.train else "",
        k=CONFIG.tuning.folds,
        repeats=CONFIG.tuning.repeats,
        seed=CONFIG.seed,
    message:
        "folds: drawing those of {wildcards.train}"
    shell:
        "wsd --log {log} folds --corpus {params.corpus} --words {params.words} {params.train}"
        " --k {params.k} --repeats {params.repeats} --seed {params.seed} --out {output}"
