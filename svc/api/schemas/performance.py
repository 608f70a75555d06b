"""Performance data."""

from marshmallow import Schema, fields

from svc.api.schemas.fields import count, identifier, text, time


class Figures(Schema):
    views = fields.Integer(allow_none=True, metadata={"description": "Plays of which something was watched."})
    uniqueViewers = fields.Integer(allow_none=True)
    watchTimeSeconds = fields.Float(allow_none=True)
    averagePercentViewed = fields.Float(allow_none=True, metadata={"description": "0 to 100; null without views."})


class PlatformFigures(Figures):
    platform = text(example="Watch")
    platformPostId = fields.String(allow_none=True)
    dataSource = fields.String(allow_none=True, metadata={"description": "`measured` or `imported`; null: nobody measured."})


class Day(Schema):
    date = text(format="date", example="2026-11-21")
    views = count()
    watchTimeSeconds = fields.Float()


class Performance(Schema):
    productionId = identifier()
    asOf = time()
    totals = fields.Nested(Figures)
    platforms = fields.List(fields.Nested(PlatformFigures))
    daily = fields.List(fields.Nested(Day))
