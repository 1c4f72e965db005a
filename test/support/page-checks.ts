import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Every finding of axe, of any weight, each with its place. */
export async function axeFindings(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
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
