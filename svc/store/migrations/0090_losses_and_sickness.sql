-- rolling
-- How often the process of a step was lost before it had a result, and why a process takes no steps.
ALTER TABLE production_steps ADD COLUMN losses INTEGER NOT NULL DEFAULT 0;
ALTER TABLE workers ADD COLUMN sick TEXT;
