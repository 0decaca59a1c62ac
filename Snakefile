# `snakemake` in this folder finds this file. The workflow is in workflow/, where Snakemake's catalogue
# and `module:` look for it.


include: "workflow/Snakefile"


# A file that is included does not say what is made by default.
workflow.default_target = "all"
