((function_definition declarator: (function_declarator declarator: [(identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name)] @name) body: (_)) @function (#not-match? @name "^(if|else|for|while|switch|return|do)$"))
((function_definition declarator: (_ (function_declarator declarator: [(identifier) (field_identifier) (qualified_identifier) (operator_name)] @name)) body: (_)) @function (#not-match? @name "^(if|else|for|while|switch|return|do)$"))
((function_definition declarator: (pointer_declarator (_ (function_declarator declarator: [(identifier) (field_identifier) (qualified_identifier) (operator_name)] @name))) body: (_)) @function (#not-match? @name "^(if|else|for|while|switch|return|do)$"))
((function_definition declarator: (operator_cast) @name body: (_)) @function (#not-match? @name "^(if|else|for|while|switch|return|do)$"))
((function_definition declarator: (qualified_identifier name: (operator_cast)) @name body: (_)) @function (#not-match? @name "^(if|else|for|while|switch|return|do)$"))
(translation_unit (function_definition (storage_class_specifier) @_static) @hidden (#eq? @_static "static"))
(declaration_list (function_definition (storage_class_specifier) @_static) @hidden (#eq? @_static "static"))
(namespace_definition !name) @hidden
(namespace_definition name: (_) @name) @module
(preproc_function_def name: (identifier) @name) @function
[(class_specifier name: (_) @name body: (_)) (struct_specifier name: (_) @name body: (_)) (union_specifier name: (_) @name body: (_)) (enum_specifier name: (_) @name body: (_))] @class
[(class_specifier (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @extends)) (struct_specifier (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @extends))] @class
(type_definition type: [(struct_specifier !name body: (_)) (union_specifier !name body: (_)) (enum_specifier !name body: (_))] declarator: (type_identifier) @name) @class
(call_expression function: [(identifier) (qualified_identifier)] @callee)
(call_expression function: (template_function name: (_) @callee))
(call_expression function: (field_expression argument: (_) @object field: (field_identifier) @callee))
(preproc_include path: (_) @path) @import
(using_declaration "namespace" (_) @target) @import @all
(using_declaration (qualified_identifier) @target) @import
(comment) @comment
(parameter_declaration declarator: [(identifier) @binding (_ (identifier) @binding) (_ (_ (identifier) @binding))])
(parameter_declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @binding))))
(init_declarator declarator: [(identifier) @binding (_ (identifier) @binding)])
(declaration declarator: [(identifier) @binding (pointer_declarator declarator: (identifier) @binding) (reference_declarator (identifier) @binding)])
(declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @binding))))
(field_declaration declarator: [(field_identifier) @binding (_ (field_identifier) @binding)])
(field_declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @binding))))
(for_range_loop declarator: [(identifier) @binding (_ (identifier) @binding)])
(lambda_capture_specifier (identifier) @binding)
