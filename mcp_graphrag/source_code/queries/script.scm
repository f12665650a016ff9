(variable_declarator name: (identifier) value: [(arrow_function) (function_expression)]) @function
[(call_expression) (new_expression)] @call
[(import_statement) (export_statement)] @import
(variable_declarator value: (call_expression function: (identifier) @_require) (#eq? @_require "require")) @import
(decorator) @decorator
(comment) @comment
(variable_declarator name: (identifier) @binding)
(object_pattern [(shorthand_property_identifier_pattern) @binding (pair_pattern value: (identifier) @binding)])
(object_assignment_pattern left: (shorthand_property_identifier_pattern) @binding)
(assignment_pattern left: (identifier) @binding)
(array_pattern (identifier) @binding)
(rest_pattern (identifier) @binding)
(arrow_function parameter: (identifier) @binding)
(catch_clause parameter: (identifier) @binding)
(for_in_statement left: (identifier) @binding)
(export_statement "default" declaration: (_ name: (_) @default))
(export_statement "default" value: (identifier) @default)
(export_statement "default" value: [(function_expression) (generator_function) (arrow_function)] @function)
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: [(identifier) @whole (class name: (_) @whole) (function_expression name: (identifier) @whole)]
  (#eq? @_module "module") (#eq? @_exports "exports"))
[(string) (template_string)] @string
