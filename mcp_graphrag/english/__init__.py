"""What this program knows of English, once: words, lemmas, dates, sentence ends and a parser of sentences."""
