"""The nouns of Bakeoff: what is compared, what is asked, what came out. Standard library only."""
