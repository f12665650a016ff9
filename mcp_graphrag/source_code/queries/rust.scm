[(struct_item) (enum_item) (union_item)] @class
(trait_item) @interface
[(function_item) (function_signature_item)] @function
(mod_item body: (_)) @module
(impl_item) @scope
(call_expression) @call
[(use_declaration) (extern_crate_declaration)] @import
[(line_comment) (block_comment)] @comment
(let_declaration pattern: [(identifier) @binding (tuple_pattern (identifier) @binding)])
(parameter pattern: (identifier) @binding)
(closure_parameters [(identifier) @binding (parameter pattern: (identifier) @binding)])
(for_expression pattern: (identifier) @binding)
(attribute_item) @attribute
