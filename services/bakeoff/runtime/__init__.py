"""What every service stands on: bus, objects, RPC, life cycle, registry, settings and logs."""
