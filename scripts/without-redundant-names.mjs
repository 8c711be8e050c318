import ts from 'typescript';

/**
 * A chunk without what esbuild adds to name every function and class in so many words (`keepNames`: it renames a few),
 * where it is sure that the name is the one that they have anyway. To name a function that is made for each request takes
 * longer than to make it, and changes its shape, so that V8 gives up compiling what calls it, again and again
 * (test/faults/compiled-code.spec.ts).
 *
 * @param {string} text
 */
export function withoutRedundantNames(text) {
  const cuts = [];
  const visit = (node) => {
    if (ts.isCallExpression(node) && node.expression.getText() === '__name') cuts.push(...redundantParts(node));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('chunk.js', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS));
  // A call inside of another stands between the two cuts of that.
  cuts.sort(([one], [other]) => one - other);
  const ends = [0, ...cuts.map(([, to]) => to)];
  const starts = [...cuts.map(([from]) => from), text.length];
  const kept = ends.map((end, index) => text.slice(end, starts[index]));
  // Each line stays where the source map has it.
  const lines = cuts.map(([from, to]) => text.slice(from, to).replace(/[^\n]/g, ''));
  return kept.map((part, index) => part + (lines[index] ?? '')).join('');
}

/** Where to cut, from and to, around `__name(what, "name")`; nowhere, where it is not sure to be redundant. */
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

/** Where, beside assignments, a function without a name gets that of what it is the value of (ECMA-262, NamedEvaluation). */
const isNaming = (node) =>
  [
    ts.isVariableDeclaration,
    ts.isPropertyAssignment,
    ts.isPropertyDeclaration,
    ts.isBindingElement,
    ts.isParameter,
  ].some((is) => is(node));

/** The name that the language gives to what stands at `place`: its own, else that of what it is assigned to. */
function ownNameOf(target, place = target) {
  const { parent } = place;
  if (target.name !== undefined) return target.name.text;
  if (!(ts.isArrowFunction(target) || ts.isFunctionExpression(target) || ts.isClassExpression(target)))
    return undefined;
  // `{ __proto__: … }` is no member.
  if (isNaming(parent)) return parent.name.text === '__proto__' ? undefined : parent.name.text;
  const isAssignment = ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  return isAssignment && ts.isIdentifier(parent.left) ? parent.left.text : undefined;
}
