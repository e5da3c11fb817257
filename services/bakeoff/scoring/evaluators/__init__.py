"""The scoring methods, one file each."""
