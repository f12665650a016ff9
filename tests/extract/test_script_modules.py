"""The file that an import of JavaScript or TypeScript means, by the configurations of its project."""

import json

import pytest
from code_helpers import triples

DEAL = "export function deal() {}\n"
PLAY = 'import { deal } from "%s";\nexport function play() { deal(); }\n'


def called(files: dict[str, str], module: str, *, at: str = "src/table/play.ts") -> set[str]:
    """What `play` calls, which imports `deal` from a module."""
    return triples({"package.json": "{}", at: PLAY % module, **files}, "calls")


@pytest.mark.parametrize(
    ("files", "module"),
    [
        ({"tsconfig.json": '{"compilerOptions": {"paths": {"@cards/*": ["./src/cards/*"]}}}'}, "@cards/deck"),
        ({"jsconfig.json": '{"compilerOptions": {"baseUrl": "src"}}'}, "cards/deck"),
        ({"tsconfig.json": '{"compilerOptions": {"baseUrl": "src", "paths": {"deck": ["cards/deck"]}}}'}, "deck"),
        (
            {"tsconfig.json": '{"compilerOptions": {"paths": {"~/*": ["gone/*", "src/*"], "*": ["x/*"]}}}'},
            "~/cards/deck",
        ),
        (
            {"tsconfig.json": '{// own\n"compilerOptions": {"paths": {"#/*": ["${configDir}/src/*",], /* all */}},}'},
            "#/cards/deck.js",
        ),
        (
            {
                "tsconfig.json": '{"extends": ["./build/tsconfig.strict.json", "./tsconfig.base"]}',
                "tsconfig.base.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
                "build/tsconfig.strict.json": '{"extends": "./tsconfig.strict.json"}',
            },
            "@/cards/deck",
        ),
        (
            {
                "tsconfig.json": '{"references": [{"path": "./tsconfig.node.json"}, {"path": "./tsconfig.app.json"}]}',
                "tsconfig.app.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
            },
            "@/cards/deck",
        ),
        (
            {"package.json": '{"imports": {"#cards/*": {"browser": "./none.js", "default": "./dist/cards/*.js"}}}'},
            "#cards/deck",
        ),
        ({"package.json": '{"name": "game", "exports": {"./deck": "./src/cards/deck.ts"}}'}, "game/deck"),
    ],
)
def test_an_alias_leads_to_the_file_that_the_configuration_says(files: dict[str, str], module: str) -> None:
    found = called({**files, "src/cards/deck.ts": DEAL}, module)

    assert found == {"src/table/play.play calls src/cards/deck.deal"}


@pytest.mark.parametrize(
    ("workspace", "package", "module"),
    [
        ({"package.json": '{"workspaces": ["libs/*"]}'}, {}, "@game/cards"),
        ({"package.json": '{"workspaces": {"packages": ["./libs/**"]}}'}, {"main": "dist/index.js"}, "@game/cards"),
        (
            {"pnpm-workspace.yaml": 'packages:\n  # all\n  - "libs/*"\ncatalog:\n  - x\n'},
            {"types": "lib/deck.d.ts"},
            "@game/cards",
        ),
        ({"pnpm-workspace.yaml": "packages: ['tools', 'libs/*']\n"}, {"source": "src/deck.ts"}, "@game/cards"),
        (
            {"package.json": '{"workspaces": ["libs/*"]}'},
            {"exports": {".": "./x.js", "./*": {"types": "./dist/esm/*.d.ts", "default": "./dist/esm/*.js"}}},
            "@game/cards/deck",
        ),
        ({"package.json": '{"workspaces": ["libs/*"]}'}, {"exports": {"import": ["./src/deck.js"]}}, "@game/cards"),
        ({"package.json": '{"workspaces": ["libs/*"]}'}, {}, "@game/cards/src/deck"),
        ({"apps/table/package.json": '{"dependencies": {"@game/cards": "file:../../libs/cards"}}'}, {}, "@game/cards"),
    ],
)
def test_a_package_of_the_workspace_is_its_sources(
    workspace: dict[str, str], package: dict[str, object], module: str
) -> None:
    files = {
        "apps/table/package.json": "{}",
        "libs/cards/package.json": json.dumps({"name": "@game/cards", **package}),
        "libs/cards/src/deck.ts": DEAL,
        "libs/cards/src/index.ts": 'export * from "./deck";\n',
    }

    found = called({**files, **workspace}, module, at="apps/table/play.ts")

    assert found == {"apps/table/play.play calls libs/cards/src/deck.deal"}


@pytest.mark.parametrize(
    "files",
    [
        {"libs/cards/package.json": '{"name": "@game/cards"}'},  # in no workspace
        {
            "package.json": '{"workspaces": ["libs/*", "!libs/cards"]}',
            "libs/cards/package.json": '{"name": "@game/cards"}',
        },
        {
            "package.json": '{"workspaces": ["libs/*"]}',
            "libs/cards/package.json": '{"name": "@game/cards"}',
            "libs/copy/package.json": '{"name": "@game/cards"}',
        },
        {"tsconfig.json": '{"compilerOptions": {"paths": {"@game/other": ["libs/cards/src/index.ts"]}}}'},
        {"tsconfig.json": '{"compilerOptions": {"paths": {"*": ["gone/*"]}}}'},
    ],
)
def test_a_package_that_is_none_of_the_workspace_is_a_library(files: dict[str, str]) -> None:
    found = called({"libs/cards/src/index.ts": DEAL, **files}, "@game/cards", at="app/play.ts")

    assert found == {"app/play.play calls @game/cards.deal"}
