"""Pictures: which illustration, icon or flag a scene has, chosen by words and by meaning."""
