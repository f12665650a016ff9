[(class_declaration) (record_declaration) (enum_declaration) (enum_constant body: (class_body))] @class
(object_creation_expression (class_body)) @scope
[(interface_declaration) (annotation_type_declaration)] @interface
[(method_declaration) (constructor_declaration) (compact_constructor_declaration)] @method
[(method_invocation) (object_creation_expression)] @call
(explicit_constructor_invocation constructor: (super)) @call
(import_declaration) @import
(package_declaration) @package
[(annotation) (marker_annotation)] @decorator
[(line_comment) (block_comment)] @comment
(formal_parameter name: (identifier) @binding)
(variable_declarator name: (identifier) @binding)
(catch_formal_parameter name: (identifier) @binding)
(enhanced_for_statement name: (identifier) @binding)
(lambda_expression parameters: [(identifier) @binding (inferred_parameters (identifier) @binding)])
(string_literal) @string
(throw_statement (object_creation_expression) @raises)
(catch_type [(type_identifier) (scoped_type_identifier)] @catches)
(instanceof_expression right: [(type_identifier) (scoped_type_identifier)] @references)
(method_invocation object: (identifier) @_env name: (identifier) @_get arguments: (argument_list . (string_literal) @environment)
  (#eq? @_env "System") (#eq? @_get "getenv"))
