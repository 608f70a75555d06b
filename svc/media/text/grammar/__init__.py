"""What belongs together in a sentence, so that no part that stands alone says something else."""
