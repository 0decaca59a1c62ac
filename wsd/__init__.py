"""wsd: which layer of an encoder knows which sense of a word?

The library behind the workflow and the ``wsd`` command. Each step of the workflow is one
module and one command; nothing here imports Snakemake.
"""

__version__ = "0.1.0"
