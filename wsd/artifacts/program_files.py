"""Find the workflow, its profiles and the config files that come with the program."""

from wsd.artifacts.dataset import DATA

# Whether this is an installed wheel (setup.py) and not a checkout.
INSTALLED = (DATA / "workflow").is_dir()
# The parent of config/, profiles/ and workflow/: the data of the package, or the checkout.
PROGRAM = DATA if INSTALLED else DATA.parents[1]
