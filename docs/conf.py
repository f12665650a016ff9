"""The documentation as a site: `pip install ".[site]"`, then `sphinx-build -W docs site`."""

project = "mcp-graphrag"
author = "The mcp-graphrag authors"
copyright = author  # noqa: A001  (the name that Sphinx reads)
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 4
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
suppress_warnings = ["misc.highlighting_failure"]  # "\\connect" of psql is no SQL
html_theme = "furo"
html_title = project
html_copy_source = False
exclude_patterns = ["*.py"]
