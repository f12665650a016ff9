(namespace_definition name: (_) @name !body) @namespace
(namespace_definition name: (_) @name body: (_)) @module
[(class_declaration name: (name) @name) (enum_declaration name: (name) @name)] @class
[(interface_declaration name: (name) @name) (trait_declaration name: (name) @name)] @interface
(function_definition name: (name) @name) @function
(method_declaration name: (name) @name) @method
(class_declaration (base_clause [(name) (qualified_name)] @extends)) @class
(interface_declaration (base_clause [(name) (qualified_name)] @extends)) @interface
(class_declaration (class_interface_clause [(name) (qualified_name)] @implements)) @class
(class_declaration body: (declaration_list (use_declaration [(name) (qualified_name)] @implements))) @class
(enum_declaration (class_interface_clause [(name) (qualified_name)] @implements)) @class
(function_call_expression function: [(name) (qualified_name)] @callee)
(scoped_call_expression scope: (_) @object name: (name) @callee)
[(member_call_expression object: (_) @object name: (name) @callee) (nullsafe_member_call_expression object: (_) @object name: (name) @callee)]
(object_creation_expression [(name) (qualified_name)] @callee)
(namespace_use_declaration (namespace_use_clause . [(name) (qualified_name)] @target alias: (name)? @alias)) @import
[(require_expression (string (string_content) @path)) (require_once_expression (string (string_content) @path)) (include_expression (string (string_content) @path)) (include_once_expression (string (string_content) @path))] @import
[(require_expression (binary_expression (name) @relative (string (string_content) @path))) (require_once_expression (binary_expression (name) @relative (string (string_content) @path))) (include_expression (binary_expression (name) @relative (string (string_content) @path))) (include_once_expression (binary_expression (name) @relative (string (string_content) @path)))] @import
(comment) @comment
(namespace_use_declaration (namespace_name) @part body: (_)) @import
(namespace_use_declaration body: (namespace_use_group (namespace_use_clause . [(name) (qualified_name)] @target alias: (name)? @alias))) @import
