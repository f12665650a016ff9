"""The declaration of a tool, from which its MCP schema, its command and its rows in the README follow."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from types import UnionType
from typing import Any, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from mcp_graphrag.server.records import Answer


@dataclass(frozen=True)
class Cli:
    """How a parameter is written on the command line where its name does not say it: a flag, or an argument.

    `joined` takes all remaining words as one text. One that is `over_mcp_only` is not on the command line.
    """

    flag: str = ""
    positional: bool = False
    joined: bool = False
    over_mcp_only: bool = False


ARGUMENT = Cli(positional=True)
OVER_MCP = Cli(over_mcp_only=True)
SENTENCE = Cli(positional=True, joined=True)


@dataclass(frozen=True)
class Parameter:
    """One parameter of a tool: its type without None, its default if any, its sentence, its limits (ge, gt, le)."""

    name: str
    type: Any
    required: bool
    default: Any
    about: str
    limits: Mapping[str, Any]
    cli: Cli


@dataclass(frozen=True)
class Tool:
    """One tool. The first parameter of `run` is the call, the others are the tool's arguments.

    The docstring of `run` is what a model reads: when to use the tool and what to call first; its first sentence is the
    help of the command and the row of the README. `destroys`: what it removes may be gone for good. `repeats`: the same
    call again changes nothing more. `needs_file`: its command refuses to work where there is no file. `long`: its
    command may take minutes, in which others must be served too. `spans`: it can be asked of the user's graph too.
    `names_graph`: its answer names the graph, as that of a tool that writes does. `has_view`: a host may show a picture
    of its answer. `settings` are those that the command's help lists.
    """

    run: Callable[..., Answer]
    title: str
    command: str
    toolset: str = "default"
    reads: bool = True
    destroys: bool = False
    repeats: bool = True
    needs_file: bool = True
    long: bool = False
    spans: bool = False
    names_graph: bool = False
    has_view: bool = False
    settings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its name on the wire."""
        return self.run.__name__

    @property
    def about(self) -> str:
        """The docstring."""
        return inspect.getdoc(self.run) or ""

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """Its parameters by name, without the call."""
        _, *found = inspect.signature(self.run, eval_str=True).parameters.values()
        return {
            each.name: _parameter(
                each.name,
                FieldInfo.from_annotated_attribute(
                    each.annotation, ... if each.default is each.empty else each.default
                ),
            )
            for each in found
        }


def fields_of(model: type[BaseModel]) -> Mapping[str, Parameter]:
    """The fields of a record that is an argument, as parameters by name."""
    return {name: _parameter(name, info) for name, info in model.model_fields.items()}


def _parameter(name: str, info: FieldInfo) -> Parameter:
    limits = {
        key: value for each in info.metadata if isinstance(each, Ge | Gt | Le) for key, value in asdict(each).items()
    }
    cli = next((each for each in info.metadata if isinstance(each, Cli)), Cli())
    required = info.is_required()
    default = None if required else info.get_default(call_default_factory=True)
    kind = info.annotation
    if get_origin(kind) in (Union, UnionType):
        kind = next(each for each in get_args(kind) if each is not type(None))
    return Parameter(name, kind, required, default, info.description or "", limits, cli)
