"""Conversations: transcripts, and the exports of chat programs."""
