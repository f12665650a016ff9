-- What is derived from the rows is that of this version, in a file with none; `mcp_graphrag/jobs/upgrade.py` makes it so in
-- the others.
INSERT INTO meta SELECT 'derived', '1' WHERE NOT EXISTS (SELECT 1 FROM change);
