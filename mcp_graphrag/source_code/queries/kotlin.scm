(package_header (qualified_identifier) @name) @namespace
((class_declaration "class" name: (identifier) @name) @class)
(object_declaration name: (identifier) @name) @class
((class_declaration "interface" name: (identifier) @name) @interface)
(function_declaration name: (identifier) @name) @function
(source_file (function_declaration (modifiers (visibility_modifier) @_seen)) @hidden (#eq? @_seen "private"))
(class_declaration (delegation_specifiers (delegation_specifier [(user_type) @implements (constructor_invocation (user_type) @extends)]))) @class
(object_declaration (delegation_specifiers (delegation_specifier [(user_type) @implements (constructor_invocation (user_type) @extends)]))) @class
(call_expression . (identifier) @callee)
(call_expression . (navigation_expression . (_) @object (identifier) @callee .))
(import (qualified_identifier) @target .) @import
(import (qualified_identifier) @target "*") @import @all
(import (qualified_identifier) @target (identifier) @alias) @import
[(line_comment) (block_comment)] @comment
(variable_declaration (identifier) @binding)
(parameter (identifier) @binding)
(class_parameter (identifier) @binding)
