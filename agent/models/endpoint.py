"""Where a model answers: the one thing that a client needs to know about a server."""

from pydantic import Field

from agent.types import Record


class Endpoint(Record):
    """A served model. `base_url` ends where `/chat/completions` begins, as the OpenAI clients want it.

    `embedded` says that it shares this machine's cores with the renderer. `sha256` is that of the weights, where
    they are ours to read. Prices are US dollars per million tokens. The key is kept out of `repr`, and so of logs.
    """

    base_url: str
    model: str
    api_key: str | None = Field(default=None, repr=False)
    embedded: bool = False
    sha256: str | None = None
    input_price: float = 0.0
    output_price: float = 0.0
