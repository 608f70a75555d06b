"""What videos can look like: the names of the looks and themes."""

# svc.media.drawing.looks
LOOK_NAMES = ("explainer", "short", "news", "editorial", "playful", "product", "scenes")
THEMES = ("dark", "light")
