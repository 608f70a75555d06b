"""Drawing: canvas, type, palette, grounds, sprites, and pictures as planes of pixels."""
