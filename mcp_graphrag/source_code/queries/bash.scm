(function_definition name: (word) @name) @function
(command name: (command_name (word) @callee))
((command name: (command_name (word) @_word) . argument: [(word) (string) (raw_string) (concatenation)] @path) @import (#match? @_word "^(source|[.])$"))
(comment) @comment
