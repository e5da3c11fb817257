"""How the parts meet: subjects, object keys, and the bridge between domain and wire."""
