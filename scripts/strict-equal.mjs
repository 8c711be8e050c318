/**
 * A rule for ESLint. Jest's `toEqual` ignores undefined: `[undefined]` equals `[]`, and `{ a: undefined }` equals `{}`.
 * An assertion on such values may therefore assert nothing. `toStrictEqual` tells them apart.
 */
import ts from 'typescript';

/** How many levels of nested types are checked: rows of rows, lists of pairs. */
const DEPTH = 4;

export const strictEqual = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { loose: 'toEqual ignores undefined, and a value here may be undefined: use toStrictEqual.' },
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    const checker = services.program.getTypeChecker();
    const holdsUndefined = (node) => isLoose(checker, services.getTypeAtLocation(node), DEPTH);
    return {
      'CallExpression[callee.property.name="toEqual"]'({ callee, arguments: [expected] }) {
        const actual = actualOf(callee.object);
        if ([actual, expected].some((node) => node !== undefined && holdsUndefined(node))) {
          context.report({ node: callee.property, messageId: 'loose' });
        }
      },
    };
  },
};

/** The argument of `expect`, before `.not`, `.resolves` and `.rejects`. */
function actualOf(node) {
  if (node.type === 'MemberExpression') return actualOf(node.object);
  return node.type === 'CallExpression' && node.callee.name === 'expect' ? node.arguments[0] : undefined;
}

/** Whether a value of this type may contain a list with an undefined element. */
function isLoose(checker, type, depth) {
  if (depth === 0) return false;
  if (type.isUnionOrIntersection()) return type.types.some((part) => isLoose(checker, part, depth));
  const awaited = checker.getAwaitedType(type) ?? type;
  if (awaited !== type) return isLoose(checker, awaited, depth);
  if (!checker.isArrayLikeType(type)) return false;
  return checker
    .getTypeArguments(type)
    .some((element) => mayBeUndefined(element) || isLoose(checker, element, depth - 1));
}

function mayBeUndefined(type) {
  return type.isUnion()
    ? type.types.some(mayBeUndefined)
    : (type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Unknown)) !== 0;
}
