"""The shapes in which videos are made."""

#: By the name of the shape: width and height in pixels.
SIZES = {
    "landscape": (1920, 1080),  # 16:9
    "portrait": (1080, 1920),  # 9:16
    "square": (1080, 1080),  # 1:1
    "feed": (1080, 1350),  # 4:5
}
SHAPES = tuple(SIZES)
