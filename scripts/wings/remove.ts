import { posix } from 'node:path';
import ts from 'typescript';

/** The source files of a tree, by their paths. */
export type Tree = ReadonlyMap<string, string>;

/** The tables that have a row for each wing, or for those that have something to add. */
export const TABLES: readonly string[] = [
  'shared/tables/wings.ts',
  'api/wings/index.ts',
  'workers/index.ts',
  'scripts/governor/wings.ts',
  'packages/governor/src/wings.ts',
  'packages/dashboard/wings/index.ts',
  'packages/dashboard/wings/sentences.ts',
  'packages/dashboard/wings/of-overview.ts',
  'packages/dashboard/wings/palette.ts',
  'packages/dashboard/wings/settings-tabs.ts',
  'packages/dashboard/wings/export-sections.ts',
  'packages/dashboard/wings/call-actions.ts',
  'packages/dashboard/wings/remedies.ts',
  'packages/dashboard/wings/sections.tsx',
  'packages/dashboard/wings/timeline-notes.ts',
  'packages/dashboard/wings/watches.ts',
];

/** Tests and tools of the workshop: what needs a wing here goes with it. */
const AROUND = /^(?:test|packages\/(?:bench|clients|mutation))\//;

/**
 * The tree without these wings: without their folders and files (`wings/<name>`), their rows, and the tests that need them. Pure.
 * The rest keeps its text, whether or not it compiles.
 */
export function removeWings(tree: Tree, names: readonly string[]): Tree {
  const own = new RegExp(`(?:^|/)wings/(?:${names.join('|')})(?:/|\\.tsx?$)`);
  const gone = new Set([...tree.keys()].filter((path) => own.test(path)));
  const left = new Map([...tree].filter(([path]) => !gone.has(path)));
  for (const path of TABLES) left.set(path, withoutRows(path, left.get(path) ?? '', gone));
  for (let isMore = true; isMore; ) {
    isMore = false;
    for (const [path, text] of left) {
      if (!AROUND.test(path) || !importsOf(path, text).some((named) => gone.has(named))) continue;
      gone.add(path);
      left.delete(path);
      isMore = true;
    }
  }
  return left;
}

const IMPORT = /(?:\bfrom|\bimport\(?)\s*['"](?<path>\.{1,2}\/[^'"]+)['"]/g;

/** The files that a file imports by a relative path. */
export function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].map(({ groups }) => resolved(path, groups?.path ?? ''));
}

function resolved(from: string, path: string): string {
  return posix.join(posix.dirname(from), path);
}

/** A table without the imports and exports of these files, and without the rows that name what they import. */
function withoutRows(path: string, text: string, gone: ReadonlySet<string>): string {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const names = new Set<string>();
  const cuts: { from: number; to: number; text: string }[] = [];
  for (const node of file.statements) {
    if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) continue;
    const { moduleSpecifier } = node;
    if (!moduleSpecifier || !ts.isStringLiteral(moduleSpecifier)) continue;
    if (!gone.has(resolved(path, moduleSpecifier.text))) continue;
    cuts.push({ from: node.getStart(), to: node.getEnd(), text: '' });
    const bindings = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : undefined;
    if (bindings && ts.isNamedImports(bindings))
      for (const { name } of bindings.elements) names.add(name.text);
  }
  const isNamed = (node: ts.Node): boolean =>
    (ts.isIdentifier(node) && names.has(node.text)) || (ts.forEachChild(node, isNamed) ?? false);
  const visit = (node: ts.Node): void => {
    if (ts.isArrayLiteralExpression(node) && node.elements.some(isNamed)) {
      const kept = node.elements.filter((element) => !isNamed(element)).map((element) => element.getText());
      cuts.push({ from: node.getStart(), to: node.getEnd(), text: `[${kept.join(', ')}]` });
    } else ts.forEachChild(node, visit);
  };
  visit(file);
  return cuts
    .toSorted((one, other) => other.from - one.from)
    .reduce((rest, cut) => rest.slice(0, cut.from) + cut.text + rest.slice(cut.to), text);
}
