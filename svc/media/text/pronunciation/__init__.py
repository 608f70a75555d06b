"""An account's lexicon in what is spoken."""
