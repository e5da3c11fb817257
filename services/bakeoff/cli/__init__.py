"""The `bakeoff` command and the files that it reads."""
