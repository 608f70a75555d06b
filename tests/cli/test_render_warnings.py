"""What ``render`` says of a production that the quality gates are not sure of."""

from svc.cli.installation import render
from svc.domain.productions.gate_warnings import GateWarning


def test_warnings_are_printed_and_their_pictures_lie_beside_the_files(tmp_path, capsys):
    folder, out = tmp_path / "work", tmp_path / "out"
    folder.mkdir()
    out.mkdir()
    (folder / "warning-1.jpg").write_bytes(b"picture")
    warnings = [GateWarning("Slow.", 2, "warning-1.jpg"), GateWarning("Still.", 2, "warning-1.jpg"), GateWarning("Lost.")]
    render._warn(warnings, folder, out)
    picture = out / "warning-1.jpg"
    assert capsys.readouterr().err.splitlines() == [
        f"warning: Slow. See {picture}", f"warning: Still. See {picture}", "warning: Lost.",
    ]  # fmt: skip
    assert picture.read_bytes() == b"picture" and list(folder.iterdir()) == []
