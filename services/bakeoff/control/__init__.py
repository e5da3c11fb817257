"""The control service: accepts requests, plans, releases tasks, follows their completion, steers and reconciles."""
