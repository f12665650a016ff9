-- embedder
-- The embedder of the file; without parameters, because every query runs it.
SELECT value FROM meta WHERE key = 'embedder'
