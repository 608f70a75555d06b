"""What every other layer stands on: settings, errors, states, scopes, clock, identifiers, signing."""
