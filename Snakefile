# Which layer of an encoder knows which sense of a word?
# `snakemake --cores 8` runs the sweep of config/config.yaml; config/README.md explains its keys.
# The rules are in workflow/rules, one file per part of the way; each runs one `wsd` command.


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/embed.smk"
include: "workflow/rules/classify.smk"
include: "workflow/rules/compare.smk"
include: "workflow/rules/use.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/reproduce.smk"


rule all:
    default_target: True
    input:
        rules.evaluate.output,
        rules.compare.output,
        rules.layerwise.output,
        rules.figures.output,
        expand(rules.alignment.output, model=CONFIG.models),
        expand(rules.calibration.output, model=CONFIG.models),
        analyses(),
        rules.report.output,
    message:
        "all: the tables and the pages are there"


onstart:
    announce_cost()


onsuccess:
    print_leaderboard()


onerror:
    tell_of_killed_jobs()
    # At once, so that a dry run shows what is left to do.
    wsd.running.redo_missing(STATE)
