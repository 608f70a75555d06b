"""What comes before a trigger, or triggers many: estimates, warnings, batches and templates."""
