import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Result, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Passed rules keep one node each: the whole page's would be described to nobody. */
const OPTIONS: RunOptions = { resultTypes: ['violations'] };

/** Every finding of axe, of any weight, each with its place. No page of ours has frames. */
export async function axeFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const run = `axe.run(document, ${JSON.stringify(OPTIONS)}).then(({ violations }) => violations)`;
  const violations: Result[] = await page.evaluate(run);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Pixels by which a page is wider than its window. */
export async function sidewaysBy(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Nothing that axe finds, and nothing wider than the screen. With SCREENSHOTS a picture is kept in that folder. */
export async function expectGood(page: Page, name: string): Promise<void> {
  expect([name, await axeFindings(page)]).toEqual([name, []]);
  expect(await sidewaysBy(page)).toBeLessThanOrEqual(0);
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png` });
}
