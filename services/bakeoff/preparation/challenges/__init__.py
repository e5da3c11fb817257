"""Agent challenges: read, put in order, and judged by the files that an agent leaves; nothing here needs an agent."""
