"""What configured models charge: the operator's prices, an estimate before a production, and the charges as they come."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Any

from svc.base.settings import Settings
from svc.domain.usage import ledger
from svc.store import database

# Of one production, for the estimate: what a script's instructions and answer take beside the brief, and how much of a
# brief's length is spoken (scenes, headings again, descriptions).
_INSTRUCTION_TOKENS, _ANSWER_TOKENS, _CHARACTERS_A_TOKEN = 700, 1500, 3
_SPOKEN_SHARE, _SPOKEN_BESIDES = 2, 600

_INSERT = """
    INSERT INTO model_charges (production_id, at, purpose, model, units_in, units_out, cost)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""


@dataclass(frozen=True)
class Prices:
    """Per million units of the currency, which is millionths of it per unit. A model that is not configured costs nothing."""

    script_input: Decimal = Decimal(0)  # tokens
    script_output: Decimal = Decimal(0)  # tokens
    speech: Decimal = Decimal(0)  # characters

    @classmethod
    def of(cls, settings: Settings) -> "Prices":
        script = (settings.script_price_input, settings.script_price_output) if settings.script_url else (Decimal(0),) * 2
        return cls(*script, settings.speech_price if settings.speech_url else Decimal(0))

    def cost(self, purpose: str, units_in: int, units_out: int) -> int:
        """Millionths, rounded up. ``purpose``: ``script`` or ``speech``."""
        if purpose == "speech":
            return _up(self.speech * units_in)
        return _up(self.script_input * units_in + self.script_output * units_out)

    def estimate(self, characters: int) -> int:
        """What the models will charge for a brief of so many characters."""
        read = _INSTRUCTION_TOKENS + characters // _CHARACTERS_A_TOKEN
        written = self.cost("script", read, _ANSWER_TOKENS + characters // _CHARACTERS_A_TOKEN)
        return written + self.cost("speech", _SPOKEN_BESIDES + _SPOKEN_SHARE * characters, 0)


FREE = Prices()


def record(production_id: str, charge: dict[str, Any], prices: Prices, now: int) -> None:
    """Enter what one answer of a model was charged: ``purpose``, ``model``, ``units_in``, ``units_out``."""
    cost = prices.cost(charge["purpose"], charge["units_in"], charge["units_out"])
    with database.write():
        database.execute(
            _INSERT,
            (production_id, now, charge["purpose"], charge["model"], charge["units_in"], charge["units_out"], cost),
        )
        ledger.charge_late(production_id, cost)


def _up(amount: Decimal) -> int:
    return int(amount.to_integral_value(ROUND_CEILING))
