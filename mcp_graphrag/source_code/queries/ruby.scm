(module name: (_) @name) @module
(class name: (_) @name) @class
(class superclass: (superclass [(constant) (scope_resolution)] @extends)) @class
((class body: (body_statement (call !receiver method: (identifier) @_word arguments: (argument_list [(constant) (scope_resolution)] @implements)))) @class (#match? @_word "^(include|prepend)$"))
[(method name: (_) @name) (singleton_method name: (_) @name)] @function
(call !receiver method: (identifier) @callee)
(call receiver: (_) @object method: (identifier) @callee)
((call !receiver method: (identifier) @_word arguments: (argument_list . (string . (string_content) @path .) .)) @import (#match? @_word "^(require|load)$"))
((call !receiver method: (identifier) @_word arguments: (argument_list . (string . (string_content) @path .) .)) @import @relative (#eq? @_word "require_relative"))
(comment) @comment
