"""What a user can ask a model to walk through."""
