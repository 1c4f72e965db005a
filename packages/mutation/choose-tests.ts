import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../stack/files.ts';
import { type CoverageRecord, hasRun, sizeOf } from './coverage.ts';
import { type ChanceFault, productFiles } from './draw.ts';

/** Test files that are run for one fault: those that ran the least code in the least time, */
const MOST_SPECIFIC = 8;
/** besides them those that ran the most of its folder, as what everything runs has its own tests among a hundred, */
const MOST_THOROUGH = 5;
/** and laws. */
const MOST_LAWS = 3;
/** How many declarations a value of a module may pass through on its way to a function. */
const MOST_STEPS = 4;
/** A test file without a record, in seconds. */
const ASSUMED_S = 20;

/** It names files of the product as examples. */
const OWN_TEST = 'test/scripts/mutation.test.ts';
const DASHBOARD = 'packages/dashboard/';
/** Walks what every noun declares, and runs none of it. */
const OF_DECLARATIONS = 'test/shared/tables/declared.test.ts';
/** Opens pages of the dashboard, all of which are one program. */
const BROWSER = 'test/support/browser.ts';

/** A test file that may notice a fault, and how long it takes. */
export interface ChosenTest {
  path: string;
  seconds: number;
}

type Records = ReadonlyMap<string, CoverageRecord>;

/** Chooses test files by what they ran when they were last recorded, those without a record by what they import. */
export function createChooser(records: Records): (fault: ChanceFault) => ChosenTest[] {
  const sizes = new Map([...records].map(([path, record]) => [path, sizeOf(record, '')]));
  const tests = globSync('test/**/*.test.ts', { cwd: ROOT, exclude: [OWN_TEST] });
  const recorded = new Map([...records].filter(([path]) => existsSync(join(ROOT, path))));
  return (fault) => {
    const ran = testsThatRan(recorded, fault);
    const cost = ({ path, seconds }: ChosenTest) => (sizes.get(path) ?? 0) * Math.max(seconds, 1);
    const specific = ran.toSorted((a, b) => cost(a) - cost(b));
    const unrecorded = tests.filter((path) => !records.has(path));
    const all = [...specific, ...testsThatImport(unrecorded, fault)];
    const chosen = all.slice(0, MOST_SPECIFIC);
    const others = all.slice(MOST_SPECIFIC);
    const folder = dirname(fault.file);
    const inFolder = ({ path }: ChosenTest) => sizeOf(records.get(path) ?? NOTHING, folder);
    const thorough = others.toSorted((a, b) => inFolder(b) - inFolder(a)).slice(0, MOST_THOROUGH);
    const laws = others.filter(({ path }) => path.startsWith('test/laws/')).slice(0, MOST_LAWS);
    const declared = isDeclared(fault) ? [{ path: OF_DECLARATIONS, seconds: ASSUMED_S }] : [];
    const byPath = [...declared, ...chosen, ...thorough, ...laws].map((test) => [test.path, test] as const);
    return [...new Map(byPath).values()];
  };
}

const NOTHING: CoverageRecord = { seconds: 0, files: {} };

function testsThatRan(records: Records, { file, start }: ChanceFault): ChosenTest[] {
  const places = placesOf(file, start);
  return [...records]
    .filter(([, record]) => places.some((place) => hasRun(record, ...place)))
    .map(([path, { seconds }]) => ({ path, seconds }));
}

/** The nearest first, then those that have the words of the name of the file. */
function testsThatImport(tests: readonly string[], { file }: ChanceFault): ChosenTest[] {
  return tests
    .map((path) => ({ path, reached: reachedFrom(path) }))
    .filter(({ reached }) => reached.has(file))
    .map(({ path, reached }) => ({ path, steps: reached.get(file) ?? 0, mentions: mentions(path, file) }))
    .toSorted((a, b) => a.steps - b.steps || b.mentions - a.mentions)
    .map(({ path }) => ({ path, seconds: ASSUMED_S }));
}

/** How often a test file has the words of which the name of a file is made. */
function mentions(test: string, file: string): number {
  const text = readFileSync(join(ROOT, test), 'utf8').toLowerCase();
  const words = (file.split('/').at(-1) ?? '').split(/[-.]/).filter((word) => word.length > 3);
  return words.reduce((sum, word) => sum + text.split(word).length - 1, 0);
}

const sources = new Map<string, ts.SourceFile>();

function sourceOf(file: string): ts.SourceFile {
  const source =
    sources.get(file) ??
    ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true);
  sources.set(file, source);
  return source;
}

type Place = readonly [file: string, at: number];

/**
 * Where a record shows that the code ran. Code of a module, outside of any function, runs as its file is loaded, which is no
 * test of it: there it is the functions in its statement, and those that name what it declares.
 */
function placesOf(file: string, at: number, steps = 0): Place[] {
  const source = sourceOf(file);
  const statement = source.statements.find((one) => one.pos <= at && at < one.end);
  if (!statement || isInFunction(statement, at)) return [[file, at]];
  const inside: Place[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body)
      inside.push([file, node.body.getStart(source)]);
    ts.forEachChild(node, visit);
  };
  visit(statement);
  if (steps === MOST_STEPS) return inside;
  return [...inside, ...namesOf(statement).flatMap((name) => usesOf(file, name, steps + 1))];
}

function isDeclared({ file, start }: ChanceFault): boolean {
  const statement = sourceOf(file).statements.find((one) => one.pos <= start && start < one.end);
  return file.startsWith('shared/') && statement !== undefined && !isInFunction(statement, start);
}

function isInFunction(statement: ts.Node, at: number): boolean {
  let node: ts.Node | undefined = statement;
  while (node) {
    if (ts.isFunctionLike(node) && 'body' in node && node.body && node.body.pos <= at && at < node.body.end)
      return true;
    node = ts.forEachChild(node, (child) => (child.pos <= at && at < child.end ? child : undefined));
  }
  return false;
}

function namesOf(statement: ts.Statement): string[] {
  if (!ts.isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.flatMap(({ name }) =>
    ts.isIdentifier(name) ? [name.text] : [],
  );
}

/** Every place that names a value of a module, in its file and in those that import it. */
function usesOf(file: string, name: string, steps: number): Place[] {
  const users = productFiles().filter((other) => other === file || importsOf(other).has(file));
  return users.flatMap((user) => {
    const source = sourceOf(user);
    const found = [...source.text.matchAll(new RegExp(`(?<![\\w$.])${name}(?![\\w$])`, 'g'))].map(
      ({ index }) => index,
    );
    return found.flatMap((at) => {
      const statement = source.statements.find((one) => one.pos <= at && at < one.end);
      if (!statement || ts.isImportDeclaration(statement)) return [];
      // Its own declaration.
      if (user === file && namesOf(statement).includes(name)) return [];
      return placesOf(user, at, steps);
    });
  });
}

const imports = new Map<string, ReadonlySet<string>>();

/** The files that a file imports or starts: every text in it that names a file, from its folder or from the root. */
function importsOf(file: string): ReadonlySet<string> {
  const known = imports.get(file);
  if (known) return known;
  const texts = [...readFileSync(join(ROOT, file), 'utf8').matchAll(/'([^'\n]+\.(?:ts|tsx|js))'/g)];
  const named = texts.flatMap(([, path = '']) => [
    path.startsWith('.') ? relative(ROOT, join(ROOT, dirname(file), path)) : path,
  ]);
  // The list of planted faults names what it harms.
  const isReal = (path: string) => !path.startsWith('packages/mutation/') && existsSync(join(ROOT, path));
  const opened = file === BROWSER ? [`${DASHBOARD}main.tsx`] : [];
  const found = new Set([...named, ...opened].filter(isReal));
  imports.set(file, found);
  return found;
}

const reached = new Map<string, ReadonlyMap<string, number>>();

/** Every file that a file reaches by imports, and by how many. */
function reachedFrom(file: string): ReadonlyMap<string, number> {
  const known = reached.get(file);
  if (known) return known;
  const steps = new Map([[file, 0]]);
  // The map grows as it is walked, nearest first.
  for (const [path, far] of steps)
    for (const next of importsOf(path)) if (!steps.has(next)) steps.set(next, far + 1);
  reached.set(file, steps);
  return steps;
}
