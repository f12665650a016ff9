"""The releases of changelogs, and what their sections say."""
