-- The identity of a graph: it stays where the file, its folder or a remote is renamed, and goes with every copy.
INSERT INTO meta VALUES ('graph_id', uuid()::VARCHAR);
COMMENT ON TABLE meta IS 'The file itself: application, schema version, identity, embedding model';
