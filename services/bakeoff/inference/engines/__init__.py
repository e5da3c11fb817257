"""Query engines that ask a model, or search more than once: one a file."""
