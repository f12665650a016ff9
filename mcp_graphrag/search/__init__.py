"""From a question to ranked chunks and to an answer."""
