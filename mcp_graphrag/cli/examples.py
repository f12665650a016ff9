"""An example or two of each command, as its help shows them; the test parses every one."""

import click

EXAMPLES: dict[str, tuple[str, ...]] = {
    "demo": ("demo --db dairy.duckdb",),
    "init": ("init", "init --here"),
    "install": ("install claude-code", "install cursor --shared --dry-run"),
    "uninstall": ("uninstall claude-code",),
    "serve": ("serve --root ~/documents", "serve --http --port 8765"),
    "brief": ("brief", 'brief "who owns the Auth Service?"'),
    "search": ('search "how is milk cooled?" --mode hybrid --limit 5',),
    "entities": ("entities auth", "entities --type Service --limit 20"),
    "query": ("query --predicate depends_on", 'query --subject "Auth Service" --as-of 2024-05-01'),
    "cypher": ('cypher "MATCH (a:Service)-[:depends_on]->(b) RETURN a.name, b.name"',),
    "neighbourhood": ('neighbourhood "Auth Service" --hops 1', 'neighbourhood "Auth Service" --html auth.html'),
    "communities": ("communities", "communities --rebuild", "communities --mermaid"),
    "path": ('path "Auth Service" "Ada Brook" --max-hops 3',),
    "impact": ('impact "User Database"', 'impact "User Database" --mermaid'),
    "check": ('check "The Auth Service depends on the User Database."',),
    "plan": ('plan "who owns what the Auth Service depends on?"',),
    "source": ("source notes.md",),
    "ingest": ("ingest docs notes.md --ignore drafts", 'ingest --text "Ada owns the Auth Service." --title Owners'),
    "job": ("job 3",),
    "add-triples": ("add-triples triples.jsonl",),
    "forget": ("forget --document notes.md", "forget --undo 1"),
    "documents": ("documents --limit 50",),
    "review": ("review",),
    "history": ('history "Auth Service"',),
    "diff": ("diff 2024-05-01",),
    "merge": ('merge "Auth Service" AuthSvc --reason "its short name"',),
    "split": ("split AuthSvc",),
    "ontology": ("ontology", "ontology add shop.toml"),
    "doctor": ("doctor",),
    "verify": ("verify", "verify --repair"),
    "backup": ("backup graph-backup.duckdb",),
    "restore": ("restore graph-backup.duckdb",),
    "export": (
        "export graph.jsonl.gz",
        "export graph.ttl --type Service",
        "export notes --format obsidian",
        "export --repo",
    ),
    "import": ("import graph.jsonl.gz", "import triples.csv"),
    "watch": ("watch docs",),
    "status": ("status --json",),
    "compact": ("compact --keep-retired 30",),
    "reindex": ("reindex",),
    "add-entity": ('add-entity "Auth Service" --type Service',),
}


def with_examples(command: click.Command) -> click.Command:
    """The command with its examples at the end of its help."""
    found = EXAMPLES.get(command.name or "", ())
    if found and not command.epilog:
        lines = (f"  mcp-graphrag {each}" for each in found)
        command.epilog = "\n".join(["\b", "Examples:" if len(found) > 1 else "Example:", *lines])
    return command
