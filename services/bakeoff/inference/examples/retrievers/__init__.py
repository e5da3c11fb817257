"""The example retrievers that come with Bakeoff, one a file."""
