"""Schemas of performance data."""

from marshmallow import Schema, fields

from svc.api.schemas.fields import count, identifier, number, text, time


class Figures(Schema):
    views = count(
        nullable=True, description="Plays with watched time; null: not measured.", example=120
    )
    uniqueViewers = count(nullable=True, description="Different viewers among them.", example=97)
    watchTimeSeconds = number(
        nullable=True, description="Watched time of all views.", example=4310.5
    )
    averagePercentViewed = number(
        nullable=True, description="0 to 100; null without views.", maximum=100, example=71.4
    )


class PlatformFigures(Figures):
    platform = text(description="The place.", example="Watch")
    platformPostId = text(
        nullable=True,
        description="The post there; null if the place gives none.",
        example="m3Kq81xZ",
    )
    dataSource = text(
        nullable=True,
        description="`measured` or `imported`; null: not measured.",
        example="measured",
    )
    likes = count(
        nullable=True,
        description="Likes or favourites there; null: not counted, or not read.",
        example=4,
    )
    shares = count(
        nullable=True,
        description="Shares or boosts there; null: not counted, or not read.",
        example=2,
    )
    asOf = time(
        nullable=True,
        description="When imported figures were read at the place; null: they are not imported.",
    )


class Day(Schema):
    date = text(format="date", description="A UTC date with views.", example="2026-11-21")
    views = count(description="The views that began on it.", example=12)
    watchTimeSeconds = number(description="Watched time of these.", example=431.0)


class Performance(Schema):
    productionId = identifier(description="The production.")
    asOf = time(description="When the figures were read.")
    totals = fields.Nested(
        Figures, metadata={"description": "Over the places that this server measures."}
    )
    platforms = fields.List(
        fields.Nested(PlatformFigures), metadata={"description": "One entry for each publication."}
    )
    daily = fields.List(
        fields.Nested(Day),
        metadata={"description": "Oldest first; days without views are left out."},
    )
