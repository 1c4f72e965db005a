import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { CHROMIUM } from '../../packages/stack/chromium.ts';
import { openAs, openBrowser, openPage, type View, type WatchedPage } from './browser.ts';
import { type DashboardStack, type PersonName, startDashboard } from './dashboard-stack.ts';
import { call } from './harness.ts';
import { settled } from './page-checks.ts';

/** A dashboard and a browser for the tests of one suite, begun once. No page that one of its tests has opened may have faults. */
export interface Dashboard {
  /** Its fields are there from `prepare` on. */
  stack: DashboardStack;
  browser: () => Promise<Browser>;
  /** A page as somebody sees it who is signed in, once it is drawn. It is closed after the test that opened it. */
  open: (path: string, name?: PersonName, view?: View) => Promise<Page>;
  /** A blank page, with nobody signed in. A test that causes faults takes them out of its list. */
  openBlank: (view?: View) => Promise<WatchedPage>;
  /** Leads a page to another one, once that is drawn. */
  visit: (page: Page, path: string) => Promise<void>;
  /** The body of an answer of the API to a key of every scope, which must be a success. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  ask: (path: string, body?: unknown, method?: string) => Promise<any>;
  /** Creates a budget, of 40 USD per month for the organization but for these fields, and returns its id. */
  budget: (fields: Record<string, unknown>) => Promise<string>;
}

interface Options {
  /** Variables of the environment of all processes. */
  env?: () => Promise<Record<string, string>>;
  /** The suite around this one, for an organization of its own on the same stack. */
  beside?: Dashboard;
}

/** The hooks of a suite. Without a Chromium its tests are skipped. A page that `prepare` opens stays open for all of them. */
export function withDashboard(
  prepare: (begun: Dashboard) => unknown = () => undefined,
  { env, beside }: Options = {},
): Dashboard {
  const stack = {} as DashboardStack;
  const opened: WatchedPage[] = [];
  let kept: WatchedPage[] = [];
  let own: Promise<Browser> | undefined;
  const browser = beside?.browser ?? (async () => (own ??= openBrowser()));
  const watch = (watched: WatchedPage) => {
    opened.push(watched);
    return watched;
  };
  const visit = async (page: Page, path: string) => {
    await page.goto(`${stack.url}/dashboard${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settled(page);
  };
  const ask: Dashboard['ask'] = async (path, body, method) => {
    const sent = { ...(body === undefined ? {} : { body }), ...(method ? { method } : {}) };
    const answer = await call(stack.url + path, { key: stack.key, ...sent });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const begun: Dashboard = {
    stack,
    browser,
    open: async (path, name = 'Grace', view = {}) => {
      const { page } = watch(await openAs(await browser(), stack, name, view));
      await visit(page, path);
      return page;
    },
    openBlank: async (view) => watch(await openPage(await browser(), view)),
    visit,
    ask,
    budget: async (fields) => (await ask('/api/v1/budgets', { ...BUDGET, ...fields })).id,
  };
  beforeAll(async () => {
    if (CHROMIUM === null) return;
    const starting = beside ? beside.stack.another() : startDashboard(await env?.());
    const [started] = await Promise.all([starting, browser()]);
    Object.assign(stack, started);
    await prepare(begun);
    kept = opened.splice(0);
  });
  beforeEach(({ skip }) => {
    if (CHROMIUM === null) skip('there is no Chromium (apt-get install chromium-headless-shell)');
  });
  afterEach(async () => {
    const faults = [...kept, ...opened].flatMap((watched) => watched.faults.splice(0));
    for (const { context } of opened.splice(0)) await context.close();
    expect(faults).toEqual([]);
  });
  afterAll(async () => {
    await (await own)?.close();
    if (!beside) await stack.stop?.();
  });
  return begun;
}

const BUDGET = { name: 'Ours', scope: 'org', metric: 'cost_usd', threshold: 40, window: 'monthly' };
