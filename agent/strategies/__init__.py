"""What to ask next and when to stop, one small class per strategy; `loop.py` does the rest."""

from agent.config import AgentConfig
from agent.retrieval.index import ExampleIndex
from agent.strategies.full import Full
from agent.strategies.paper import Ritl, Vanilla
from agent.strategies.strategy import Strategy
from agent.types import StrategyName


def build_strategy(config: AgentConfig, examples: ExampleIndex | None) -> Strategy:
    """The strategy that a config names. `examples` is only used by `full`; None leaves them out."""
    if config.strategy is StrategyName.VANILLA:
        return Vanilla(config)
    if config.strategy is StrategyName.RITL:
        return Ritl(config)
    return Full(config, examples)
