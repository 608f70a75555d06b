"""The foundation of all other layers: settings, errors, states, scopes, clock, identifiers, signing."""
