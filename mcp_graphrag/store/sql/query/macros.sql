-- is_whole(j)
-- Whether a JSON value is a whole number.
json_type({j}) IN ('BIGINT', 'UBIGINT', 'HUGEINT')

-- is_numeric(j)
-- Whether a JSON value is a number.
json_type({j}) IN ('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE')

-- as_float(j)
-- A JSON number as a float, NULL for anything else.
(CASE WHEN json_type({j}) IN ('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE') THEN TRY_CAST({j} AS DOUBLE) END)

-- as_int(j)
-- A JSON whole number, NULL for anything else.
(CASE WHEN json_type({j}) IN ('BIGINT', 'UBIGINT', 'HUGEINT') THEN TRY_CAST({j} AS BIGINT) END)

-- as_str(j)
-- A JSON string, NULL for anything else.
(CASE WHEN json_type({j}) = 'VARCHAR' THEN {j}->>'$' END)

-- as_bool(j)
-- A JSON truth value, NULL for anything else.
(CASE WHEN json_type({j}) = 'BOOLEAN' THEN TRY_CAST({j} AS BOOLEAN) END)

-- as_json_text(j)
-- A JSON string without quotes, any other value as JSON writes it.
(CASE WHEN json_type({j}) = 'VARCHAR' THEN {j}->>'$' ELSE CAST({j} AS VARCHAR) END)

-- not_of_kind(j, kind)
-- Ends the query at a value of another kind than is expected.
error('{kind} is expected, and ' || left(CAST({j} AS VARCHAR), 60) || ' is none. Leave such values out by WHERE, or'
  || ' convert them, as by toFloat(split(n.limit, '' '')[0]).')

-- need_float(j)
-- A JSON number as a float; any other value but null ends the query.
(CASE WHEN {j} IS NULL THEN NULL WHEN is_numeric({j}) THEN as_float({j})
 ELSE not_of_kind({j}, A number) END)

-- need_int(j)
-- A JSON whole number; any other value but null ends the query.
(CASE WHEN {j} IS NULL THEN NULL WHEN is_whole({j}) THEN as_int({j})
 ELSE not_of_kind({j}, A whole number) END)

-- need_str(j)
-- A JSON string; any other value but null ends the query.
(CASE WHEN {j} IS NULL THEN NULL WHEN json_type({j}) = 'VARCHAR' THEN {j}->>'$'
 ELSE not_of_kind({j}, A string) END)

-- need_bool(j)
-- A JSON truth value; any other value but null ends the query.
(CASE WHEN {j} IS NULL THEN NULL WHEN json_type({j}) = 'BOOLEAN' THEN as_bool({j})
 ELSE not_of_kind({j}, A truth value) END)

-- need_list(j)
-- The items of a JSON list; any other value but null ends the query.
(CASE WHEN json_type({j}) = 'ARRAY' THEN CAST({j} AS JSON[])
 WHEN {j} IS NOT NULL THEN not_of_kind({j}, A list) END)

-- as_items(j)
-- The items of a JSON list, of any other value but null this one.
(CASE WHEN json_type({j}) = 'ARRAY' THEN CAST({j} AS JSON[]) WHEN {j} IS NOT NULL THEN [{j}] END)

-- member(j, path)
-- What a JSON object has under a key; a value that has no keys ends the query.
(CASE WHEN {j} IS NULL THEN NULL WHEN json_type({j}) <> 'OBJECT'
   THEN error('A property is asked of ' || left(CAST({j} AS VARCHAR), 60) || ', which has none. Dates are texts:'
     || ' left(n.day, 4) is the year.')
 WHEN json_type(json_extract({j}, {path})) <> 'NULL' THEN json_extract({j}, {path}) END)

-- any_true(l)
-- Whether a truth value of a list is true, as OR joins them.
list_transform([{l}], lambda {_}: CASE WHEN {_} IS NULL THEN NULL WHEN coalesce(list_bool_or({_}), FALSE) THEN TRUE
  WHEN list_count({_}) < len({_}) THEN NULL ELSE FALSE END)[1]

-- all_true(l)
-- Whether all truth values of a list are true, as AND joins them.
list_transform([{l}], lambda {_}: CASE WHEN {_} IS NULL THEN NULL WHEN NOT coalesce(list_bool_and({_}), TRUE) THEN FALSE
  WHEN list_count({_}) < len({_}) THEN NULL ELSE TRUE END)[1]

-- single_true(l)
-- Whether exactly one truth value of a list is true.
list_transform([{l}], lambda {_}: CASE WHEN {_} IS NULL THEN NULL
  WHEN len(list_filter({_}, lambda {__}: coalesce({__}, FALSE))) > 1 THEN FALSE
  WHEN list_count({_}) < len({_}) THEN NULL ELSE len(list_filter({_}, lambda {__}: {__})) = 1 END)[1]

-- never_equal(a, b)
-- The equality of values that are of different kinds.
(CASE WHEN {a} IS NULL OR {b} IS NULL THEN NULL ELSE FALSE END)

-- floats_equal(a, b)
-- The equality of floats: NaN equals nothing.
({a} = {b} AND NOT isnan({a}))

-- json_shape(j)
-- A JSON list or map as text, without what is in its strings.
regexp_replace(CAST({j} AS VARCHAR), '"([^"\\]|\\.)*"', '""', 'g')

-- json_equals(a, b)
-- The equality of two JSON values; of lists and maps only where their texts tell it.
(CASE WHEN {a} IS NULL OR {b} IS NULL THEN NULL
 WHEN is_whole({a}) AND is_whole({b}) THEN TRY_CAST({a} AS HUGEINT) = TRY_CAST({b} AS HUGEINT)
 WHEN is_numeric({a}) AND is_numeric({b}) THEN as_float({a}) = as_float({b}) AND NOT isnan(as_float({a}))
 WHEN json_type({a}) <> json_type({b}) THEN FALSE
 WHEN json_type({a}) NOT IN ('ARRAY', 'OBJECT') THEN ({a}->>'$') = ({b}->>'$')
 WHEN json_type({a}) = 'ARRAY' AND json_array_length({a}) <> json_array_length({b}) THEN FALSE
 WHEN contains(json_shape({a}) || json_shape({b}), 'null')
   THEN error('Lists or maps with null in them are compared, which is not supported.')
 WHEN CAST({a} AS VARCHAR) = CAST({b} AS VARCHAR) THEN TRUE
 WHEN regexp_matches(json_shape({a}) || json_shape({b}), '[0-9][.eE]|[{]')
   THEN error('Lists or maps of maps or of numbers with a point are compared, which is not supported.')
 ELSE FALSE END)

-- floats_ordered(a, b)
-- The order of numbers of which one is a float: NaN has none.
(CASE WHEN isnan(CAST({a} AS DOUBLE)) OR isnan(CAST({b} AS DOUBLE)) THEN FALSE ELSE {a} {op} {b} END)

-- json_ordered(a, b)
-- The order of two JSON values; NULL for those of different kinds.
(CASE WHEN json_type({a}) = 'ARRAY' AND json_type({b}) = 'ARRAY' THEN error('The order of lists is not supported.')
 WHEN is_whole({a}) AND is_whole({b}) THEN TRY_CAST({a} AS HUGEINT) {op} TRY_CAST({b} AS HUGEINT)
 WHEN is_numeric({a}) AND is_numeric({b})
   THEN as_float({a}) {op} as_float({b}) AND NOT isnan(as_float({a})) AND NOT isnan(as_float({b}))
 ELSE coalesce(as_str({a}) {op} as_str({b}), as_bool({a}) {op} as_bool({b})) END)

-- json_key(j)
-- What is the same for JSON values that DISTINCT takes for the same.
(CASE WHEN is_numeric({j}) THEN CAST(to_json(as_float({j})) AS VARCHAR) ELSE CAST({j} AS VARCHAR) END)

-- json_rank(j)
-- By what JSON values are sorted: strings, truth values, numbers.
(CASE json_type({j}) WHEN 'VARCHAR' THEN {'r': 1, 'n': 0.0::DOUBLE, 's': {j}->>'$'}
 WHEN 'BOOLEAN' THEN {'r': 2, 'n': CAST(as_bool({j}) AS DOUBLE), 's': ''}
 WHEN 'ARRAY' THEN error('The order of lists and maps of unknown types is not supported.')
 WHEN 'OBJECT' THEN error('The order of lists and maps of unknown types is not supported.')
 ELSE CASE WHEN {j} IS NOT NULL THEN {'r': 3, 'n': as_float({j}), 's': ''} END END)

-- divided(a, b)
-- A whole number by another one.
(CASE WHEN {b} = 0 THEN error('A number is divided by zero.') ELSE {a} // {b} END)

-- remainder(a, b)
-- What is left of a whole number by another one.
(CASE WHEN {b} = 0 THEN error('A number is divided by zero.') ELSE {a} % {b} END)

-- joined_text(a, b)
-- Two strings as one, of limited length: a single value is out of reach of limits of memory.
(CASE WHEN (strlen({a}) + strlen({b})) * {items} > 100000
   THEN error('A string or list that the query makes is too long.') ELSE {a} || {b} END)

-- joined_lists(a, b)
-- Two lists as one, of limited length.
(CASE WHEN (len({a}) + len({b})) * {items} > 100000 THEN error('A string or list that the query makes is too long.')
 WHEN {a} IS NOT NULL AND {b} IS NOT NULL THEN list_concat({a}, {b}) END)

-- json_computed(a, b)
-- What an operator gives of two JSON numbers, of whole numbers by one of its own.
(CASE WHEN {a} IS NULL OR {b} IS NULL THEN NULL
 WHEN is_whole({a}) AND is_whole({b}) THEN
   CASE WHEN '{whole}' IN ('//', '%') AND as_int({b}) = 0 THEN error('A number is divided by zero.')
   ELSE to_json(as_int({a}) {whole} as_int({b})) END
 WHEN is_numeric({a}) AND is_numeric({b}) THEN to_json(as_float({a}) {op} as_float({b}))
 ELSE error('`{op}` is asked of values that are no numbers. Of a text as ''5 kg'' the number is toFloat(split(x, '' '')[0]).') END)

-- json_added(a, b)
-- The sum of JSON numbers, JSON strings joined, or JSON lists joined.
(CASE WHEN {a} IS NULL OR {b} IS NULL THEN NULL WHEN is_whole({a}) AND is_whole({b}) THEN to_json(as_int({a}) + as_int({b}))
 WHEN is_numeric({a}) AND is_numeric({b}) THEN to_json(as_float({a}) + as_float({b}))
 WHEN (json_type({a}) = 'VARCHAR' OR is_numeric({a})) AND (json_type({b}) = 'VARCHAR' OR is_numeric({b}))
   THEN to_json(CASE WHEN (strlen({a}) + strlen({b})) * {items} > 100000
                  THEN error('A string or list that the query makes is too long.')
                  ELSE as_json_text({a}) || as_json_text({b}) END)
 WHEN 'ARRAY' IN (json_type({a}), json_type({b}))
   THEN to_json(CASE WHEN (strlen({a}) + strlen({b})) * {items} > 100000
                  THEN error('A string or list that the query makes is too long.')
                  ELSE list_concat(as_items({a}), as_items({b})) END)
 ELSE error('`+` is asked of values that are no numbers. Of a text as ''5 kg'' the number is toFloat(split(x, '' '')[0]).') END)

-- list_item(l, i)
-- An item of a list, from 0 or, for a negative place, from its end.
{l}[CASE WHEN {i} < 0 THEN {i} ELSE {i} + 1 END]

-- list_part(l, first, last)
-- The items of a list from a place to before another one; negative ones count from its end.
(CASE WHEN {first} IS NULL OR {last} IS NULL THEN NULL
 WHEN (CASE WHEN {last} < 0 THEN len({l}) + {last} ELSE {last} END)
    < (CASE WHEN {first} < 0 THEN greatest(len({l}) + {first}, 0) ELSE {first} END) + 1 THEN list_slice({l}, 2, 1)
 ELSE list_slice({l}, (CASE WHEN {first} < 0 THEN greatest(len({l}) + {first}, 0) ELSE {first} END) + 1,
   (CASE WHEN {last} < 0 THEN len({l}) + {last} ELSE {last} END)) END)

-- bounded_range(first, last, step)
-- The whole numbers from one to another, of a limited number.
(CASE WHEN {step} = 0 OR abs(({last} - {first}) // coalesce(nullif({step}, 0), 1)) >= {most}
   THEN error('range() gives at most ' || {most} || ' numbers here, by a step that is not 0.')
 ELSE generate_series({first}, {last}, {step}) END)

-- range_by_one(first, last)
-- The whole numbers from one to another.
bounded_range({first}, {last}, 1)

-- limited_list(l)
-- A list that is not too long to do something with each item, which is done `items` times for a row: nothing can end
-- the computation of 2,048 rows.
(CASE WHEN len({l}) * {items} > 10000 THEN error('Lists, and lists within lists, have at most 10000 items in all.')
 ELSE {l} END)

-- limited_text(s)
-- A string that is not too long to do something with it `items` times for a row.
(CASE WHEN strlen({s}) * {items} > 100000 THEN error('A string or list that the query makes is too long.') ELSE {s} END)

-- replaced(s, old, new)
-- A string with another one in place of a part, of limited length.
(CASE WHEN strlen({s}) * greatest(strlen({new}), 1) > 100000
   THEN error('A string or list that the query makes is too long.') ELSE replace({s}, {old}, {new}) END)

-- json_size(j)
-- The length of a JSON list or string.
(CASE json_type({j}) WHEN 'ARRAY' THEN CAST(json_array_length({j}) AS BIGINT) WHEN 'VARCHAR' THEN length({j}->>'$')
 ELSE CASE WHEN {j} IS NOT NULL THEN error('size() is asked of a value that is no list and no string.') END END)

-- json_absolute(j)
-- A JSON number without its sign.
(CASE WHEN is_whole({j}) THEN to_json(abs(as_int({j}))) ELSE to_json(abs(need_float({j}))) END)

-- json_to_float(j)
-- A JSON number or string as a number, NULL for a string that is none.
(CASE WHEN {j} IS NULL THEN NULL WHEN is_numeric({j}) THEN as_float({j})
 WHEN json_type({j}) = 'VARCHAR' THEN TRY_CAST(as_str({j}) AS DOUBLE)
 ELSE error('A number or a string is expected, and a value is neither.') END)

-- json_to_int(j)
-- A JSON number or string as a whole number, cut at the point, NULL for a string that is none.
(CASE WHEN {j} IS NULL THEN NULL WHEN is_whole({j}) THEN as_int({j})
 WHEN is_numeric({j}) THEN CAST(trunc(as_float({j})) AS BIGINT)
 WHEN regexp_full_match(as_str({j}), '[+-]?[0-9]+') THEN TRY_CAST(as_str({j}) AS BIGINT)
 WHEN json_type({j}) = 'VARCHAR' THEN CAST(trunc(TRY_CAST(as_str({j}) AS DOUBLE)) AS BIGINT)
 ELSE error('A number or a string is expected, and a value is neither.') END)

-- json_to_text(j)
-- A JSON number, string or truth value as text.
(CASE WHEN {j} IS NULL THEN NULL WHEN json_type({j}) IN ('ARRAY', 'OBJECT')
   THEN error('A number, a string or a truth value is expected, and a value is none.') ELSE {j}->>'$' END)

-- json_to_bool(j)
-- The truth value that a JSON value is or names.
(CASE WHEN {j} IS NULL OR json_type({j}) IN ('VARCHAR', 'BOOLEAN')
   THEN CASE lower({j}->>'$') WHEN 'true' THEN TRUE WHEN 'false' THEN FALSE END
 ELSE error('toBoolean() is asked of a value that is no string and no truth value.') END)

-- square_root(n)
-- The root of a number, NaN of a negative one.
(CASE WHEN {n} < 0 THEN CAST('nan' AS DOUBLE) ELSE sqrt({n}) END)

-- logarithm(n)
-- The natural logarithm, -Infinity of 0 and NaN of less.
(CASE WHEN {n} > 0 THEN ln({n}) WHEN {n} = 0 THEN CAST('-inf' AS DOUBLE) WHEN {n} IS NOT NULL THEN CAST('nan' AS DOUBLE) END)

-- json_sum(j)
-- The sum of JSON numbers: a whole number where all are.
(CASE WHEN coalesce(bool_and(is_whole({j})), TRUE) THEN to_json(coalesce(CAST(sum(as_int({j})) AS BIGINT), 0))
 ELSE to_json(sum(need_float({j}))) END)

-- distinct_in_order(l)
-- The different items of a list, each where it is first.
list_filter({l}, lambda {_}, {__}: list_position({l}, {_}) = {__})

-- of_one_kind(j, l)
-- A list of different JSON values, of which 1 and 1.0 would be two.
(CASE WHEN bool_or(is_whole({j})) AND bool_or(json_type({j}) = 'DOUBLE')
   THEN error('collect(DISTINCT …) of whole numbers and others is not supported.') ELSE {l} END)

-- stated_value(v)
-- A value that a document states, as JSON: a number or date where it is one, else as it is written.
CASE WHEN TRY_CAST(replace({v}.value, ',', '') AS DOUBLE) IS NOT NULL AND {v}.number = trunc({v}.number)
  THEN to_json(TRY_CAST({v}.number AS BIGINT))
 WHEN TRY_CAST(replace({v}.value, ',', '') AS DOUBLE) IS NOT NULL THEN to_json({v}.number)
 WHEN {v}.moment IS NOT NULL THEN to_json(strftime({v}.moment, '%Y-%m-%d')) ELSE to_json({v}.value) END

-- day_or_moment(m)
-- A moment as ISO text, one at midnight as its date: so both compare as texts do.
replace(strftime({m}, '%Y-%m-%dT%H:%M:%SZ'), 'T00:00:00Z', '')

-- type_of(n)
-- The predicate `p` of a triple, the type of another relationship.
coalesce({n}.label, p.name)

-- quotes_of(n)
-- The quotes that support a triple.
(SELECT list(v.quote) FROM evidence v WHERE v.triple_id = {n}.id AND v.retired_change IS NULL AND v.quote IS NOT NULL)

-- citations_of(n)
-- The citations of the chunks that support a triple.
(SELECT list(d.uri || '#chunk:' || c.start_offset || '-' || c.end_offset || '@' || c.sha256[1:8])
 FROM evidence v JOIN chunk c ON c.id = v.chunk_id JOIN document d ON d.id = c.document_id
 WHERE v.triple_id = {n}.id AND v.retired_change IS NULL)

-- extractors_of(n)
-- What found the evidence of a triple.
(SELECT list(v.extractor) FROM evidence v
 WHERE v.triple_id = {n}.id AND v.retired_change IS NULL AND v.extractor IS NOT NULL)

-- aliases_of(n)
-- The names of an entity.
(SELECT coalesce(list(a.name ORDER BY a.name), []) FROM entity_alias a
 WHERE a.entity_id = {n}.id AND a.retired_change IS NULL AND a.document_id IS NULL)

-- stated_of(n)
-- What documents state of an entity by a predicate: one value, or the list of several.
(SELECT CASE WHEN count(DISTINCT v.value) > 1 THEN to_json(list(DISTINCT stated_value(v))) ELSE any_value(stated_value(v)) END
 FROM entity_value v WHERE v.entity_id = {n}.id AND v.predicate_id = {predicate} AND v.retired_change IS NULL)

-- all_stated_of(n)
-- All that documents state of an entity, as a JSON object.
(SELECT coalesce(to_json(map(list(p.name ORDER BY p.name), list(s.j ORDER BY p.name))), CAST('{}' AS JSON)) FROM (
   SELECT v.predicate_id, CASE WHEN count(DISTINCT v.value) > 1 THEN to_json(list(DISTINCT stated_value(v)))
     ELSE any_value(stated_value(v)) END AS j
   FROM entity_value v WHERE v.entity_id = {n}.id AND v.retired_change IS NULL GROUP BY v.predicate_id) s
 JOIN predicate p ON p.id = s.predicate_id)
