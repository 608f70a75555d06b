"""What several machines know of each other: signs of life, and the work of those that give none."""
