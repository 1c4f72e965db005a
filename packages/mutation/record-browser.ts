import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eachMapping, TraceMap } from '@jridgewell/trace-mapping';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ROOT } from '../stack/files.ts';
import { rangesThatRan, type ScriptCoverage } from './coverage.ts';

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

/** The parts of the sources that ran, by the map of a built file: from each mapped place that ran to the next one. */
function scriptsOf({ url, source = '', functions }: Entry): ScriptCoverage[] {
  const [, file] = OWN_FILE.exec(url) ?? [];
  const built = join(DIST, file ?? '');
  // Code of the bundler itself has none.
  if (file === undefined || !existsSync(`${built}.map`)) return [];
  const ran = rangesThatRan(functions);
  const builtLines = startsOf(source);
  const bySource = new Map<string, { lines: number[]; places: Map<number, boolean> }>();
  let range = 0;
  eachMapping(new TraceMap(readFileSync(`${built}.map`, 'utf8')), (mapping) => {
    const path = mapping.source && resolve(built, '..', mapping.source);
    if (!path || relative(ROOT, path).startsWith('node_modules')) return;
    const at = (builtLines[mapping.generatedLine - 1] ?? 0) + mapping.generatedColumn;
    while ((ran[range]?.[1] ?? Number.POSITIVE_INFINITY) <= at) range += 1;
    const runs = (ran[range]?.[0] ?? Number.POSITIVE_INFINITY) <= at;
    const known = bySource.get(path) ?? {
      lines: startsOf(readFileSync(path, 'utf8')),
      places: new Map<number, boolean>(),
    };
    bySource.set(path, known);
    const place = (known.lines[mapping.originalLine - 1] ?? 0) + mapping.originalColumn;
    known.places.set(place, runs || known.places.get(place) === true);
  });
  return [...bySource].map(([path, { places }]) => ({
    url: pathToFileURL(path).href,
    functions: functionsOf([...places].toSorted(([a], [b]) => a - b)),
  }));
}

function functionsOf(places: readonly (readonly [number, boolean])[]): ScriptCoverage['functions'] {
  return places.flatMap(([from, runs], i) => {
    const range = { startOffset: from, endOffset: places[i + 1]?.[0] ?? from + 1, count: 1 };
    return runs ? [{ functionName: '', ranges: [range], isBlockCoverage: true }] : [];
  });
}

function startsOf(text: string): number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
}
