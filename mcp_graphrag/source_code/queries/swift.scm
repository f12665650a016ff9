(class_declaration name: (type_identifier) @name) @class
(class_declaration name: (user_type) @name) @scope
(protocol_declaration name: (type_identifier) @name) @interface
(function_declaration name: (simple_identifier) @name) @function
(protocol_function_declaration name: (simple_identifier) @name) @method
(init_declaration "init" @name) @method
(deinit_declaration "deinit" @name) @method
(source_file (function_declaration (modifiers (visibility_modifier) @_seen)) @hidden (#match? @_seen "private"))
(class_declaration name: (type_identifier) (inheritance_specifier inherits_from: (user_type) @extends)) @class
(protocol_declaration (inheritance_specifier inherits_from: (user_type) @extends)) @interface
(call_expression . (simple_identifier) @callee)
(call_expression . (navigation_expression target: (_) @object suffix: (navigation_suffix suffix: (simple_identifier) @callee)))
(import_declaration (identifier) @target) @import @all
[(comment) (multiline_comment)] @comment
(pattern bound_identifier: (simple_identifier) @binding)
(parameter name: (simple_identifier) @binding)
(lambda_parameter name: (simple_identifier) @binding)
