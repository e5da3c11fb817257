"""What the platform tells of itself while it works: metrics and traces. Nothing of it changes a result."""
