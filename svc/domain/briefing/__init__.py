"""What comes before a trigger, or triggers many: estimates, batches and templates."""
