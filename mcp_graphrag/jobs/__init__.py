"""Long work in many transactions: ingest, embedding, communities, reindexing."""
