(namespace_declaration name: (_) @name) @module
(file_scoped_namespace_declaration name: (_) @name) @namespace
[(class_declaration name: (identifier) @name) (struct_declaration name: (identifier) @name) (record_declaration name: (identifier) @name) (enum_declaration name: (identifier) @name)] @class
(interface_declaration name: (identifier) @name) @interface
[(method_declaration name: (identifier) @name) (constructor_declaration name: (identifier) @name)] @method
(delegate_declaration name: (identifier) @name) @class
((local_function_statement name: (identifier) @name) @function (#not-match? @name "^(if|for|while|switch)$"))
((class_declaration (base_list [(identifier) (qualified_name) (generic_name)] @extends)) @class (#not-match? @extends "^([A-Za-z_.]+[.])?I[A-Z]"))
((class_declaration (base_list [(identifier) (qualified_name) (generic_name)] @implements)) @class (#match? @implements "^([A-Za-z_.]+[.])?I[A-Z]"))
(struct_declaration (base_list [(identifier) (qualified_name) (generic_name)] @implements)) @class
(interface_declaration (base_list [(identifier) (qualified_name) (generic_name)] @extends)) @interface
(invocation_expression function: [(identifier) @callee (generic_name (identifier) @callee)])
(invocation_expression function: (member_access_expression expression: _ @object name: [(identifier) @callee (generic_name (identifier) @callee)]))
(invocation_expression function: (conditional_access_expression (_) @object (member_binding_expression name: (identifier) @callee)))
(object_creation_expression type: [(identifier) @callee (qualified_name) @callee (generic_name (identifier) @callee)])
(using_directive !name [(identifier) (qualified_name)] @target) @import @all
(using_directive name: (identifier) @alias (qualified_name) @target) @import
(comment) @comment
(parameter name: (identifier) @binding)
(variable_declarator name: (identifier) @binding)
(foreach_statement left: (identifier) @binding)
(declaration_expression name: (identifier) @binding)
(declaration_pattern name: (identifier) @binding)
(catch_declaration name: (identifier) @binding)
(implicit_parameter) @binding
