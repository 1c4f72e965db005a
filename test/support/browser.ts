import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
  type Request,
} from 'playwright-core';
import { recordPages } from '../../packages/mutation/record-browser.ts';
import { CHROMIUM, CHROMIUM_FLAGS } from '../../packages/stack/chromium.ts';
import type { DashboardStack, PersonName } from './dashboard-stack.ts';

export async function openBrowser(): Promise<Browser> {
  const options = { executablePath: CHROMIUM ?? '', headless: true, args: CHROMIUM_FLAGS };
  return recordPages(await chromium.launch(options));
}

export interface WatchedPage {
  page: Page;
  context: BrowserContext;
  /** Faults so far: policy violations, errors on the console, errors in scripts. */
  faults: string[];
}

/** Runs in the page, before anything of ours. */
const TELL_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI));`;

/** How a page is shown: its size, its colours, its clock. */
export type View = NonNullable<Parameters<Browser['newContext']>[0]>;

/** A phone of somebody who prefers dark colours. */
export const DARK_PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

/**
 * A person's own browser with one page, in which nothing fades or moves: a text that fades in has too little contrast
 * for a moment. Statuses that a test brings about on purpose are no faults.
 */
export async function openPage(browser: Browser, view: View = {}): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...view,
  });
  const faults: string[] = [];
  await context.addInitScript({ content: TELL_VIOLATIONS });
  const page = await context.newPage();
  page.on('console', (message) => {
    const isStatus = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isStatus) faults.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`));
  const waiting = new Set<Request>();
  WAITING.set(page, waiting);
  page.on('request', (request) => {
    // The document before it waits for nothing any more.
    if (request.isNavigationRequest()) waiting.clear();
    waiting.add(request);
  });
  page.on('requestfinished', (request) => waiting.delete(request));
  page.on('requestfailed', (request) => waiting.delete(request));
  page.setDefaultTimeout(45_000);
  return { page, context, faults };
}

const WAITING = new WeakMap<Page, Set<Request>>();

/** The addresses of the requests of a page that are not answered yet. */
export function unanswered(page: Page): string[] {
  return [...(WAITING.get(page) ?? [])].map((request) => request.url());
}

/** The same with a session of the dashboard at this address, by its cookie (`NAME=VALUE`). */
export async function openSignedIn(
  browser: Browser,
  { url, cookie }: { url: string; cookie: string },
  view: View = {},
): Promise<WatchedPage> {
  const watched = await openPage(browser, view);
  const [name = '', value = ''] = cookie.split('=');
  await watched.context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }]);
  return watched;
}

/** The same for one of its people. The pages of a sign-in have tests of their own, and take as long to load as what is tested. */
export async function openAs(
  browser: Browser,
  stack: DashboardStack,
  name: PersonName,
  view: View = {},
): Promise<WatchedPage> {
  return openSignedIn(browser, { url: stack.url, cookie: await stack.sessionOf(name) }, view);
}

/** Signs in at the identity provider for development: as one of its people by name, or as anybody by e-mail. */
export async function signIn(
  page: Page,
  url: string,
  who: { name: string } | { email: string },
): Promise<void> {
  await page.goto(`${url}/dashboard/`);
  await page.getByRole('link', { name: 'Sign in' }).click();
  if ('name' in who) await page.getByRole('button', { name: who.name }).click();
  else {
    await page.getByRole('textbox').fill(who.email);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }
  await page.waitForURL(`${url}/dashboard/**`);
}

/** Presses the key until the first of the targets has the focus. */
export async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await target.first().waitFor();
  for (let presses = 0; presses < 200; presses += 1) {
    if ((await page.locator(':focus').and(target.first()).count()) > 0) return;
    await page.keyboard.press(key);
  }
  throw new Error(`The keyboard does not reach ${String(target)}.`);
}

/** The first change at these addresses arrives, and its answer is lost. */
export async function loseFirstAnswer(page: Page, url: string): Promise<void> {
  let isLost = false;
  await page.route(url, async (route) => {
    if (route.request().method() !== 'POST' || isLost) return route.continue();
    isLost = true;
    await route.fetch();
    await route.abort();
  });
}
