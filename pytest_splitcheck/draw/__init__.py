"""The figures: each draws plain data on the Axes that it is given, and changes nothing else.

No figure has a title, so that a caption can say it; colours are told apart by colour-blind readers, and what is
neither a class nor a detector has the colour that the Axes give their labels, on light and on dark.
"""

from pytest_splitcheck.draw.auroc import draw_auroc
from pytest_splitcheck.draw.embedding import draw_embedding
from pytest_splitcheck.draw.leakage import draw_leakage
from pytest_splitcheck.draw.matrix import draw_leakage_matrix
from pytest_splitcheck.draw.scores import draw_scores

__all__ = [
    "draw_auroc",
    "draw_embedding",
    "draw_leakage",
    "draw_leakage_matrix",
    "draw_scores",
]
