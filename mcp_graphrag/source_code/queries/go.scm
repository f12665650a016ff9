(type_spec type: (struct_type)) @class
(type_spec type: (interface_type)) @interface
(type_spec type: [(type_identifier) (qualified_type) (function_type) (map_type) (slice_type) (array_type) (pointer_type) (channel_type) (generic_type)]) @class
(function_declaration) @function
(method_declaration) @method
(call_expression) @call
(type_conversion_expression type: (generic_type)) @call
(import_spec) @import
(package_clause) @package
(comment) @comment
(short_var_declaration left: (expression_list (identifier) @binding))
(type_switch_statement alias: (expression_list (identifier) @binding))
(receive_statement left: (expression_list (identifier) @binding))
(method_declaration receiver: (parameter_list (parameter_declaration name: (identifier) @receiver)))
(range_clause left: (expression_list (identifier) @binding))
(var_spec name: (identifier) @binding)
(parameter_declaration name: (identifier) @binding)
(variadic_parameter_declaration name: (identifier) @binding)
(field_declaration name: (field_identifier) @field)
[(interpreted_string_literal) (raw_string_literal)] @string
[
  (parameter_declaration) (variadic_parameter_declaration) (field_declaration) (var_spec) (short_var_declaration)
  (range_clause) (function_declaration) (method_declaration)
] @typed
(source_file (var_declaration (var_spec name: (identifier) @_name) @value) (#match? @_name "^[A-Z]"))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @_name) @value)) (#match? @_name "^[A-Z]"))
(source_file (const_declaration (const_spec name: (identifier) @_name) @value) (#match? @_name "^[A-Z]"))
(var_spec
  name: (identifier) @_blank type: [(type_identifier) (qualified_type)] @interface_of
  value: (expression_list [
    (call_expression
      function: (parenthesized_expression (unary_expression operand: [(identifier) (selector_expression)] @implementer)))
    (call_expression function: (identifier) @_new arguments: (argument_list . [(identifier) (type_identifier)] @implementer))
    (unary_expression operand: (composite_literal type: [(type_identifier) (qualified_type)] @implementer))
    (composite_literal type: [(type_identifier) (qualified_type)] @implementer)])
  (#eq? @_blank "_") (#any-of? @_new "new"))
(argument_list [(identifier) (selector_expression)] @references)
(expression_list [(identifier) (selector_expression)] @references)
(binary_expression [(identifier) (selector_expression)] @references)
(keyed_element value: (literal_element [(identifier) (selector_expression)] @references))
(literal_value (literal_element [(identifier) (selector_expression)] @references))
(call_expression function: (selector_expression) @_env arguments: (argument_list . (interpreted_string_literal) @environment)
  (#any-of? @_env "os.Getenv" "os.LookupEnv"))
