(class_definition) @class
(function_definition) @function
(call) @call
[(import_statement) (import_from_statement) (future_import_statement)] @import
(decorated_definition (decorator) @decorator)
(comment) @comment
(module . (comment)* . (expression_statement . (string) @docstring .))
(class_definition body: (block . (comment)* . (expression_statement . (string) @docstring .)))
(function_definition body: (block . (comment)* . (expression_statement . (string) @docstring .)))
(assignment left: [(identifier) @binding (pattern_list (identifier) @binding) (tuple_pattern (identifier) @binding)])
(for_statement left: [(identifier) @binding (pattern_list (identifier) @binding) (tuple_pattern (identifier) @binding)])
(for_in_clause left: [(identifier) @binding (pattern_list (identifier) @binding) (tuple_pattern (identifier) @binding)])
(as_pattern_target (identifier) @binding)
(named_expression name: (identifier) @binding)
(parameters [
  (identifier) @binding
  (default_parameter name: (identifier) @binding)
  (typed_parameter . [(identifier) @binding (list_splat_pattern (identifier) @binding) (dictionary_splat_pattern (identifier) @binding)])
  (typed_default_parameter name: (identifier) @binding)
  (list_splat_pattern (identifier) @binding)
  (dictionary_splat_pattern (identifier) @binding)
])
(lambda_parameters [(identifier) @binding (default_parameter name: (identifier) @binding)])
(string) @string
