-- The highest id that a scene has had, so that a change of a script need not read all versions before.
ALTER TABLE scripts ADD COLUMN highest_scene INTEGER;
