"""Maps: the outlines of countries, as pictures of one and as maps of many."""
