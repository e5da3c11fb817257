"""The generators that come with Bakeoff, one a file."""
