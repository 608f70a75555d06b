"""What comes before a trigger, or triggers many: estimates, batches, templates and corrections."""
