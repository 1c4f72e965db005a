import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { cpuSeconds, round } from './bench.ts';

interface Poll {
  url: string;
  afterMs: number;
}

/**
 * Watches what one open Overview asks for, then asks it for many tabs at once, each with a start of its own, and compares the
 * CPU of the processes with that of as long a silence. Per cent of one core.
 */
export async function measurePolls(
  page: Page,
  pids: Readonly<Record<string, number>>,
  { tabs, seconds }: { tabs: number; seconds: number },
): Promise<Record<string, unknown>> {
  const polls = await watchPolls(page, seconds);
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  await page.goto('about:blank');
  const idle = await cpuOf(pids, () => sleep(seconds * 1_000));
  let asked = 0;
  let refused = 0;
  const ask = async ({ url, afterMs }: Poll, shiftMs: number) => {
    await sleep((afterMs + shiftMs) % (seconds * 1_000));
    const response = await fetch(url, { headers: { Cookie: cookie } });
    await response.arrayBuffer();
    asked += 1;
    if (!response.ok) refused += 1;
  };
  const busy = await cpuOf(pids, () =>
    Promise.all(
      Array.from({ length: tabs }, (_, tab) =>
        polls.map((poll) => ask(poll, (tab * seconds * 1_000) / tabs)),
      ).flat(),
    ),
  );
  const share = (name: string) => round((((busy[name] ?? 0) - (idle[name] ?? 0)) / seconds) * 100, 1);
  const shares = Object.fromEntries(Object.keys(pids).map((name) => [`${name} %`, share(name)]));
  const all = round(
    Object.keys(pids).reduce((sum, name) => sum + share(name), 0),
    1,
  );
  return { tabs, 'requests/s': round(asked / seconds, 1), refused, ...shares, 'all %': all };
}

/** The requests of an open page within a time, without those of its opening. */
async function watchPolls(page: Page, seconds: number): Promise<Poll[]> {
  await page.waitForLoadState('networkidle');
  const startedMs = performance.now();
  const polls: Poll[] = [];
  page.on('request', (request) => polls.push({ url: request.url(), afterMs: performance.now() - startedMs }));
  await sleep(seconds * 1_000);
  page.removeAllListeners('request');
  return polls;
}

async function cpuOf(pids: Readonly<Record<string, number>>, work: () => Promise<unknown>) {
  const before = Object.entries(pids).map(([name, pid]) => [name, cpuSeconds([pid])] as const);
  await work();
  return Object.fromEntries(before.map(([name, seconds]) => [name, cpuSeconds([pids[name] ?? 0]) - seconds]));
}
