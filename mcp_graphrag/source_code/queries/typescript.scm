[(class_declaration) (abstract_class_declaration) (class)] @class
[(interface_declaration) (enum_declaration)] @interface
[(function_declaration) (generator_function_declaration) (function_signature)] @function
[(method_definition) (method_signature) (abstract_method_signature)] @method
(public_field_definition name: (property_identifier) value: [(arrow_function) (function_expression)]) @method
(formal_parameters [
  (required_parameter pattern: (identifier) @binding)
  (optional_parameter pattern: (identifier) @binding)
])
[(internal_module name: [(identifier) (nested_identifier)]) (module name: [(identifier) (nested_identifier)])] @module
(export_statement "=" (identifier) @whole)
(public_field_definition name: (property_identifier) @field)

[(required_parameter) (optional_parameter) (public_field_definition) (property_signature) (method_signature)] @typed
[(abstract_method_signature) (function_signature) (type_parameter) (type_alias_declaration)] @typed
(type_parameter name: (type_identifier) @binding)
(type_alias_declaration name: (type_identifier) @binding)
