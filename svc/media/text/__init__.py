"""Words, numbers, dates and amounts, as they are written and as they are spoken."""
