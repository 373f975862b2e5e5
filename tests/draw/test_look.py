"""What all figures keep to."""

from __future__ import annotations

import subprocess
import sys

import matplotlib
import pytest
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.text import Text

from pytest_splitcheck.draw.look import COLOURS
from tests.draw.artists import svg
from tests.draw.test_names import FIGURES

EACH = FIGURES[:5]


@pytest.mark.parametrize(("figure", "data"), EACH)
def test_no_global_state_is_changed(ax, figure, data):
    before = dict(matplotlib.rcParams)
    figure(ax, data)
    svg(ax)
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize(("figure", "data"), EACH)
def test_the_same_data_give_the_same_bytes(axes, figure, data):
    first, second = axes(), axes()
    figure(first, data)
    figure(second, data)
    assert svg(first) == svg(second)


@pytest.mark.parametrize(("figure", "data"), EACH)
def test_texts_have_the_colour_of_the_style(axes, figure, data):
    style = dict.fromkeys(
        ["text.color", "axes.labelcolor", "xtick.color", "ytick.color", "axes.edgecolor"], "#abcdef"
    )
    with matplotlib.rc_context({**style, "axes.facecolor": "#101010"}):
        ax = axes()
        figure(ax, data)
    in_cells = set(ax.texts)
    others = [text for text in ax.figure.findobj(Text) if text.get_text() and text not in in_cells]
    assert {to_rgba(text.get_color()) for text in others} == {to_rgba("#abcdef")}


def test_drawing_imports_no_pyplot():
    """It would choose a window system, and keep every figure."""
    code = (
        "import sys\n"
        "from matplotlib.figure import Figure\n"
        "from tests.draw.test_names import FIGURES\n"
        "for figure, data in FIGURES:\n"
        "    figure(Figure().add_subplot(), data)\n"
        "sys.exit('matplotlib.pyplot' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("colour", COLOURS)
def test_colours_are_seen_on_light_and_on_dark(colour):
    """By the contrast of WCAG 2; what is less on white than its 3 : 1 is told apart by markers too."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    assert 1.05 / (luminance + 0.05) > 2
    assert (luminance + 0.05) / 0.05 > 3
