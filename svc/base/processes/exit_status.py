"""The exit status of commands and child processes that did their work and have something to say."""

# on standard error: such as files that a backup could not have, because they are missing
WITH_WARNING = 3
