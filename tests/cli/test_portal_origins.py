"""The origins that may embed portals, by the command line."""

import pytest


def test_the_command_sets_shows_and_clears_the_origins(run, partner):
    mine = partner.seeded["partnerId"]
    run("partner", "set", mine, "--portal-origins", "https://www.example.com")
    assert run("partner", "show", mine, "--json")["portalOrigins"] == "https://www.example.com"
    with pytest.raises(Exception, match="is no origin"):
        run("partner", "set", mine, "--portal-origins", "www.example.com")
    assert run("partner", "set", mine, "--portal-origins", "", "--json")["portalOrigins"] == ""
