-- graphml_head
-- What stands before the graph in GraphML, http://graphml.graphdrawing.org.
SELECT unnest(list_concat(
  ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'],
  ['<key id="node_' || x || '" for="node" attr.name="' || x || '" attr.type="string"/>'
   FOR x IN ['name', 'type', 'description', 'aliases', 'stated', 'properties']],
  ['<key id="edge_' || x[1] || '" for="edge" attr.name="' || x[1] || '" attr.type="' || x[2] || '"/>'
   FOR x IN [['predicate', 'string'], ['confidence', 'double'], ['valid_from', 'string'], ['valid_to', 'string'],
             ['is_over', 'boolean'], ['properties', 'string'], ['evidence', 'string']]],
  ['<graph id="graph" edgedefault="directed">']))

-- graphml_entities
-- The entities in GraphML.
SELECT '<node id="n' || id || '">' || array_to_string(['<data key="node_' || x[1] || data_of(x) FOR x IN [
    ['name', name], ['type', type], ['description', description], ['aliases', unless_empty(aliases)],
    ['stated', unless_empty(stated)], ['properties', unless_empty(properties)]] IF x[2] <> ''], '') || '</node>'
FROM (SELECT * REPLACE (to_json(aliases) AS aliases, to_json(stated) AS stated) FROM ({entities}))

-- graphml_triples
-- The triples in GraphML.
SELECT '<edge id="t' || id || '" source="n' || subject_id || '" target="n' || object_id || '">'
       || array_to_string(['<data key="edge_' || x[1] || data_of(x) FOR x IN [
    ['predicate', predicate], ['confidence', confidence::VARCHAR], ['valid_from', valid_from], ['valid_to', valid_to],
    ['is_over', if(is_over, 'true', '')], ['properties', unless_empty(properties)],
    ['evidence', unless_empty(evidence)]] IF x[2] <> ''], '') || '</edge>'
FROM ({triples})

-- graphml_end
-- What stands behind it.
SELECT '</graph></graphml>'

-- cypher_head
-- What some engines of openCypher need before: constraints or tables.
SELECT '// Once before, in Neo4j: CREATE CONSTRAINT FOR (e:Entity) REQUIRE e.id IS UNIQUE;'
UNION ALL SELECT '// Once before, in Ladybug or Kuzu, where tables are declared:'
UNION ALL SELECT '// CREATE NODE TABLE Entity(id INT64, name STRING, type STRING, description STRING, aliases STRING[], stated STRING[], properties STRING, PRIMARY KEY(id));'
UNION ALL SELECT '// CREATE REL TABLE `' || replace(name, '`', '``') || '`(FROM Entity TO Entity, confidence DOUBLE, valid_from STRING, valid_to STRING, is_over BOOLEAN, properties STRING, evidence STRING);'
FROM (SELECT DISTINCT p.name FROM triple t JOIN predicate p ON p.id = t.predicate_id
      WHERE t.id IN (SELECT id FROM chosen_triple) ORDER BY p.name)

-- cypher_entities
-- The entities as statements of openCypher, whose texts have the escapes of JSON.
SELECT 'CREATE (:Entity {{id: ' || id || ', ' || array_to_string([x[1] || ': ' || x[2] FOR x IN [
    ['name', to_json(name)::VARCHAR], ['type', to_json(type)::VARCHAR], ['description', to_json(description)::VARCHAR],
    ['aliases', nullif(to_json(aliases)::VARCHAR, '[]')], ['stated', nullif(to_json(stated)::VARCHAR, '[]')],
    ['properties', to_json(properties)::VARCHAR]] IF x[2] IS NOT NULL], ', ') || '}});'
FROM ({entities})

-- cypher_triples
-- The triples as statements of openCypher.
SELECT 'MATCH (s:Entity {{id: ' || subject_id || '}}), (o:Entity {{id: ' || object_id || '}}) CREATE (s)-[:`'
       || replace(predicate, '`', '``') || '` {{confidence: ' || confidence || ', is_over: ' || is_over
       || coalesce(', valid_from: "' || valid_from || '"', '') || coalesce(', valid_to: "' || valid_to || '"', '')
       || ', properties: ' || to_json(properties) || ', evidence: ' || to_json(evidence) || '}}]->(o);'
FROM ({triples})

-- turtle_head
-- The prefixes of Turtle.
SELECT unnest(['@prefix ' || x[1] || ': <' || x[2] || '> .' FOR x IN [
  ['rdf', 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'], ['rdfs', 'http://www.w3.org/2000/01/rdf-schema#'],
  ['skos', 'http://www.w3.org/2004/02/skos/core#'], ['xsd', 'http://www.w3.org/2001/XMLSchema#'],
  ['prov', 'http://www.w3.org/ns/prov#'], ['g', 'urn:mcp-graphrag:term:']]])

-- turtle_entities
-- The entities in Turtle, whose texts have the escapes of JSON.
SELECT resource_of('entity', key) || ' ' || array_to_string([x FOR x IN list_concat(
    [if(type = '', NULL, 'a ' || resource_of('type', type)), 'rdfs:label ' || to_json(name),
     if(description = '', NULL, 'rdfs:comment ' || to_json(description)),
     'g:properties ' || to_json(unless_empty(properties))],
    ['skos:altLabel ' || to_json(a) FOR a IN aliases],
    ['<urn:mcp-graphrag:predicate:' || url_encode(split_part(v, ': ', 1)) || '> '
     || to_json(substring(v, length(split_part(v, ': ', 1)) + 3)) FOR v IN stated]) IF x IS NOT NULL], ' ; ') || ' .'
FROM ({entities})

-- turtle_triples
-- The triples that hold today, in Turtle.
SELECT resource_of('entity', subject_key) || ' ' || resource_of('predicate', predicate) || ' '
       || resource_of('entity', object_key) || ' .'
FROM ({triples})
WHERE NOT is_over AND coalesce(valid_from, '') <= strftime($now::TIMESTAMP, '%Y-%m-%dT%H:%M:%S')
  AND coalesce(valid_to, '~') > strftime($now::TIMESTAMP, '%Y-%m-%dT%H:%M:%S')

-- turtle_statements
-- Each piece of evidence as a statement (RDF Schema, 5.3) with its primary source (PROV-O), confidence, quote and time.
SELECT '<urn:mcp-graphrag:statement:' || id || '-' || number || '> ' || array_to_string([x FOR x IN [
    'a rdf:Statement', 'rdf:subject ' || resource_of('entity', subject_key),
    'rdf:predicate ' || resource_of('predicate', predicate), 'rdf:object ' || resource_of('entity', object_key),
    'g:confidence "' || v.confidence || '"^^xsd:double', 'g:extractor ' || to_json(v.extractor),
    'g:quote ' || to_json(v.quote), 'prov:hadPrimarySource ' || to_json(coalesce(v.citation, v.source)),
    'g:validFrom "' || valid_from || '"^^xsd:dateTime', 'g:validTo "' || valid_to || '"^^xsd:dateTime',
    if(is_over, 'g:isOver true', NULL), 'g:properties ' || to_json(unless_empty(properties))]
    IF x IS NOT NULL], ' ; ') || ' .'
FROM (
  SELECT *, unnest(json_transform(evidence, '[{{"quote":"VARCHAR","source":"VARCHAR","citation":"VARCHAR","extractor":"VARCHAR","confidence":"DOUBLE"}}]')) AS v,
         unnest(range(json_array_length(evidence)::BIGINT)) AS number
  FROM ({triples}))
