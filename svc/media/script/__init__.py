"""The script: scenes with narration and visuals, made from a brief and from what people changed."""
