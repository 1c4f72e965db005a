import { chromium } from 'playwright-core';
import { z } from 'zod';
import { CHROMIUM, CHROMIUM_FLAGS } from '../stack/chromium.ts';
import { readJson } from '../stack/files.ts';

const SAMPLES = 5;

/** Runs in the page. */
const OBSERVE = `window.observed = { lcpMs: 0, blockedMs: 0 };
new PerformanceObserver((list) => { window.observed.lcpMs = list.getEntries().at(-1).startTime; })
  .observe({ type: 'largest-contentful-paint', buffered: true });
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.observed.blockedMs += duration - 50;
}).observe({ type: 'longtask', buffered: true });`;

/**
 * What a first visit to Overview costs, on a `scripts/up` that runs: DATA (default .data). Signs in as the first demo
 * person, then loads Overview with an empty cache, again and again, and prints the median of each measure.
 */
const [dataDir = '.data'] = process.argv.slice(2);
const { api } = z.object({ api: z.string() }).parse(readJson(`${dataDir}/up.json`));
if (CHROMIUM === null) throw new Error('No Chromium was found.');
const browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, args: CHROMIUM_FLAGS });
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
await page.addInitScript({ content: OBSERVE });
await page.goto(`${api}/dashboard/login`);
await page.getByRole('button').first().click();
await page.waitForURL(`${api}/dashboard/**`);
const samples: Sample[] = [];
for (let sample = 0; sample < SAMPLES; sample += 1) samples.push(await measure());
await browser.close();
console.log(JSON.stringify(medians(samples)));

interface Sample {
  /** Until the figures are there and no task blocks for longer than 50 ms, ms. */
  interactiveMs: number;
  /** Largest contentful paint, ms. */
  lcpMs: number;
  /** Total blocking time: what tasks took beyond 50 ms each. */
  blockedMs: number;
  /** Over the wire. */
  bytes: number;
}

async function measure(): Promise<Sample> {
  const client = await context.newCDPSession(page);
  await client.send('Network.enable');
  await client.send('Network.clearBrowserCache');
  let bytes = 0;
  client.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  const startedMs = performance.now();
  await page.goto(`${api}/dashboard/`);
  await page.locator('.recharts-bar').first().waitFor();
  const interactiveMs = performance.now() - startedMs;
  await page.waitForTimeout(500);
  const seen = z
    .object({ lcpMs: z.number(), blockedMs: z.number() })
    .parse(await page.evaluate('window.observed'));
  await client.detach();
  return { interactiveMs, ...seen, bytes };
}

function medians(all: readonly Sample[]): Record<string, number> {
  const names = ['interactiveMs', 'lcpMs', 'blockedMs', 'bytes'] as const;
  const median = (name: keyof Sample) => {
    const sorted = all.map((sample) => sample[name]).toSorted((a, b) => a - b);
    return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
  };
  return Object.fromEntries(names.map((name) => [name, median(name)]));
}
