"""In-context examples: which solved cases a model is shown before it is asked one."""
