"""Music: a quiet bed under the speech, composed and synthesised by this service."""
