"""Define the names of the study of glosses in configs, files and rows."""

from wsd.artifacts.senses import GLOSS

# Values of the config key `glosses`, which can also be the path of a file.
NO_GLOSSES, OF_CORPUS = "none", "corpus"
# The two kinds of gloss vector with their views: the focal word within its gloss, and the mean over
# all word pieces of the gloss.
KINDS = {GLOSS: "focal", "gloss-mean": "sentence"}
# The view of the sentences that gloss vectors are compared with.
VIEW = "focal"
