"""Speech: voices, narration, word times and audio."""
