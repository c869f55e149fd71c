"""Which class of the user's module is the scene to render."""

from types import ModuleType

from manim import Scene


class NoScene(Exception):
    """The module holds nothing that can be rendered; the text says what is missing."""


def runnable(module: ModuleType) -> list[type[Scene]]:
    """The scenes of the module in file order, without helpers that others derive from.

    Raises NoScene when there is none.
    """
    own = _own_scenes(module)
    if not own:
        raise NoScene("the code defines no class that derives from Scene, so there is nothing to render")
    able = [scene for scene in own if _has_construct(scene)]
    if not able:
        names = ", ".join(scene.__name__ for scene in own)
        raise NoScene(f"no scene has a construct method ({names}), so there is nothing to render")
    last_in_line = [
        scene for scene in able if not any(other is not scene and issubclass(other, scene) for other in able)
    ]
    # A construct method that does nothing belongs to a helper, unless there is nothing else.
    return [scene for scene in last_in_line if _does_something(scene)] or last_in_line


def _own_scenes(module: ModuleType) -> list[type[Scene]]:
    found: list[type[Scene]] = []
    for value in vars(module).values():
        is_scene = isinstance(value, type) and issubclass(value, Scene) and value.__module__ == module.__name__
        if is_scene and value not in found:
            found.append(value)
    return found


def _has_construct(scene: type[Scene]) -> bool:
    owner = next(cls for cls in scene.__mro__ if "construct" in vars(cls))
    return owner.__module__.split(".")[0] != "manim"


def _does_something(scene: type[Scene]) -> bool:
    body = getattr(scene.construct, "__code__", None)
    return body is None or body.co_code != _nothing.__code__.co_code


def _nothing(_self: Scene) -> None:
    pass
