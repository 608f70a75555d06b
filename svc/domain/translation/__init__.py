"""Productions in several languages: briefs that people translate before they are made."""
