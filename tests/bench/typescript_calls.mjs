// Prints what each call, `new` and element of a project means by the TypeScript compiler, one JSON line each.
//
//     node tests/bench/typescript_calls.mjs FOLDER TYPESCRIPT_MODULE
import { createRequire } from "node:module";
import path from "node:path";
import { readdirSync } from "node:fs";

const [folder, modulePath] = [path.resolve(process.argv[2]), path.resolve(process.argv[3])];
const ts = createRequire(import.meta.url)(modulePath);
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((each) => each.isFile() && /\.[cm]?[jt]sx?$/.test(each.name))
  .map((each) => path.join(each.parentPath ?? each.path, each.name))
  .filter((each) => !each.includes("node_modules"));
const configPath = ts.findConfigFile(folder, ts.sys.fileExists);
const given = configPath ? ts.parseJsonConfigFileContent(ts.readConfigFile(configPath, ts.sys.readFile).config, ts.sys, path.dirname(configPath)).options : {};
const program = ts.createProgram(files, {
  ...given, allowJs: true, noEmit: true, skipLibCheck: true, types: [], strict: true, jsx: ts.JsxEmit.Preserve,
  target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
});
const checker = program.getTypeChecker();
const kinds = ts.SyntaxKind;

const isFunction = (node) => (ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isClassExpression(node));

// Whether a declaration is one that a graph of definitions can have: no parameter, and no value but a function.
function isDefinition(node) {
  if (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node)) {
    return Boolean(node.initializer && isFunction(node.initializer));
  }
  return ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node)
    || ts.isClassLike(node) || ts.isInterfaceDeclaration(node);
}

function meant(name) {
  let symbol = checker.getSymbolAtLocation(name);
  for (let step = 0; symbol && step < 10; step++) {
    const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
    let next;
    if (symbol.flags & ts.SymbolFlags.Alias) next = checker.getAliasedSymbol(symbol);
    else if (declaration && ts.isShorthandPropertyAssignment(declaration)) next = checker.getShorthandAssignmentValueSymbol(declaration);
    else if (declaration && ts.isPropertyAssignment(declaration) && /Identifier|PropertyAccess/.test(kinds[declaration.initializer.kind])) {
      next = checker.getSymbolAtLocation(declaration.initializer.name ?? declaration.initializer);
    }
    if (!next || next === symbol) break;
    symbol = next;
  }
  return symbol?.declarations ?? [];
}

// The value of `name` in the object that a variable with a declared type is given: as right as the type's own.
function ofObject(expression, name) {
  let symbol = checker.getSymbolAtLocation(expression);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  const variable = symbol?.valueDeclaration;
  const value = variable && ts.isVariableDeclaration(variable) ? variable.initializer : undefined;
  return value && ts.isObjectLiteralExpression(value) ? value.properties.filter((each) => each.name?.getText() === name) : [];
}

function visit(node, source) {
  let target;
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) target = node.expression;
  else if (ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)) target = node.tagName;
  while (target && (ts.isNonNullExpression(target) || ts.isParenthesizedExpression(target))) target = target.expression;
  const name = target && (ts.isPropertyAccessExpression(target) ? target.name : ts.isIdentifier(target) ? target : undefined);
  if (name && !(ts.isJsxOpeningLikeElement(node) && /^[a-z]/.test(target.getText()))) {
    const own = ts.isPropertyAccessExpression(target) ? ofObject(target.expression, name.text) : [];
    const targets = [...meant(name), ...own].map((each) => {
      const file = each.getSourceFile(), at = (each.name ?? each).getStart(file);
      return {
        file: file.fileName, line: file.getLineAndCharacterOfPosition(at).line + 1,
        kind: kinds[each.kind], definition: isDefinition(each),
      };
    });
    console.log(JSON.stringify({ file: source.fileName, at: name.getStart(source), name: name.text, targets }));
  }
  ts.forEachChild(node, (child) => visit(child, source));
}

for (const source of program.getSourceFiles()) {
  if (files.includes(source.fileName) && !source.isDeclarationFile) visit(source, source);
}
