"""Generated briefs through every step: a few here, a thousand by ``python -m tests.media.generated --count 1000``."""

import pytest

from tests.media import generated


@pytest.mark.slow
@pytest.mark.parametrize("seed", [5, 6, 7])
def test_a_generated_brief_passes_every_gate(seed):
    assert generated.make(seed)[2] == ""
