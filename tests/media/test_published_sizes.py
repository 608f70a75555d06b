"""The gates of the text hold in the sizes that are published,
where rounding is not that of small test pictures.
"""

import pytest
from small_programme import ENGLISH, brief_of

from svc.media.checks import text as checks
from svc.media.drawing.looks import LOOKS
from svc.media.model import Presenter
from svc.media.video.scene import SceneRenderer
from svc.platforms import PLATFORMS
from svc.work.brief_builder import make_rendition


@pytest.mark.slow
@pytest.mark.parametrize("platform", PLATFORMS.values(), ids=lambda platform: platform.name)
@pytest.mark.parametrize("look", LOOKS)
def test_names_are_legible_and_within_the_frame(look, platform):
    profile = platform.profile
    rendition = make_rendition(
        platform.rendition, profile.width, profile.height, profile.frame_rate, [platform]
    )
    for theme, account in (("dark", "Harbour & Sons"), ("light", "Tea")):
        brief = brief_of(look=look, theme=theme, account_name=account, avatar=Presenter("Ada Vale"))
        findings = checks.list_findings(
            "x.mp4", SceneRenderer(brief, ENGLISH, rendition).record_lettering(()), ENGLISH
        )
        assert [finding for finding in findings if not finding.passed] == []
