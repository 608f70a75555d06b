"""The parts of figures: amounts of money, quantities, ranges, numerals and formulas in words."""
