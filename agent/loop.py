"""The loop, on one screen: ask, extract, render, judge; until it is good or a limit is reached."""

from pathlib import Path

from agent.beginning import begin_run
from agent.config import AgentConfig
from agent.errors import Canceled, RunEnded
from agent.prompt_check import check_prompt
from agent.recorder import Recorder
from agent.session import Session
from agent.strategies import build_strategy
from agent.types import FollowUp, Prompt, Run
from agent.workbench import Parts


class Agent:
    """Turns prompts into videos in a run folder. Use one Agent per Run and folder."""

    def __init__(self, parts: Parts, folder: Path) -> None:
        self._parts = parts
        self._folder = folder

    def run(
        self,
        prompt: Prompt,
        config: AgentConfig,
        recorder: Recorder,
        history: Run | None = None,
        follow_up: FollowUp | None = None,
    ) -> Run:
        """One attempt at a prompt; always returns a Run that says how it ended.

        `history` is the same Run as it stood when a worker was stopped: it goes on from there, limits counted on.
        `follow_up` starts a new Run from an iteration of an earlier one. Errors that are nobody's plan propagate.
        """
        run = history or begin_run(prompt, config, self._parts.model.name)
        strategy = build_strategy(config, self._parts.examples)
        session = Session(self._parts, self._folder, config, recorder, run)
        try:
            check_prompt(prompt.text)
            if follow_up:
                if follow_up.text:
                    check_prompt(follow_up.text)
                session.begin_follow_up(follow_up, strategy)
            while (stop := strategy.stop(session.run, follow_up)) is None:
                session.check_limits()
                turn = strategy.next_turn(session.run, follow_up)
                draft = session.write(turn, strategy)
                render, critique = session.try_out(draft)
                session.keep(turn, draft, render, strategy.judge(session.run, render, critique))
            session.end(*stop)
        except Canceled as canceled:
            session.end_stopped(canceled)
        except RunEnded as ended:
            session.end(ended.stop_reason, str(ended))
        return session.finish(strategy.best(session.run))
