"""How pictures move: entrances, transitions between scenes, drift, and the presenter's presence."""
