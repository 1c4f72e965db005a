import type { Page } from 'playwright-core';
import { z } from 'zod';

/** Runs in the page, before anything of ours. */
const OBSERVE = `window.observed = { lcpMs: 0, blockedMs: 0 };
new PerformanceObserver((list) => { window.observed.lcpMs = list.getEntries().at(-1).startTime; })
  .observe({ type: 'largest-contentful-paint', buffered: true });
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.observed.blockedMs += duration - 50;
}).observe({ type: 'longtask', buffered: true });`;

interface Visit {
  /** Until tiles, chart and lists have their figures, ms. */
  figuresMs: number;
  /** Largest contentful paint, ms. */
  lcpMs: number;
  /** Total blocking time: what tasks took beyond 50 ms each. */
  blockedMs: number;
  /** Over the wire, answers too. */
  bytes: number;
  requests: number;
}

/** Loads Overview with an empty cache, again and again. The median of each measure, and the slowest visit. */
export async function measureVisits(page: Page, api: string, count: number) {
  await page.addInitScript({ content: OBSERVE });
  const visits: Visit[] = [];
  for (let visit = 0; visit <= count; visit += 1) visits.push(await measureVisit(page, api));
  // The first visit finds the api cold too.
  const [, ...warm] = visits;
  const sorted = (name: keyof Visit) => warm.map((visit) => visit[name]).toSorted((a, b) => a - b);
  const median = (name: keyof Visit) => Math.round(sorted(name)[Math.floor(warm.length / 2)] ?? 0);
  return {
    'figures ms': median('figuresMs'),
    'slowest ms': Math.round(sorted('figuresMs').at(-1) ?? 0),
    'LCP ms': median('lcpMs'),
    'TBT ms': median('blockedMs'),
    kB: Math.round(median('bytes') / 1_000),
    requests: median('requests'),
  };
}

async function measureVisit(page: Page, api: string): Promise<Visit> {
  await page.goto('about:blank');
  const client = await page.context().newCDPSession(page);
  await client.send('Network.enable');
  await client.send('Network.clearBrowserCache');
  const seen = { bytes: 0, requests: 0 };
  client.on('Network.loadingFinished', ({ encodedDataLength }) => {
    seen.bytes += encodedDataLength;
    seen.requests += 1;
  });
  const startedMs = performance.now();
  await page.goto(`${api}/dashboard/`, { waitUntil: 'commit' });
  await page.locator('.chart-bar').first().waitFor();
  await page.locator('[aria-label=Loading]').first().waitFor({ state: 'hidden' });
  const figuresMs = performance.now() - startedMs;
  await page.waitForTimeout(1_000);
  const observed = z
    .object({ lcpMs: z.number(), blockedMs: z.number() })
    .parse(await page.evaluate('window.observed'));
  await client.detach();
  return { figuresMs, ...observed, ...seen };
}
