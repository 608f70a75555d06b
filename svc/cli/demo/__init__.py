"""Commands for partners' engineers: the demo, and listening to events."""
