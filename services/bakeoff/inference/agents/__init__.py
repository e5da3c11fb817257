"""Agents as entrants: a fresh workspace for each case, an agent that works in it, and what it left there."""
