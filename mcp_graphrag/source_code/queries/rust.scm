[(struct_item) (enum_item) (union_item)] @class
(trait_item) @interface
[(function_item) (function_signature_item)] @function
(mod_item body: (_)) @module
(impl_item) @scope
(call_expression) @call
[(use_declaration) (extern_crate_declaration)] @import
[(line_comment) (block_comment)] @comment
(let_declaration pattern: (identifier) @binding)
(parameter pattern: (identifier) @binding)
(closure_parameters (identifier) @binding)
(for_expression pattern: (identifier) @binding)
(let_condition pattern: (identifier) @binding)
(match_pattern (identifier) @binding)
[(tuple_pattern (identifier) @binding) (slice_pattern (identifier) @binding) (reference_pattern (identifier) @binding)]
[(mut_pattern (identifier) @binding) (ref_pattern (identifier) @binding) (captured_pattern . (identifier) @binding)]
(tuple_struct_pattern type: (_) (identifier) @binding)
[(field_pattern name: (shorthand_field_identifier) @binding) (field_pattern pattern: (identifier) @binding)]
(attribute_item) @attribute
[(string_literal) (raw_string_literal)] @string
(call_expression function: (scoped_identifier) @_env arguments: (arguments . (string_literal) @environment)
  (#any-of? @_env "std::env::var" "std::env::var_os" "env::var" "env::var_os"))
