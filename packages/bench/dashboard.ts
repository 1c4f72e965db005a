import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { z } from 'zod';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import { addMember } from '../../shared/people/members.ts';
import { readConfig } from '../../shared/platform/basics/config.ts';
import { openContext } from '../../shared/platform/context/context.ts';
import { WINGS } from '../../shared/tables/wings.ts';
import { CHROMIUM, CHROMIUM_FLAGS } from '../stack/chromium.ts';
import { readJson } from '../stack/files.ts';
import { findFreePort } from '../stack/ports.ts';
import { environmentOf } from '../stack/read-run.ts';
import { answersOk, waitUntil } from '../stack/wait.ts';
import { numberOption, type Row, report } from './bench.ts';
import { measurePolls } from './dashboard-polls.ts';
import { measureVisits } from './dashboard-visits.ts';
import { seed } from './usage.ts';

const DAYS = 40;
const ADMIN = 'admin@bench.example';

/**
 * Measures what a first visit to Overview costs, on the demo data and in an organization of 1,000 users, and what open tabs cost
 * that poll. Starts a `scripts/up` of its own. `--users N`, `--visits N` per organization, `--tabs N`; 0 leaves out.
 */
export async function runDashboardBench(args: string[]): Promise<void> {
  if (CHROMIUM === null) throw new Error('No Chromium was found (apt-get install chromium).');
  const users = numberOption(args, 'users', 1_000);
  const visits = numberOption(args, 'visits', 9);
  const tabs = numberOption(args, 'tabs', 50);
  const stack = await startUp();
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_FLAGS });
  try {
    const demo = await signIn(browser, stack.api, { button: 'Grace' });
    if (visits > 0) {
      await addLargeOrganization(stack.dataDir, users);
      const large = await signIn(browser, stack.api, { email: ADMIN });
      const rows: Row[] = [];
      for (const [data, page] of Object.entries({ demo, [`${users} users`]: large }))
        rows.push({ data, ...(await measureVisits(page, stack.api, visits)) });
      report('dashboard: a first visit to Overview, medians', rows);
      await large.context().close();
    }
    if (tabs > 0) report('dashboard: open tabs', [await measurePolls(demo, stack, tabs)]);
  } finally {
    await browser.close();
    await stack.stop();
  }
}

const runningStack = z.object({ api: z.string(), pids: z.record(z.string(), z.int()) });

async function startUp() {
  const dataDir = mkdtempSync(join(tmpdir(), 'usage-governor-bench-'));
  const port = await findFreePort();
  const options = ['scripts/up.ts', '--json', '--data', dataDir, '--port', String(port)];
  const child: ChildProcess = spawn(process.execPath, options, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH, RATE_LIMITS: 'off' },
  });
  const isUp = () => Promise.resolve(readJson(join(dataDir, 'up.json')) !== null);
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  };
  const api = `http://127.0.0.1:${port}`;
  if (
    !(await waitUntil(async () => (await answersOk(`${api}/readyz`)) && (await isUp()), {
      timeoutMs: 120_000,
    }))
  ) {
    await stop();
    throw new Error('scripts/up did not start.');
  }
  return { dataDir, ...runningStack.parse(readJson(join(dataDir, 'up.json'))), stop };
}

/** Rollups of 40 days of every user, written as signals would have left them, and an admin who is invited. */
async function addLargeOrganization(dataDir: string, users: number): Promise<void> {
  const ctx = await openContext(readConfig(environmentOf({}, dataDir)), { process: 'cli', wings: WINGS });
  try {
    const { _id } = await createOrganization(ctx, { name: `${users} users`, plan: 'enterprise' });
    await addMember(ctx, { org_id: _id, email: ADMIN, name: 'Bench', role: 'admin', teams: [] });
    await seed({ ctx }, _id, { users, days: DAYS, rounds: 0 }, true);
  } finally {
    await ctx.close();
  }
}

/** At the identity provider for development: as one of its people, or as anybody, who joins then. */
async function signIn(browser: Browser, api: string, who: { button: string } | { email: string }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${api}/dashboard/login`);
  if ('button' in who) await page.getByRole('button', { name: who.button }).click();
  else {
    await page.getByRole('textbox').fill(who.email);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Join', exact: true }).click();
  }
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  return page;
}
