"""The foundation of all other layers: settings, errors, states, clock, identifiers, signing."""
