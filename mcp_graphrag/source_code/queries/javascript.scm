[(class_declaration) (class)] @class
[(function_declaration) (generator_function_declaration)] @function
(method_definition) @method
(field_definition property: (property_identifier) value: [(arrow_function) (function_expression)]) @method
(formal_parameters (identifier) @binding)
(field_definition property: (property_identifier) @field)

(field_definition) @typed
