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
(raise_statement . [(identifier) (attribute) (call function: [(identifier) (attribute)])] @raises)
(except_clause value: [(identifier) (attribute)] @catches)
(except_clause value: (tuple [(identifier) (attribute)] @catches))
(except_clause value: (as_pattern . [(identifier) (attribute)] @catches))
(except_clause value: (as_pattern . (tuple [(identifier) (attribute)] @catches)))
(argument_list [(identifier) (attribute)] @references)
(keyword_argument value: [(identifier) (attribute)] @references)
(list [(identifier) (attribute)] @references)
(tuple [(identifier) (attribute)] @references)
(set [(identifier) (attribute)] @references)
(expression_list [(identifier) (attribute)] @references)
(pair [(identifier) (attribute)] @references)
(default_parameter value: [(identifier) (attribute)] @references)
(typed_default_parameter value: [(identifier) (attribute)] @references)
(assignment right: [(identifier) (attribute)] @references)
(named_expression value: [(identifier) (attribute)] @references)
(return_statement [(identifier) (attribute)] @references)
(yield [(identifier) (attribute)] @references)
(lambda body: [(identifier) (attribute)] @references)
(comparison_operator [(identifier) (attribute)] @references)
(boolean_operator [(identifier) (attribute)] @references)
(binary_operator [(identifier) (attribute)] @references)
(conditional_expression [(identifier) (attribute)] @references)
(parenthesized_expression [(identifier) (attribute)] @references)
(subscript [(identifier) (attribute)] @references)
(type [(identifier) (attribute)] @references)
(generic_type . (identifier) @references)
(class_pattern . (dotted_name) @references)
(if_statement condition: [(identifier) (attribute)] @references)
(for_statement right: [(identifier) (attribute)] @references)
(for_in_clause right: [(identifier) (attribute)] @references)
(string) @string
(subscript value: [(identifier) (attribute)] @_env subscript: (string) @environment
  (#any-of? @_env "os.environ" "environ"))
(call function: [(identifier) (attribute)] @_env arguments: (argument_list . (string) @environment)
  (#any-of? @_env "os.environ.get" "environ.get" "os.environ.pop" "environ.pop" "os.getenv" "getenv"))
(comparison_operator (string) @environment operators: ["in" "not in"] [(identifier) (attribute)] @_env
  (#any-of? @_env "os.environ" "environ"))
(delete_statement (subscript subscript: (string) @written))
(assignment left: (subscript subscript: (string) @written))
