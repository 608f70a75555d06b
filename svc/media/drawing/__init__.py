"""Drawing: scenes, presenters, backdrops, images and type."""
