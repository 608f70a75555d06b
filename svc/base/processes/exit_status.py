"""The exit status of commands and child processes that did their work and found something to
report.
"""

# A warning is on standard error, such as the files that a backup lacks because they are missing.
WITH_WARNING = 3
