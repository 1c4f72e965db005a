import ts from 'typescript';

/** A change of a text: `after` stands from `start` to `end` instead. */
export interface Edit {
  start: number;
  end: number;
  after: string;
}

type Operator = (node: ts.Node, source: ts.SourceFile) => Edit | null;

const BOUNDARIES: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const EQUALITIES: Readonly<Record<string, string>> = { '===': '!==', '!==': '===' };
const ARITHMETIC: Readonly<Record<string, string>> = { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*' };
const ASSIGNMENTS: Readonly<Record<string, string>> = {
  '+=': '-=',
  '-=': '+=',
  '*=': '/=',
  '??=': '=',
  '||=': '=',
};
const LOGIC: Readonly<Record<string, string>> = { '&&': '||', '||': '&&' };
/** Keys of questions and updates of MongoDB. */
const QUERY_KEYS: Readonly<Record<string, string>> = {
  $gt: '$gte',
  $gte: '$gt',
  $lt: '$lte',
  $lte: '$lt',
  $in: '$nin',
  $ne: '$eq',
  $max: '$min',
  $min: '$max',
  $addToSet: '$push',
  $setOnInsert: '$set',
};
const METHODS: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
};
/** Methods without which the receiver is a value of the same kind. */
const PASSING = new Set(
  'filter slice sort toSorted reverse toReversed limit skip trim toLowerCase toUpperCase'.split(' '),
);
/**
 * The kinds of fault, by name. Each makes at most one of a node of the syntax tree. Texts are never changed, and types and
 * imports are never reached.
 */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  'condition-true': (node, source) => (isCondition(node) ? replace(node, source, 'true') : null),
  'condition-false': (node, source) => (isCondition(node) ? replace(node, source, 'false') : null),
  boundary: (node, source) => swapToken(node, source, BOUNDARIES),
  equality: (node, source) => swapToken(node, source, EQUALITIES),
  'and-or': (node, source) => swapToken(node, source, LOGIC),
  arithmetic: (node, source) => (isOfText(node) ? null : swapToken(node, source, ARITHMETIC)),
  assignment: (node, source) => swapToken(node, source, ASSIGNMENTS),
  'drop-left': (node, source) => operand(node, source, ['&&', '||'], 'right'),
  'drop-right': (node, source) =>
    isOfText(node) ? null : operand(node, source, ['&&', '||', '??', '+', '-'], 'left'),
  'swap-operands': (node, source) => {
    if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.MinusToken) return null;
    return replace(node, source, `${node.right.getText(source)} - ${node.left.getText(source)}`);
  },
  'drop-not': (node, source) => (isNot(node) ? replace(node, source, node.operand.getText(source)) : null),
  constant: (node, source) => {
    const after = otherConstant(node, source);
    return after === null ? null : replace(node, source, after);
  },
  'query-key': (node, source) => {
    const key = ts.isPropertyAssignment(node) ? node.name : null;
    const after = key && QUERY_KEYS[key.getText(source)];
    return after ? replace(key, source, after) : null;
  },
  'drop-statement': (node, source) =>
    isAct(node) || ts.isForOfStatement(node) ? replace(node, source, ';') : null,
  'drop-await': (node, source) => {
    if (!isAct(node) || !ts.isAwaitExpression(node.expression)) return null;
    return replace(node.expression, source, `void ${node.expression.expression.getText(source)}`);
  },
  'swap-arguments': (node, source) => {
    if (!ts.isCallExpression(node) || isBound(node, source)) return null;
    const at = node.arguments.findIndex((left, i) => isSwappable(left, node.arguments[i + 1], source));
    const [left, right] = [node.arguments[at], node.arguments[at + 1]];
    if (!left || !right) return null;
    const after = `${right.getText(source)}, ${left.getText(source)}`;
    return { start: left.getStart(source), end: right.end, after };
  },
  'drop-field': (node, source) =>
    ts.isObjectLiteralElement(node) && isHandedOn(node) ? dropFromList(node, source) : null,
  'drop-element': (node, source) => {
    const list = node.parent;
    if (!ts.isArrayLiteralExpression(list) || list.elements.length < 2 || !isInFunction(node)) return null;
    return dropFromList(node, source);
  },
  return: (node, source) => {
    const returned = returnedBy(node);
    const after = returned && otherValue(returned, source);
    return after && after !== returned.getText(source) ? replace(returned, source, after) : null;
  },
  method: (node, source) => {
    const name = methodOf(node);
    const after = name && METHODS[name.text];
    return after ? replace(name, source, after) : null;
  },
  'drop-method': (node, source) => {
    const name = methodOf(node);
    const receiver = name && ts.isPropertyAccessExpression(name.parent) ? name.parent.expression : null;
    const isOfChain = receiver && ts.isCallExpression(receiver) && ts.isPropertyAccessExpression(node.parent);
    return receiver && (PASSING.has(name?.text ?? '') || isOfChain)
      ? replace(node, source, receiver.getText(source))
      : null;
  },
  'drop-bound': (node, source) => {
    if (!ts.isCallExpression(node) || !isBound(node, source)) return null;
    const [bound, value] = node.arguments;
    return bound && value ? replace(node, source, (isPlain(bound) ? bound : value).getText(source)) : null;
  },
  jump: (node, source) => (ts.isContinueStatement(node) ? replace(node, source, 'break;') : null),
};

/** An edit, and the operator that makes it. */
export interface NamedEdit extends Edit {
  operator: string;
}

/** Every fault that an operator makes in a file, in the order of the text. Pure. */
export function editsOf(path: string, text: string): NamedEdit[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const edits: NamedEdit[] = [];
  const visit = (node: ts.Node): void => {
    if (isWithoutEffect(node, source)) return;
    for (const [operator, edit] of Object.entries(OPERATORS)) {
      const made = edit(node, source);
      if (made && text.slice(made.start, made.end) !== made.after) edits.push({ operator, ...made });
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return edits.toSorted((a, b) => a.start - b.start);
}

/** The text with the edit in it. */
export function applyEdit(text: string, { start, end, after }: Edit): string {
  return text.slice(0, start) + after + text.slice(end);
}

/** Returns whether a text can be read as a program. Its types may be wrong. */
export function isProgram(path: string, text: string): boolean {
  const { diagnostics = [] } = ts.transpileModule(text, {
    fileName: path,
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.Latest, jsx: ts.JsxEmit.Preserve },
  });
  return diagnostics.length === 0;
}

/** Keys whose values only people read. */
const OF_DOCUMENTS = new Set(['summary', 'description', 'help', 'example', 'examples']);

/** Types, imports, and what only a person reads: log lines, texts of errors and of the API's documents, sizes on a page. */
function isWithoutEffect(node: ts.Node, source: ts.SourceFile): boolean {
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true;
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  if (ts.isJsxAttribute(node)) return !node.initializer || isLayout(node.initializer);
  if (ts.isPropertyAssignment(node)) return OF_DOCUMENTS.has(node.name.getText(source));
  const { parent } = node;
  if (parent && ts.isNewExpression(parent) && parent.expression.getText(source).endsWith('Error'))
    return (parent.arguments ?? []).slice(0, 2).some((argument) => argument === node);
  const call = ts.isExpressionStatement(node) ? node.expression : node;
  if (!ts.isCallExpression(call)) return false;
  const called = call.expression.getText(source);
  return /(^|\.)(log|console)\.\w+$/.test(called) || /\.(describe|meta)$/.test(called);
}

/** A number, a boolean or an object of them: `gap={4}`. */
function isLayout(value: ts.JsxAttributeValue): boolean {
  const inner = ts.isJsxExpression(value) ? value.expression : value;
  return !inner || ts.isLiteralExpression(inner) || ts.isObjectLiteralExpression(inner) || isBoolean(inner);
}

function replace(node: ts.Node, source: ts.SourceFile, after: string): Edit {
  return { start: node.getStart(source), end: node.end, after };
}

/** The condition of an `if` or of a choice, and any comparison. Conditions of loops are left out: most would never end. */
function isCondition(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isIfStatement(parent)) return parent.expression === node;
  if (ts.isConditionalExpression(parent) && parent.condition === node) return true;
  if (ts.isIterationStatement(parent, false) || !ts.isBinaryExpression(node)) return false;
  const text = ts.tokenToString(node.operatorToken.kind) ?? '';
  return text in BOUNDARIES || text in EQUALITIES;
}

function swapToken(
  node: ts.Node,
  source: ts.SourceFile,
  others: Readonly<Record<string, string>>,
): Edit | null {
  if (!ts.isBinaryExpression(node)) return null;
  const after = others[node.operatorToken.getText(source)];
  return after ? replace(node.operatorToken, source, after) : null;
}

function operand(
  node: ts.Node,
  source: ts.SourceFile,
  tokens: readonly string[],
  side: 'left' | 'right',
): Edit | null {
  if (!ts.isBinaryExpression(node) || !tokens.includes(node.operatorToken.getText(source))) return null;
  return replace(node, source, node[side].getText(source));
}

/** Returns whether a sum is one of texts. */
function isOfText(node: ts.Node): boolean {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return true;
  return ts.isBinaryExpression(node) && (isOfText(node.left) || isOfText(node.right));
}

function isNot(node: ts.Node): node is ts.PrefixUnaryExpression {
  return ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken;
}

function isBoolean(node: ts.Node): boolean {
  return node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword;
}

/** Another order of a list, none instead of one, the next of a small number, the double of a large one. */
function otherConstant(node: ts.Node, source: ts.SourceFile): string | null {
  if (isBoolean(node)) return node.kind === ts.SyntaxKind.TrueKeyword ? 'false' : 'true';
  if (!ts.isNumericLiteral(node) || (ts.isPropertyAssignment(node.parent) && node.parent.name === node))
    return null;
  if (ts.isPrefixUnaryExpression(node.parent)) return null;
  if (isOrder(node, source)) return '-1';
  const value = Number(node.text);
  if (value === 1) return '0';
  return value <= 10 ? String(value + 1) : `${node.getText(source)} * 2`;
}

/** The 1 of `.sort({ at: 1 })`. */
function isOrder({ parent }: ts.Node, source: ts.SourceFile): boolean {
  const call = parent.parent?.parent;
  return call !== undefined && ts.isCallExpression(call) && call.expression.getText(source).endsWith('.sort');
}

/** A call, an assignment, or another statement that is there for what it does. */
function isAct(node: ts.Node): node is ts.ExpressionStatement {
  return ts.isExpressionStatement(node) && !/^(super\(|this\.name = )/.test(node.expression.getText());
}

/** Returns whether a call gives the least or the most of its arguments, in whatever order they are. */
function isBound(call: ts.CallExpression, source: ts.SourceFile): boolean {
  return /^Math\.(min|max)$/.test(call.expression.getText(source));
}

function isSwappable(left: ts.Node, right: ts.Node | undefined, source: ts.SourceFile): boolean {
  return (
    right !== undefined && isPlain(left) && isPlain(right) && left.getText(source) !== right.getText(source)
  );
}

/** A name, or a field of one. The context is none: a swapped one would end every test at once. */
function isPlain(node: ts.Node): boolean {
  return (ts.isIdentifier(node) && node.text !== 'ctx') || ts.isPropertyAccessExpression(node);
}

/**
 * Returns whether an object is made for a call or under a name, as questions and updates of a store are. An answer without a field
 * would be seen by the types and by the contract of the API.
 */
function isHandedOn(field: ts.Node): boolean {
  const holder = ts.findAncestor(field.parent, (node) => !isPartOfObject(node));
  return (
    isInFunction(field) &&
    holder !== undefined &&
    (ts.isCallExpression(holder) || ts.isVariableDeclaration(holder))
  );
}

function isPartOfObject(node: ts.Node): boolean {
  return (
    ts.isObjectLiteralExpression(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isArrayLiteralExpression(node) ||
    ts.isSpreadAssignment(node) ||
    ts.isConditionalExpression(node) ||
    ts.isParenthesizedExpression(node)
  );
}

function isInFunction(node: ts.Node): boolean {
  return ts.findAncestor(node, ts.isFunctionLike) !== undefined;
}

/** Takes an element of a list out, with its comma. */
function dropFromList(node: ts.Node, source: ts.SourceFile): Edit {
  const text = source.text;
  const comma = /^\s*,/.exec(text.slice(node.end))?.[0].length ?? 0;
  return { start: node.getStart(source), end: node.end + comma, after: '' };
}

/** The expression that a function returns there. */
function returnedBy(node: ts.Node): ts.Expression | null {
  if (ts.isReturnStatement(node)) return node.expression ?? null;
  return ts.isArrowFunction(node) && !ts.isBlock(node.body) ? node.body : null;
}

/** Another value of the type that the function says it returns; null where it does not say, or of another type. */
function otherValue(returned: ts.Expression, source: ts.SourceFile): string | null {
  const type = ts
    .findAncestor(returned, ts.isFunctionLike)
    ?.type?.getText(source)
    .replace(/^Promise<(.*)>$/s, '$1');
  const text = returned.getText(source);
  if (type === undefined) return null;
  if (type === 'boolean' || type.includes(' is ')) return `!(${text})`;
  if (type === 'number') return `(${text}) + 1`;
  if (type.endsWith('[]') && !type.includes('|')) return '[]';
  if (type.endsWith('| null') && text !== 'null') return 'null';
  return type.endsWith('| undefined') && text !== 'undefined' ? 'undefined' : null;
}

/** The name of the method that a call calls. */
function methodOf(node: ts.Node): ts.Identifier | null {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return null;
  return ts.isIdentifier(node.expression.name) ? node.expression.name : null;
}
