"""Changes that span several tables: undo, history, merges and splits, name reconciliation, removal."""
