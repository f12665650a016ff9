"""The history of a repository, read by the command `git`, as texts and what they state. It knows no graph."""
