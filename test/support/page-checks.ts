import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Result, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { unanswered } from './browser.ts';
import { until } from './harness.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/**
 * Passed rules keep one node each: the whole page's would be described to nobody. Style sheets are not copied for the one rule
 * that reads them (css-orientation-lock), which is off by default.
 */
const OPTIONS: RunOptions = { resultTypes: ['violations'], preload: { assets: ['media'] } };

/** Every finding of axe, of any weight, each with its place. No page of ours has frames. */
export async function axeFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const run = `axe.run(document, ${JSON.stringify(OPTIONS)}).then(({ violations }) => violations)`;
  const violations: Result[] = await page.evaluate(run);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** A screen in light colours and a phone in dark ones: no style goes by both, so these are all widths and all colours. */
export const VIEWS = [
  [1280, 'light'],
  [390, 'dark'],
] as const satisfies Sight[];

/** The width of the window in pixels, and the colours that the person prefers. */
export type Sight = readonly [number, 'light' | 'dark'];

/**
 * The page as somebody with this window sees it, once nothing of it loads any more. It is not opened anew, and nobody
 * points at anything that may now lie elsewhere.
 */
export async function show(page: Page, [width, colorScheme]: Sight): Promise<void> {
  await page.mouse.move(0, 0);
  await page.setViewportSize({ width, height: 844 });
  await page.emulateMedia({ colorScheme });
  await settled(page);
}

/** Until every question of the page is answered, and what it shows at this size is drawn. */
export async function settled(page: Page): Promise<void> {
  do {
    await until(() => unanswered(page).length === 0, { what: `answers to ${unanswered(page).join(' ')}` });
    await page.evaluate(SETTLED);
  } while (unanswered(page).length > 0);
}

/** Runs in the page, so that looking again takes no way there and back. */
const SETTLED = `new Promise((done, fail) => {
  const latest = performance.now() + 15_000;
  const look = () => {
    if (!document.querySelector('[aria-label=Loading]')) done();
    else if (performance.now() > latest) fail(new Error('It loads for 15 s.'));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(() => requestAnimationFrame(look));
})`;

/**
 * Opens each page once and looks at it in every view. The next page is opened in the last of them, so that pages are
 * opened narrow and wide, dark and light.
 */
export async function lookAt<T extends string>(
  page: Page,
  paths: readonly T[],
  views: readonly Sight[],
  look: { open: (path: T) => Promise<void>; check: (path: T, view: Sight) => Promise<void> },
): Promise<void> {
  const inTurn = [...views];
  const [first] = views;
  if (first) await show(page, first);
  for (const path of paths) {
    await look.open(path);
    for (const view of inTurn) {
      await show(page, view);
      await look.check(path, view);
    }
    inTurn.reverse();
  }
}

/** Pixels by which a page is wider than its window. */
export async function sidewaysBy(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Once it is drawn: nothing that axe finds, and nothing wider than the screen. With SCREENSHOTS a picture is kept in that folder. */
export async function expectGood(page: Page, name: string): Promise<void> {
  await settled(page);
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png` });
  expect(await axeFindings(page), name).toEqual([]);
  expect(await sidewaysBy(page), name).toBe(0);
}

/** The same in every view; the page stays in the last one. */
export async function expectGoodInViews(page: Page, name: string): Promise<void> {
  for (const view of VIEWS) {
    await show(page, view);
    await expectGood(page, [name, ...view].join('-'));
  }
}
