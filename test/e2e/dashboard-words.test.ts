import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CHROMIUM } from '../../packages/stack/chromium.ts';
import { placeCalls, pullRequestsOf } from '../../scripts/demo/branches.ts';
import { generateTraffic } from '../../scripts/demo/traffic.ts';
import { dateAt } from '../../shared/platform/basics/clock.ts';
import { SIGNALS_PER_REQUEST } from '../../shared/platform/basics/contract.ts';
import { anomalyRows } from '../../shared/wings/anomalies/model.ts';
import { refusalRows } from '../../shared/wings/refusals/model.ts';
import { openBrowser, openSignedIn, type WatchedPage } from '../support/browser.ts';
import { makeSignal } from '../support/factories.ts';
import { BUDGET } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import { settled, show } from '../support/page-checks.ts';
import { beginBrowserSession, makePerson, type Person } from '../support/people.ts';
import { type Masks, masked, SAME_TIME, sameWholeFixture } from '../support/same-whole.ts';
import { makeWhole, runDue, runScheduled, SHOP, type WholeTenant } from '../support/whole-tenant.ts';

const DAY_MS = 86_400_000;

/**
 * Addresses of the dashboard, and what is pressed there one after the other, each of which opens something. Braces stand for
 * the id of something of the organization.
 */
const PAGES: readonly (readonly [path: string, ...pressed: string[]])[] = [
  ['/', 'Dates …', 'Branch, task …', 'Signed in as', 'Go to a page (Ctrl K)'],
  ['/?user_id=ada', 'Create a budget from this'],
  ['/?range=30d&split=user_id&view=table'],
  ['/?range=30d&split=team&view=table'],
  ['/?range=last_week&split=project_id&view=table&model=claude-sonnet-4-5'],
  ['/?range=month&split=repository&user_id=ada'],
  ['/?range=custom&from=2031-01-02&to=2031-01-09&split=branch'],
  ['/?range=custom&from=2035-01-02&to=2035-01-09'],
  ['/sessions', 'More filters …', 'Columns …', 'Release all 7', 'Discard all 7'],
  ['/sessions?range=30d&sort=cost_usd&order=desc&errors=true'],
  ['/sessions?range=30d&state=ended&anomalous=true&min_cost_usd=1&user_id=grace'],
  ['/sessions?range=today&state=open'],
  ['/sessions?user_id=nobody-of-that-name'],
  ['/sessions/{session}', 'Error gpt-4o-mini', 'Expected: Cost spike'],
  ['/sessions/{gated}', 'Policy decision', 'End session'],
  ['/sessions/{ended}'],
  ['/sessions/{branches}'],
  ['/pull-requests'],
  ['/pull-requests?tab=branches&range=30d'],
  ['/pull-requests?state=merged&range=30d&order=asc'],
  ['/pull-requests/{pullRequest}', 'Delete'],
  ['/pull-requests/{busyPull}'],
  ['/pull-requests/{unusedPull}'],
  ['/budgets', 'Create a budget'],
  ['/budgets/{monthlyBudget}', 'Mute', 'Change the owner', 'Edit', 'Delete'],
  ['/budgets/{template}', 'Another limit for one person', 'Release reservations', 'Edit'],
  ['/budgets/{hardBudget}'],
  ['/budgets/{stopping}', 'Edit'],
  ['/budgets/{refusing}'],
  ['/raise?budget={hardBudget}'],
  ['/raises'],
  ['/raises/{raise}'],
  ['/raises/{approved}'],
  ['/anomalies?range=30d', 'Expected: Token spike'],
  ['/anomalies?range=30d&anomaly_type=cost_spike&order=asc'],
  ['/analytics'],
  ['/analytics?measure=tokens&dimension=none'],
  ['/credits'],
  ['/credits?reason=receipt'],
  ['/credits?bucket=granted'],
  ['/devices', 'Revoke laptop'],
  ['/activate?user_code=BCDF-GHJK'],
  ['/export?range=30d', 'Add a destination'],
  ['/export?range=30d&level=daily&format=ndjson&people=true'],
  ['/export?range=30d&level=focus&focus_version=1.3&granularity=hour&billed=invoice'],
  ['/export/{destination}', 'Write days again', 'Edit', 'Delete'],
  ['/connect', 'Revoke laptop of ada'],
  ['/connect?tool=claude-code&form=managed'],
  ['/connect?tool=codex&agent=codex&branches=git'],
  ['/connect?tool=signals&form=python'],
  ['/connect?tool=signals&form=node&agent=cursor&branches=codex'],
  ['/connect?tool=gemini&form=powershell&agent=claude-project'],
  ['/connect?tool=qwen&agent=vscode&branches=otel'],
  ['/connect?tool=copilot&agent=stdio'],
  ['/connect?tool=opencode'],
  ['/connect?tool=otel'],
  ['/connect?tool=litellm'],
  ['/alerts', 'Add a channel'],
  ['/webhooks', 'Create a webhook'],
  ['/webhooks/{webhook}', 'Rename', 'Edit events', 'Edit alerts', 'New secret', 'Recover', 'Delete'],
  ['/webhooks/{digested}'],
  ['/webhooks/{spareWebhook}'],
  ['/settings', 'Hash the names'],
  ['/settings?tab=members', 'Invite', 'Edit mia@example.org'],
  ['/settings?tab=keys', 'Create a key', 'Revoke laptop'],
  ['/settings?tab=code-hosts', 'Add a code host', 'Delete GitHub'],
  ['/settings?tab=prices', 'New rule', 'Edit Contract', 'Delete Contract'],
  ['/settings?tab=audit'],
  ['/no/such/thing'],
];
/** Pages whose tables are lists on a phone, where other columns are shown and in another order; none of what was made at one moment. */
const ON_PHONES = new Set([
  '/?range=30d&split=team&view=table',
  '/pull-requests',
  '/pull-requests?tab=branches&range=30d',
  '/raises',
  '/anomalies?range=30d',
  '/credits',
  '/devices',
  '/export/{destination}',
  '/settings?tab=members',
  '/settings?tab=keys',
  '/settings?tab=code-hosts',
  '/settings?tab=prices',
  '/settings?tab=audit',
]);
/** The lists are long there, and all rows of one are alike. */
const LINES_ON_PHONES = 70;
/** The first look at each page, which is all that somebody needs to see of an organization that has nothing yet. */
const PLAIN = PAGES.filter(([path]) => !path.includes('&'));

const host = await sameWholeFixture({ BASE_URL: 'http://127.0.0.1' });
let own: WholeTenant;
let ids: Record<string, string> = {};
let newcomer: Person;
let colleague: Person;
let browser: Browser;
const opened: WatchedPage[] = [];

beforeAll(async () => {
  if (CHROMIUM === null) return;
  browser = await openBrowser();
  own = await makeWhole(host);
  ids = await addTraffic();
  const { orgId } = await host.tenant({ plan: 'team' });
  newcomer = await makePerson(host.ctx, host.idp, { orgId, userId: 'nora', role: 'admin' });
  colleague = await makePerson(host.ctx, host.idp, { orgId, userId: 'noel' });
});
afterAll(async () => browser?.close());
beforeEach(({ skip }) => {
  if (CHROMIUM === null) skip('there is no Chromium (apt-get install chromium-headless-shell)');
});

/** Thirty days of work of six people and its pull requests, beside what there is. Returns ids by the names in the addresses. */
async function addTraffic(): Promise<Record<string, string>> {
  const nowMs = host.clock.now();
  const traffic = placeCalls('acme', generateTraffic(PEOPLE_AT_WORK, nowMs, 7));
  for (let at = 0; at < traffic.length; at += SIGNALS_PER_REQUEST)
    await own.must('key', 'POST', '/api/v1/signals', {
      signals: traffic.slice(at, at + SIGNALS_PER_REQUEST),
    });
  for (const report of pullRequestsOf('acme', traffic, nowMs))
    await own.must('key', 'POST', '/api/v1/pull-requests', report);
  await own.must('key', 'POST', '/api/v1/signals', { signals: callsOfOwnModels(nowMs) });
  await own.must('key', 'POST', '/api/v1/signals', { signals: callsOfTwoBranches(nowMs) });
  const unused = { repository: SHOP, number: 13, branch: 'unused', state: 'merged', title: 'Mend a typo' };
  const times = { opened_at: dateAt(nowMs - 2 * DAY_MS), closed_at: dateAt(nowMs - DAY_MS) };
  const { id: unusedPull } = await own.must('key', 'POST', '/api/v1/pull-requests', { ...unused, ...times });
  const stopping = await addBudget({ name: 'Stopping', scope: 'project', scope_id: 'shop', threshold: 1 });
  const refusing = await addBudget({ name: 'Priced', scope: 'user', scope_id: 'bob', unpriced: 'refuse' });
  await runDue(host, own.orgId);
  await runScheduled(host);
  await setApart();
  const refused = { user_id: 'ada', project_id: 'shop', adapter: 'claude-code', estimate_usd: 0.25 };
  for (const client_session_id of ['s-1', 's-1', 's-2'])
    await own.must('key', 'POST', '/api/v1/budgets/check', { ...refused, client_session_id });
  await own.must('key', 'GET', '/api/v1/refusals');
  // Where several budgets refuse, it depends on how fast their amounts were read which one is named.
  await refusalRows(host.ctx).updateMany(
    { org_id: own.orgId, user_id: 'ada', largest_estimate_nusd: 200_000 * 1e9 },
    { $set: { budget_id: own.template } },
  );
  const [acknowledged, expected] = (await own.must('key', 'GET', '/api/v1/anomalies?order=asc')).data;
  await own.must('admin', 'POST', `/v1/anomalies/${acknowledged.id}/acknowledge`, {});
  await own.must('admin', 'POST', `/v1/anomalies/${expected.id}/expect`, {
    of: 'session',
    until: dateAt(nowMs + 7 * DAY_MS),
  });
  const { data: branches } = await own.must('key', 'GET', '/api/v1/sessions?project_id=branches');
  const { data: ended } = await own.must('key', 'GET', '/api/v1/sessions?project_id=storefront&limit=1');
  const { data: pulls } = await own.must('key', 'GET', '/api/v1/pull-requests?limit=100');
  const {
    sessions,
    gated,
    pullRequest,
    budgets,
    template,
    raises,
    ownRaises,
    webhook,
    digested,
    spareWebhook,
    destination,
  } = own;
  const named = { gated, pullRequest, template, webhook, digested, spareWebhook, destination };
  return {
    ...named,
    unusedPull,
    stopping,
    refusing,
    ended: ended[0].id,
    branches: branches[0].id,
    session: sessions[0] ?? '',
    busyPull: pulls.find(({ state, id }: Record<string, string>) => state === 'merged' && id !== unusedPull)
      .id,
    monthlyBudget: budgets[1] ?? '',
    hardBudget: budgets.at(-1) ?? '',
    raise: raises[0] ?? '',
    approved: ownRaises[3] ?? '',
  };
}

const PEOPLE_AT_WORK = ['grace', 'ada', 'bob', 'dan', 'carl', 'eve'];

/** Calls of everybody in the week that ended last: of a model without a price, and of one that is free. */
function callsOfOwnModels(nowMs: number) {
  const own = { ts: nowMs - 5 * DAY_MS, provider: 'in-house', tokens_in: 1_000 };
  return PEOPLE_AT_WORK.flatMap((user_id) => [
    makeSignal({ ...own, user_id, model: 'summarizer', id: `own-${user_id}` }),
    makeSignal({ ...own, user_id, model: 'given-away', id: `free-${user_id}`, cost_usd: 0 }),
  ]);
}

/** A session that goes on to another branch of the same repository, neither of which has a pull request. */
function callsOfTwoBranches(nowMs: number) {
  const own = { user_id: 'grace', project_id: 'branches', repository: SHOP };
  return ['words', 'colours', 'colours', 'words'].map((branch, at) =>
    makeSignal({ ...own, branch, ts: nowMs - 3 * DAY_MS + at * 120_000, id: `branch-${at}` }),
  );
}

/** Creates a hard budget of cost per month, and returns its id. */
async function addBudget(fields: object): Promise<string> {
  const rule = { ...BUDGET, window: 'monthly', threshold: 1_000, enforce: 'hard', ...fields };
  return (await own.must('key', 'POST', '/api/v1/budgets', rule)).id;
}

/** Gives each anomaly a time of its own: those of one session are found at once, and the order of their ids is another one each time. */
async function setApart(): Promise<void> {
  const found = await anomalyRows(host.ctx).find().sort({ detected_at: 1, anomaly_type: 1 }).toArray();
  for (const [index, { _id }] of found.entries())
    await anomalyRows(host.ctx).updateOne(
      { _id },
      { $set: { detected_at: dateAt(host.clock.now() + index) } },
    );
}

/** A page of somebody who is signed in, far from the timezone of the organization, at a time that stands still. */
async function openFor({ accountId, sub }: Person): Promise<Page> {
  const identity = { iss: host.idp.issuer, sub };
  const { cookie } = await beginBrowserSession(host.ctx, { accountId, identity });
  const view = { timezoneId: 'Asia/Kolkata', locale: 'en-GB' };
  const watched = await openSignedIn(browser, { url: host.api.url, cookie }, view);
  opened.push(watched);
  await watched.page.clock.setFixedTime(SAME_TIME);
  await watched.page.goto(`${host.api.url}/dashboard/`);
  return watched.page;
}

/** Leads the page to an address as a link in it does, by way of one that is none, so that its heading is another one. */
async function lead(page: Page, path: string): Promise<void> {
  const filled = path.replace(/\{(\w+)\}/, (_, name) => ids[name] ?? '');
  await page.evaluate(goTo('/no/such/page'));
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  await page.evaluate(`document.querySelector('h1').dataset.left = ''; ${goTo(filled)}`);
  await page.locator('h1:not([data-left])').first().waitFor();
  await settled(page);
}

/** Runs in the page. */
const goTo = (path: string) => `history.pushState({}, '', ${JSON.stringify(`/dashboard${path}`)});
  dispatchEvent(new PopStateEvent('popstate'));`;

const MASKS: Masks = [
  [/(request id )[0-9a-f]{8}/g, '$1#'],
  // The last of several that were made at one moment.
  [/(forecast 0 )(succeeded|collected)/g, '$1…'],
];

/** All that a person finds in a part of a page, as it is read aloud, without what differs from run to run. */
async function wordsOf(page: Page, selector: string): Promise<string> {
  const part = page.locator(selector).first();
  let [shown, looks] = ['', 0];
  // Some parts are loaded, or ask for what they show, once the others are there.
  await until(async () => {
    await settled(page);
    if ((await part.locator('.mantine-Skeleton-root').count()) > 0) return false;
    const before = shown;
    shown = await part.ariaSnapshot();
    looks = shown === before ? looks + 1 : 0;
    return looks === 3;
  });
  return masked(shorten(shown), MASKS);
}

const ROWS_SHOWN = 10;
/** Tables of what was made at one moment, in no order. */
const UNORDERED = /^- table "(Deliveries|Warnings)"/;

/**
 * The same words in fewer lines: an address and the options follow the name of what has them, a row of a table is one line with its
 * links and buttons below it, and the rows after the first ten of a table are counted.
 */
function shorten(snapshot: string): string {
  const lines: string[] = [];
  let rows: string[] = [];
  let [depthOfRow, isUnordered] = [Number.POSITIVE_INFINITY, false];
  const endTable = () => {
    const ordered = isUnordered ? rows.toSorted() : rows;
    lines.push(...ordered.slice(0, ROWS_SHOWN));
    if (rows.length > ROWS_SHOWN) lines.push(`- ${rows.length - ROWS_SHOWN} more rows`);
    rows = [];
    depthOfRow = Number.POSITIVE_INFINITY;
  };
  for (const line of snapshot.split('\n')) {
    const depth = line.search(/\S/);
    const text = line.trim().replace(/^- (?:text|paragraph): /, '- ');
    const isRow = text.startsWith('- row ');
    if (depth <= depthOfRow && !isRow) endTable();
    if (text.startsWith('- table')) isUnordered = UNORDERED.test(text);
    if (isRow) depthOfRow = depth;
    if (NOTHING.test(text)) continue;
    const [, option] = /^- option (.*?):?$/.exec(text) ?? [];
    const [, address] = /^- \/url: (.*)$/.exec(text) ?? [];
    const all = rows.length > 0 ? rows : lines;
    if (option !== undefined || address !== undefined) all.push(`${all.pop()} ${option ?? `→ ${address}`}`);
    else if (isRow) rows.push(line.slice(0, depth) + text.replace(/:$/, ''));
    else if (depth < depthOfRow) lines.push(line.slice(0, depth) + text.replace(/:$/, ''));
    else if (/^- '?(link|button)/.test(text))
      rows.push(`${rows.pop()}\n${' '.repeat(depthOfRow + 2)}${text.replace(/:$/, '')}`);
  }
  endTable();
  return lines.join('\n');
}

/** Lines that say nothing. */
const NOTHING = /^- (img|paragraph|status|list|rowgroup|text: "")?:?$/;

/** Leads a page to each address, presses what there is to press, and writes down all that a person finds there, as it is read aloud. */
async function walk(page: Page, pages: typeof PAGES, onPhones: ReadonlySet<string>): Promise<string> {
  // Parts of a page that are loaded later come at once when it is opened again.
  for (const path of new Set(pages.map(([path]) => path.split('?')[0] ?? path))) await lead(page, path);
  await lead(page, '/');
  const read = ['# Around each page', await wordsOf(page, 'body')];
  const layer = page.locator(LAYER).first();
  for (const [path, ...buttons] of pages) {
    await lead(page, path);
    read.push(`# ${path}`, await wordsOf(page, 'main'));
    expect.soft(await page.evaluate(BARE_TIMES), path).toEqual([]);
    if (onPhones.has(path)) {
      await show(page, [390, 'light']);
      const words = await wordsOf(page, 'main');
      read.push(`# ${path}, on a phone`, ...words.split('\n').slice(0, LINES_ON_PHONES));
      await show(page, [1280, 'light']);
    }
    for (const name of buttons) {
      const button = page.getByRole('button', { name }).first();
      if (!(await button.isVisible())) continue;
      await button.click({ timeout: 5_000 });
      await layer.waitFor();
      await settled(page);
      read.push(`# ${path}: ${name}`, await wordsOf(page, LAYER));
      await page.keyboard.press('Escape');
      await layer.waitFor({ state: 'hidden' });
    }
  }
  return `${read.join('\n')}\n`;
}

/** Runs in the page: times of day that no time element holds. */
const BARE_TIMES = `(() => {
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  const bare = [];
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (/\\d{1,2} [A-Z][a-z]{2}( \\d{4})?, \\d\\d:\\d\\d/.test(data) && !parentElement.closest('time, svg, option')) bare.push(data);
  }
  return bare;
})()`;

/** A dialog or a menu that is open. */
const LAYER = '[role=dialog]:visible, [role=menu]:visible';

const NOWHERE: ReadonlySet<string> = new Set();

/** An admin, a member, and the same of an organization that has nothing yet. */
const PEOPLE = {
  Grace: () => ({ who: own.people.grace, pages: PAGES, onPhones: ON_PHONES }),
  Ada: () => ({ who: own.people.ada, pages: PAGES, onPhones: NOWHERE }),
  Nora: () => ({ who: newcomer, pages: PLAIN, onPhones: NOWHERE }),
  Noel: () => ({ who: colleague, pages: PLAIN.filter(([path]) => !path.includes('{')), onPhones: NOWHERE }),
};

test.each(Object.entries(PEOPLE))('each page says what it is to say: %s', async (name, of) => {
  const { who, pages, onPhones } = of();
  const page = await openFor(who);
  const words = await walk(page, pages, onPhones);
  expect(opened.flatMap(({ faults }) => faults)).toEqual([]);
  for (const guide of new Set(words.match(/\/guide\/[\w/-]+/g)))
    expect((await page.request.get(host.api.url + guide)).status(), guide).toBe(200);
  await expect(words).toMatchFileSnapshot(`words-for-${name}.txt`);
});
