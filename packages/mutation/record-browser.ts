import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eachMapping, TraceMap } from '@jridgewell/trace-mapping';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ROOT } from '../stack/files.ts';
import { linesOf, rangesThatRan, type ScriptCoverage } from './coverage.ts';

type Entry = Awaited<ReturnType<Page['coverage']['stopJSCoverage']>>[number];

const DIST = join(ROOT, 'packages/dashboard/dist');
const OWN_FILE = /\/dashboard\/(assets\/.+\.js)$/;

/**
 * With the switch TEST_COVERAGE: the pages of a browser report the code of the dashboard that they run, where a child process
 * would, when their context is closed.
 */
export function recordPages(browser: Browser): Browser {
  if (!process.env.TEST_COVERAGE) return browser;
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => recordContext(await newContext(options));
  const close = browser.close.bind(browser);
  browser.close = async (options) => {
    for (const context of browser.contexts()) await context.close();
    await close(options);
  };
  return browser;
}

function recordContext(context: BrowserContext): BrowserContext {
  const recorded = new Set<Page>();
  const newPage = context.newPage.bind(context);
  context.newPage = async () => {
    const page = await newPage();
    await page.coverage.startJSCoverage({ resetOnNavigation: false });
    recorded.add(page);
    return page;
  };
  const close = context.close.bind(context);
  context.close = async (options) => {
    for (const page of recorded) if (!page.isClosed()) report(await page.coverage.stopJSCoverage());
    recorded.clear();
    await close(options);
  };
  return context;
}

let reports = 0;

function report(entries: readonly Entry[]): void {
  const folder = process.env.NODE_V8_COVERAGE;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  reports += 1;
  const path = join(folder, `page-${process.pid}-${reports}.json`);
  writeFileSync(path, JSON.stringify({ result: entries.flatMap(scriptsOf) }));
}

/** The sources of a built file of the dashboard, with the parts of them that ran. */
function scriptsOf({ url, source = '', functions }: Entry): ScriptCoverage[] {
  const [, file] = OWN_FILE.exec(url) ?? [];
  const built = join(DIST, file ?? '');
  // Code of the bundler itself has no map.
  if (file === undefined || !existsSync(`${built}.map`)) return [];
  const map = readFileSync(`${built}.map`, 'utf8');
  const pathOf = (name: string) => resolve(built, '..', name);
  const isOwn = (name: string) => !relative(ROOT, pathOf(name)).startsWith('node_modules');
  const ran = mapRanges({ text: source, ran: rangesThatRan(functions) }, map, (name) =>
    isOwn(name) ? readFileSync(pathOf(name), 'utf8') : null,
  );
  return [...ran].map(([name, ranges]) => ({
    url: pathToFileURL(pathOf(name)).href,
    functions: ranges.map(([startOffset, endOffset]) => ({
      functionName: '',
      ranges: [{ startOffset, endOffset, count: 1 }],
      isBlockCoverage: true,
    })),
  }));
}

/**
 * The parts of each source that ran, by the source map of a built file and the parts of that file that ran, in its order: from each
 * mapped place that ran to the next one. Leaves out a source that has no text. Pure.
 */
export function mapRanges(
  { text, ran }: { text: string; ran: readonly (readonly [number, number])[] },
  map: string,
  textOf: (source: string) => string | null,
): Map<string, [number, number][]> {
  const lines = linesOf(text);
  const sources = new Map<string, { lines: number[]; places: Map<number, boolean> } | null>();
  let next = 0;
  eachMapping(
    new TraceMap(map),
    ({ source, originalLine, originalColumn, generatedLine, generatedColumn }) => {
      if (source === null) return;
      if (!sources.has(source)) sources.set(source, ofText(textOf(source)));
      const known = sources.get(source);
      if (!known) return;
      const at = (lines[generatedLine - 1] ?? 0) + generatedColumn;
      while ((ran[next]?.[1] ?? Number.POSITIVE_INFINITY) <= at) next += 1;
      const runs = (ran[next]?.[0] ?? Number.POSITIVE_INFINITY) <= at;
      const place = (known.lines[originalLine - 1] ?? 0) + originalColumn;
      known.places.set(place, runs || known.places.get(place) === true);
    },
  );
  return new Map(
    [...sources].flatMap(([source, known]) => (known ? [[source, rangesOf(known.places)]] : [])),
  );
}

function ofText(text: string | null) {
  return text === null ? null : { lines: linesOf(text), places: new Map<number, boolean>() };
}

function rangesOf(places: ReadonlyMap<number, boolean>): [number, number][] {
  const inOrder = [...places].toSorted(([a], [b]) => a - b);
  return inOrder.flatMap(([from, runs], i): [number, number][] =>
    runs ? [[from, inOrder[i + 1]?.[0] ?? from + 1]] : [],
  );
}
