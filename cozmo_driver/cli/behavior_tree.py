"""What the personality of these files is made of, as trees that can be shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..behavior.behavior import Behavior
from ..behavior.config import ActivityConfig, ConfigError
from ..behavior.files import load_files
from ..behavior.reactions import load_reaction_map
from ..behavior.reactions.reaction_map import ReactionMap
from ..behavior.system import BehaviorSystem
from .errors import CommandError


@dataclass(frozen=True, slots=True)
class Node:
    """An activity, behaviour or trigger; ``why_never`` tells why a behaviour cannot run."""

    name: str
    about: str = ""
    is_behavior: bool = False
    why_never: str = ""
    children: tuple[Node, ...] = ()


class Life:
    """Behaviours and activities of the files."""

    def __init__(
        self,
        system: BehaviorSystem,
        behaviors: Mapping[str, Behavior],
        reactions: ReactionMap,
        warnings: Iterable[str],
    ) -> None:
        """Take what was read."""
        self.behaviors, self.activities = behaviors, system.activities
        self.warnings = tuple(warnings)
        self._root, self._reactions = system.root, reactions

    def tree(self, activity: str = "") -> Node:
        """Return the activities below one; below that of everyday life by default."""
        return self._activity(self.activities[activity or self._root], frozenset())

    @property
    def reactions(self) -> Node:
        """Every trigger with the behaviours that answer it."""
        triggers = []
        for trigger, entries in sorted(self._reactions.reactions.items()):
            answers = tuple(
                self._behavior(reaction.behavior, "" if reaction.resumes else "does not resume")
                for of_file in entries
                for reaction in of_file
            )
            triggers.append(Node(trigger.file_name, "", children=answers))
        return Node("Reactions", "in the order of evaluation", children=tuple(triggers))

    def _activity(self, config: ActivityConfig, above: frozenset[str]) -> Node:
        seen = above | {config.id}
        children = [
            self._activity(self.activities[name], seen)
            for name in config.children
            if name in self.activities and name not in seen
        ]
        for chooser in (config.interlude, config.chooser):
            between = "between others" if chooser is config.interlude else ""
            for name, _ in chooser.behaviors if chooser else ():
                children.append(self._behavior(name, between))
        return Node(config.id, _about(config), children=tuple(children))

    def _behavior(self, name: str, about: str) -> Node:
        known = self.behaviors.get(name)
        missing = "there is no such behaviour" if known is None else known.missing
        return Node(name, about, True, missing)


def load_life(resources: str, files: Iterable[Path] = ()) -> Life:
    """Read the user's files and the driver's own. Raises ``CommandError``, ``ResourceError``."""
    try:
        found = load_files(resources, files)
    except ConfigError as error:
        raise CommandError(str(error)) from error
    reactions = load_reaction_map(found.trees)
    told = (*found.warnings, *reactions.warnings)
    return Life(found.system, found.behaviors(), reactions, map(str, told))


def _about(config: ActivityConfig) -> str:
    strategy = config.strategy
    facts = []
    if config.children:
        facts.append("the first that wants to")
    elif config.chooser is not None:
        facts.append(config.chooser.type)
    if strategy.type != "Simple":
        facts.append(f"when {strategy.type}" + (f" {strategy.need}" if strategy.need else ""))
    if config.spark:
        facts.append(f"spark {config.spark.name}")
    if strategy.mood:
        facts.append("in the mood")
    if strategy.hours:
        facts.append("from {:g} to {:g} o'clock".format(*strategy.hours))
    if strategy.cooldown > 0.0:
        facts.append(f"not again for {strategy.cooldown:g} s")
    return ", ".join(facts)
