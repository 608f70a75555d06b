"""Costs of the configured models: the operator's prices, an estimate before a production,
and actual charges.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Any

from svc.base.settings import Settings
from svc.domain.usage import ledger
from svc.store.database import db
from svc.store.models.productions import Production
from svc.store.models.usage import ModelCharge
from svc.store.queries import Prepared, slot, slots

# For the estimate of a production: tokens of the instructions and of the answer beyond the brief,
# and the spoken length in relation to the brief (scenes, repeated headings, descriptions).
_INSTRUCTION_TOKENS, _ANSWER_TOKENS, _CHARACTERS_A_TOKEN = 700, 1500, 3
_SPOKEN_SHARE, _SPOKEN_BESIDES = 2, 600
_CAPTION_TOKENS = 300  # of the instructions for a translation of the captions

_COLUMNS = ("production_id", "at", "purpose", "model", "units_in", "units_out", "cost")
_ADD = Prepared(ModelCharge.insert(slots(*_COLUMNS)))
_FIND = Prepared(
    ModelCharge.select(ModelCharge.id).where(
        *(getattr(ModelCharge, name) == slot(name) for name in _COLUMNS)
    )
)

_PARTNER = Prepared(
    Production.select(Production.partner_id).where(Production.id == slot("production_id"))
)


@dataclass(frozen=True)
class Prices:
    """Prices per million units, which equals millionths of the currency per unit.

    A model that is not configured is free.
    """

    script_input: Decimal = Decimal(0)  # tokens
    script_output: Decimal = Decimal(0)  # tokens
    speech: Decimal = Decimal(0)  # characters
    has_script_model: bool = False  # one is configured, whatever it costs

    @classmethod
    def from_settings(cls, settings: Settings) -> "Prices":
        script = (
            (settings.script_price_input, settings.script_price_output)
            if settings.script_url
            else (Decimal(0),) * 2
        )
        speech = settings.speech_price if settings.speech_url else Decimal(0)
        return cls(*script, speech, bool(settings.script_url))

    def compute_cost(self, purpose: str, units_in: int, units_out: int) -> int:
        """Return the cost in millionths, rounded up. ``purpose``: ``script`` or ``speech``."""
        if purpose == "speech":
            return _round_up(self.speech * units_in)
        return _round_up(self.script_input * units_in + self.script_output * units_out)

    def estimate(self, characters: int, caption_languages: int = 0) -> int:
        """Return the expected cost in millionths for a brief of ``characters`` characters.

        ``caption_languages``: into how many languages the model translates the captions.
        """
        if not (self.script_input or self.script_output or self.speech):
            return 0
        read = _INSTRUCTION_TOKENS + characters // _CHARACTERS_A_TOKEN
        written = self.compute_cost(
            "script", read, _ANSWER_TOKENS + characters // _CHARACTERS_A_TOKEN
        )
        spoken = _SPOKEN_BESIDES + _SPOKEN_SHARE * characters
        tokens = spoken // _CHARACTERS_A_TOKEN
        captions = caption_languages * self.compute_cost("script", _CAPTION_TOKENS + tokens, tokens)
        return written + captions + self.compute_cost("speech", spoken, 0)


def record(production_id: str, charge: dict[str, Any], prices: Prices, now: int) -> None:
    """Record the charge for one answer of a model: ``purpose``, ``model``, ``units_in``,
    ``units_out``.

    It may be called again after a commit whose answer was lost: the same charge of the same
    millisecond is recorded once.
    """
    cost = prices.compute_cost(charge["purpose"], charge["units_in"], charge["units_out"])
    row = (
        production_id,
        now,
        charge["purpose"],
        charge["model"],
        charge["units_in"],
        charge["units_out"],
        cost,
    )
    values = dict(zip(_COLUMNS, row, strict=True))
    with db.transaction(partner=_PARTNER.value(production_id=production_id)):
        if not _FIND.row(**values):
            _ADD.execute(**values)
            ledger.charge_late(production_id, cost)


def _round_up(amount: Decimal) -> int:
    return int(amount.to_integral_value(ROUND_CEILING))
