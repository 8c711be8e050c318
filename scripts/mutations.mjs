/**
 * Small changes of a TypeScript source that somebody in a hurry could make: another comparison, a condition that is
 * always true, a deleted statement, a number that is one higher.
 */
import ts from 'typescript';

const K = ts.SyntaxKind;

const OPERATORS = new Map([
  [K.LessThanToken, '<='],
  [K.LessThanEqualsToken, '<'],
  [K.GreaterThanToken, '>='],
  [K.GreaterThanEqualsToken, '>'],
  [K.EqualsEqualsEqualsToken, '!=='],
  [K.ExclamationEqualsEqualsToken, '==='],
  [K.AmpersandAmpersandToken, '||'],
  [K.BarBarToken, '&&'],
  [K.PlusToken, '-'],
  [K.MinusToken, '+'],
  [K.AsteriskToken, '/'],
  [K.SlashToken, '*'],
]);

/** The replacements for each kind of node. The text before a replacement is the node's own. */
const MUTATORS = [
  (node) => (ts.isBinaryExpression(node) ? binary(node) : []),
  (node) =>
    ts.isIfStatement(node) ? [node.expression, node.expression].map((at, n) => [at, n === 0 ? 'true' : 'false']) : [],
  (node) =>
    ts.isConditionalExpression(node)
      ? [
          [node.whenTrue, node.whenFalse.getText()],
          [node.whenFalse, node.whenTrue.getText()],
        ]
      : [],
  (node) =>
    ts.isPrefixUnaryExpression(node) && node.operator === K.ExclamationToken ? [[node, node.operand.getText()]] : [],
  (node) => (ts.isNumericLiteral(node) ? [[node, String(Number(node.text.replaceAll('_', '')) + 1)]] : []),
  (node) => (node.kind === K.TrueKeyword ? [[node, 'false']] : []),
  (node) => (node.kind === K.FalseKeyword ? [[node, 'true']] : []),
  (node) => (isRemovable(node) ? [[node, ';']] : []),
  (node) =>
    ts.isReturnStatement(node) && node.expression !== undefined ? [[node.expression, 'undefined as never']] : [],
  (node) => (isTellingText(node) ? [[node, "''"]] : []),
];

function binary(node) {
  const { operatorToken, left, right } = node;
  if (operatorToken.kind === K.QuestionQuestionToken)
    return [
      [node, left.getText()],
      [node, right.getText()],
    ];
  const other = OPERATORS.get(operatorToken.kind);
  const isText = [left, right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side));
  return other === undefined || (operatorToken.kind === K.PlusToken && isText) ? [] : [[operatorToken, other]];
}

/** A call or an assignment as a statement. `super(…)` must stay. */
function isRemovable(node) {
  if (!ts.isExpressionStatement(node)) return false;
  const expression = ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression;
  return !(ts.isCallExpression(expression) && expression.expression.kind === K.SuperKeyword);
}

/** Words that the program itself uses, not sentences for people, names of modules, or types. */
function isTellingText(node) {
  if (!ts.isStringLiteral(node) || node.text === '' || node.text.includes(' ')) return false;
  const { parent } = node;
  return !(ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isLiteralTypeNode(parent));
}

/** Nothing inside of these is changed: they have no effect at run time, or testing them is of no use. */
function isSkipped(node) {
  return ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node) || isThrown(node);
}

/** The message of an error is for people. */
function isThrown(node) {
  return ts.isNewExpression(node) && /Error$/.test(node.expression.getText()) && node.parent.kind === K.ThrowStatement;
}

/** @returns `{ start, end, to, line }` for each change of `text`, in order. */
export function mutationsOf(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    if (isSkipped(node)) return;
    for (const [at, to] of MUTATORS.flatMap((mutate) => mutate(node))) {
      const start = at.getStart();
      const { line } = source.getLineAndCharacterOfPosition(start);
      if (at.getText() !== to) found.push({ start, end: at.getEnd(), to, line: line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
