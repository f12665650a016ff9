(package_clause name: (_) @name !body) @nested
(package_clause name: (_) @name body: (_)) @module
(package_object name: (_) @name) @module
[(class_definition name: (_) @name) (object_definition name: (_) @name) (enum_definition name: (_) @name)] @class
(trait_definition name: (_) @name) @interface
([(function_definition name: (_) @name) (function_declaration name: (_) @name)] @function (#not-eq? @name "this"))
[(class_definition (extends_clause type: [(type_identifier) (stable_type_identifier) (generic_type)] @extends)) (object_definition (extends_clause type: [(type_identifier) (stable_type_identifier) (generic_type)] @extends))] @class
(trait_definition (extends_clause type: [(type_identifier) (stable_type_identifier) (generic_type)] @extends)) @interface
(call_expression function: [(identifier) @callee (generic_function function: (identifier) @callee)])
(call_expression function: (field_expression value: (_) @object field: (identifier) @callee))
(instance_expression (type_identifier) @callee)
[(comment) (block_comment)] @comment
(parameter name: (identifier) @binding)
(class_parameter name: (identifier) @binding)
(binding name: (identifier) @binding)
(val_definition pattern: (identifier) @binding)
(var_definition pattern: (identifier) @binding)
(val_declaration name: (identifier) @binding)
(case_clause pattern: (identifier) @binding)
(lambda_expression parameters: (identifier) @binding)
(import_declaration (identifier) @part) @import
(import_declaration (namespace_wildcard)) @import @all
(import_declaration (namespace_selectors (namespace_wildcard))) @import @all
(import_declaration (namespace_selectors (identifier) @target)) @import
(import_declaration (namespace_selectors (arrow_renamed_identifier name: (_) @target alias: (_) @alias))) @import
