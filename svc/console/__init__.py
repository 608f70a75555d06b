"""The management console: its pages are in ``pages`` and ``operators``, with ``templates``."""
