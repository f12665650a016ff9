(variable_declarator name: (identifier) value: [(arrow_function) (function_expression) (call_expression)]) @function
(export_statement "default" value: (call_expression) @function)
(assignment_expression left: (member_expression) @_left right: [(arrow_function) (function_expression)]
  (#match? @_left "^(module[.])?exports[.]")) @function
(assignment_expression
  left: (member_expression object: (identifier) @_left) right: [(arrow_function) (function_expression)]
  (#match? @_left "^[A-Z]")) @method
(variable_declarator name: (identifier) value: (_)) @object
(export_statement "default" value: (object) @object)
(assignment_expression left: (member_expression) @_left right: (object) (#match? @_left "^(module[.])?exports")) @object
(pair key: (property_identifier) value: (object)) @object
(pair key: (property_identifier) value: [(arrow_function) (function_expression)]) @method
[(call_expression) (new_expression)] @call
[(variable_declarator) (for_in_statement) (method_definition) (function_declaration)] @typed
(assignment_expression left: [(identifier) (member_expression object: (this))]) @typed
[(call_expression arguments: (arguments [(arrow_function) (function_expression)]))
 (new_expression arguments: (arguments [(arrow_function) (function_expression)]))] @typed
(pair value: [(arrow_function) (function_expression)]) @typed
(export_statement "default" value: [(new_expression) (call_expression)]) @typed
[(import_statement) (export_statement)] @import
(variable_declarator value: (call_expression function: (identifier) @_require) (#eq? @_require "require")) @import
(variable_declarator
  value: (member_expression object: (call_expression function: (identifier) @_require))
  (#eq? @_require "require")) @import
(variable_declarator value: (await_expression (call_expression function: (import)))) @import
(call_expression function: (identifier) @_require arguments: (arguments (string)) (#eq? @_require "require")) @import
(call_expression function: (import)) @import
(call_expression function: (member_expression object: (call_expression function: (import)))) @import
(call_expression arguments: (arguments . (arrow_function body: (call_expression function: (import))))) @import
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
(throw_statement [(identifier) (member_expression) (new_expression)] @raises)
(throw_statement (ternary_expression consequence: (new_expression) @raises))
(throw_statement (ternary_expression alternative: (new_expression) @raises))
(binary_expression operator: "instanceof" right: [(identifier) (member_expression)] @references)
(arguments [(identifier) (member_expression)] @references)
(return_statement [(identifier) (member_expression)] @references)
(pair value: [(identifier) (member_expression)] @references)
(array [(identifier) (member_expression)] @references)
(member_expression object: (member_expression) @_env property: (property_identifier) @environment
  (#any-of? @_env "process.env" "process?.env" "import.meta.env"))
(subscript_expression object: (member_expression) @_env index: (string) @environment
  (#any-of? @_env "process.env" "process?.env" "import.meta.env"))
(binary_expression left: (string) @environment operator: "in" right: (member_expression) @_env
  (#any-of? @_env "process.env" "process?.env" "import.meta.env"))
(variable_declarator
  name: (object_pattern [
    (shorthand_property_identifier_pattern) @environment (pair_pattern key: (property_identifier) @environment)
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @environment)])
  value: (member_expression) @_env (#any-of? @_env "process.env" "process?.env" "import.meta.env"))
(call_expression function: (member_expression) @_env arguments: (arguments . (string) @environment)
  (#eq? @_env "Deno.env.get"))
(assignment_expression left: (member_expression property: (property_identifier) @written))
(unary_expression operator: "delete" argument: (member_expression property: (property_identifier) @written))
(unary_expression operator: "delete" argument: (subscript_expression index: (string) @written))
(call_expression function: (member_expression object: (member_expression) property: (property_identifier) @written))
(assignment_expression left: (subscript_expression index: (string) @written))
