import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { CHROMIUM } from '../../packages/stack/chromium.ts';
import { openBrowser } from './browser.ts';
import { type DashboardStack, startDashboard } from './dashboard-stack.ts';

/** The hooks of a suite with a dashboard and a browser, begun once. Without a Chromium its tests are skipped. */
export function withDashboard(
  prepare: (begun: { stack: DashboardStack; browser: Browser }) => void | Promise<void>,
): void {
  let stack: DashboardStack | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (CHROMIUM === null) return;
    [stack, browser] = await Promise.all([startDashboard(), openBrowser()]);
    await prepare({ stack, browser });
  }, 120_000);
  beforeEach(({ skip }) => {
    if (CHROMIUM === null) skip('there is no Chromium (apt-get install chromium-headless-shell)');
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });
}
