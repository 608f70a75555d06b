"""What belongs together in a sentence, so that no part of it says something else."""
