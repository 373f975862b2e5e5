"""One record of a checked benchmark, in several dresses."""
