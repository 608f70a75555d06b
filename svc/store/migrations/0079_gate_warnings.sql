-- rolling
-- What quality gates are not sure of is a warning of the production; what was made before has none.
ALTER TABLE productions ADD COLUMN gate_warnings TEXT;
