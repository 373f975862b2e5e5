"""The HTML page: needs jinja2 and matplotlib, which the extra "html" installs."""
