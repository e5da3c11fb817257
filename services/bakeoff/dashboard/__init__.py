"""The dashboard: live progress of evaluations, their reports, and their cases one by one, as web pages.

A core that makes pages of nouns, and a thin shell that serves them. Of the platform it knows what it may ask, no more.
"""
