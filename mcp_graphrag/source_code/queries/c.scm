((function_definition declarator: (function_declarator declarator: (identifier) @name)) @function (#not-match? @name "^(if|else|for|while|switch|return|do)$"))
((function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @function (#not-match? @name "^(if|else|for|while|switch|return|do)$"))
((function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))) @function (#not-match? @name "^(if|else|for|while|switch|return|do)$"))
((function_definition declarator: (function_declarator declarator: (parenthesized_declarator (identifier) @name))) @function (#not-match? @name "^(if|else|for|while|switch|return|do)$"))
((function_definition (storage_class_specifier) @_static) @hidden (#eq? @_static "static"))
(preproc_function_def name: (identifier) @name) @function
[(struct_specifier name: (type_identifier) @name body: (_)) (union_specifier name: (type_identifier) @name body: (_)) (enum_specifier name: (type_identifier) @name body: (_))] @class
(type_definition type: [(struct_specifier !name body: (_)) (union_specifier !name body: (_)) (enum_specifier !name body: (_))] declarator: (type_identifier) @name) @class
(call_expression function: (identifier) @callee)
(call_expression function: (field_expression argument: (_) @object field: (field_identifier) @callee))
(preproc_include path: (_) @path) @import
(comment) @comment
(parameter_declaration declarator: [(identifier) @binding (_ declarator: (identifier) @binding) (_ (_ declarator: (identifier) @binding))])
(parameter_declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @binding))))
(init_declarator declarator: [(identifier) @binding (pointer_declarator declarator: (identifier) @binding)])
(init_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @binding))))
(declaration declarator: [(identifier) @binding (pointer_declarator declarator: (identifier) @binding)])
(declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @binding))))
