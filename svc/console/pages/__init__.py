"""Pages of the console for partners and operators alike."""
