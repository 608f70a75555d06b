"""What videos can look like: the names of the looks and themes."""

LOOKS = ("explainer", "short", "news", "editorial", "playful", "product", "scenes")  # svc.media.drawing.looks
THEMES = ("dark", "light")
