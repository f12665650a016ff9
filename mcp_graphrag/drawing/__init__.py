"""Pictures of small graphs as text that needs no program beside a browser: Mermaid, SVG, and a page that has both."""
