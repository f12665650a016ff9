(class_definition) @class
(function_definition) @function
(call) @call
(call
  function: [(identifier) @_load (attribute attribute: (identifier) @_load)]
  arguments: (argument_list . (string)) (#eq? @_load "import_module")) @import
(assignment
  left: (identifier)
  right: (call
    function: [(identifier) @_load (attribute attribute: (identifier) @_load)]
    arguments: (argument_list . (string))) (#eq? @_load "import_module")) @import
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
[
  (assignment) (named_expression) (typed_parameter) (typed_default_parameter) (for_statement) (for_in_clause)
  (with_statement) (except_clause) (return_statement) (yield) (function_definition return_type: (type))
] @typed
