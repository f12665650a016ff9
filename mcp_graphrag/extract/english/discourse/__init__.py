"""What pronouns stand for, by the sentences, paragraphs and sections before them."""
