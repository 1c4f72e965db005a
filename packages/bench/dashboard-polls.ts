import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { cpuSeconds, type Row, round } from './bench.ts';

/** The requests that one tab makes in this time are repeated for many tabs. */
const WATCHED_S = 60;
const IDLE_S = 20;
/** For the answers of a second of the page's clock. */
const ANSWERS_MS = 60;

interface Poll {
  url: string;
  afterMs: number;
}

/**
 * Watches what one open Overview asks for in a minute, of which the page's clock makes seconds. Then asks it for many tabs
 * at once, each with a start of its own, and compares the CPU of the processes with that of a silence. Per cent of one core.
 */
export async function measurePolls(
  page: Page,
  { api, pids }: { api: string; pids: Readonly<Record<string, number>> },
  tabs: number,
): Promise<Row> {
  const polls = await watchPolls(page, api);
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  await page.goto('about:blank');
  const idle = await cpuOf(pids, () => sleep(IDLE_S * 1_000));
  let asked = 0;
  let refused = 0;
  const ask = async ({ url, afterMs }: Poll, shiftMs: number) => {
    await sleep((afterMs + shiftMs) % (WATCHED_S * 1_000));
    const response = await fetch(url, { headers: { Cookie: cookie } });
    await response.arrayBuffer();
    asked += 1;
    if (!response.ok) refused += 1;
  };
  const busy = await cpuOf(pids, () =>
    Promise.all(
      Array.from({ length: tabs }, (_, tab) =>
        polls.map((poll) => ask(poll, (tab * WATCHED_S * 1_000) / tabs)),
      ).flat(),
    ),
  );
  const share = (name: string) =>
    round(((busy[name] ?? 0) / WATCHED_S - (idle[name] ?? 0) / IDLE_S) * 100, 1);
  const shares = Object.fromEntries(Object.keys(pids).map((name) => [`${name} %`, share(name)]));
  const all = round(
    Object.keys(pids).reduce((sum, name) => sum + share(name), 0),
    1,
  );
  return { tabs, 'requests/s': round(asked / WATCHED_S, 1), refused, ...shares, 'all %': all };
}

/** The requests of an open page within a minute, without those of its opening. */
async function watchPolls(page: Page, api: string): Promise<Poll[]> {
  await page.clock.install();
  await page.goto(`${api}/dashboard/`);
  await page.locator('.chart-bar').first().waitFor();
  await page.waitForLoadState('networkidle');
  const polls: Poll[] = [];
  let second = 0;
  page.on('request', (request) => polls.push({ url: request.url(), afterMs: second * 1_000 }));
  for (; second < WATCHED_S; second += 1) {
    await page.clock.runFor(1_000);
    await sleep(ANSWERS_MS);
  }
  page.removeAllListeners('request');
  return polls;
}

async function cpuOf(pids: Readonly<Record<string, number>>, work: () => Promise<unknown>) {
  const before = Object.entries(pids).map(([name, pid]) => [name, cpuSeconds([pid])] as const);
  await work();
  return Object.fromEntries(before.map(([name, seconds]) => [name, cpuSeconds([pids[name] ?? 0]) - seconds]));
}
