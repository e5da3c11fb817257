"""Readers of file formats, one a file: bytes in, a parsed document out. They know no registry and need no server."""
