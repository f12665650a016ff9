"""The programs that start this server: their configuration files, edited in place, and what their hooks are told."""
