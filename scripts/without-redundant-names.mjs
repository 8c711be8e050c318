import ts from 'typescript';

/**
 * Removes the calls by which esbuild explicitly names every function and class (`keepNames`, since it renames a few),
 * if the language gives them the same name anyway. Naming a function that is created for each request takes longer than
 * creating it. It also changes the function's shape, so V8 repeatedly discards the compiled code of its callers
 * (test/faults/compiled-code.spec.ts).
 *
 * @param {string} text the chunk.
 */
export function withoutRedundantNames(text) {
  const cuts = [];
  const visit = (node) => {
    if (ts.isCallExpression(node) && node.expression.getText() === '__name') cuts.push(...redundantParts(node));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('chunk.js', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS));
  // The two cuts of an outer call lie around those of an inner call.
  cuts.sort(([one], [other]) => one - other);
  const ends = [0, ...cuts.map(([, to]) => to)];
  const starts = [...cuts.map(([from]) => from), text.length];
  const kept = ends.map((end, index) => text.slice(end, starts[index]));
  // Keeps line breaks, so that the source map stays right.
  const lines = cuts.map(([from, to]) => text.slice(from, to).replace(/[^\n]/g, ''));
  return kept.map((part, index) => part + (lines[index] ?? '')).join('');
}

/** The ranges to cut around `__name(target, "name")`; none if the call may be needed. */
function redundantParts(call) {
  const [target, { text: name }] = call.arguments;
  const statement = call.parent;
  if (!ts.isExpressionStatement(statement)) {
    if (ownNameOf(target, call) !== name) return [];
    return [
      [call.getStart(), target.getStart()],
      [target.end, call.end],
    ];
  }
  if (ts.isIdentifier(target)) return target.text === name ? [[statement.getStart(), statement.end]] : [];
  // `class { static { __name(this, "name"); } }`
  const block = statement.parent.parent;
  if (!ts.isClassStaticBlockDeclaration(block) || ownNameOf(block.parent) !== name) return [];
  return [[block.getStart(), block.end]];
}

/** Nodes other than assignments that give their name to an anonymous function (ECMA-262, NamedEvaluation). */
const isNaming = (node) =>
  [
    ts.isVariableDeclaration,
    ts.isPropertyAssignment,
    ts.isPropertyDeclaration,
    ts.isBindingElement,
    ts.isParameter,
  ].some((is) => is(node));

/** The name that the language gives to the function at `place`: its own name, or the name that it is assigned to. */
function ownNameOf(target, place = target) {
  const { parent } = place;
  if (target.name !== undefined) return target.name.text;
  if (!(ts.isArrowFunction(target) || ts.isFunctionExpression(target) || ts.isClassExpression(target)))
    return undefined;
  // `{ __proto__: … }` sets the prototype and names nothing.
  if (isNaming(parent)) return parent.name.text === '__proto__' ? undefined : parent.name.text;
  const isAssignment = ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  return isAssignment && ts.isIdentifier(parent.left) ? parent.left.text : undefined;
}
