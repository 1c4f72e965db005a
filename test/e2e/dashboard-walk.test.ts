import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { signIn } from '../support/browser.ts';
import { sha256, writePlans } from '../support/credits.ts';
import { makeSignal } from '../support/factories.ts';
import { type CallOptions, call, until } from '../support/harness.ts';
import { poll, startLink } from '../support/people.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { eventOf, sendEvent, startStripe, type TestStripe } from '../support/stripe.ts';
import { withDashboard } from '../support/with-dashboard.ts';

/** The way of a person without the command line, from joining to signing out, against real processes. */
describe('the dashboard, step by step', () => {
  let receiver: Receiver;
  let stripe: TestStripe;
  let page: Page;

  const { stack, openBlank } = withDashboard(
    async ({ stack, openBlank }) => {
      await stack.report(
        ...Array.from({ length: 24 }, (_, index) => ({
          ts: Date.now() - index * 3_600_000,
          ...(index % 3 === 0 ? { user_id: 'grace', cost_usd: 4 } : { user_id: 'tom', cost_usd: 0.25 }),
          ...(index % 2 === 0
            ? { model: 'gpt-4o-mini', provider: 'openai' }
            : { model: 'claude-sonnet-4-5', provider: 'anthropic' }),
          project_id: 'search',
        })),
      );
      ({ page } = await openBlank());
    },
    {
      env: async () => {
        const credits = { window_credits: 200, window_s: 18_000, monthly_credits: 4_000 };
        const plan = { ...credits, credit_price_usd: 0.0125 };
        [stripe, receiver] = await Promise.all([startStripe(), startReceiver()]);
        return { ...stripe.env, PLANS_FILE: writePlans({ free: plan, team: plan, enterprise: plan }) };
      },
    },
  );
  afterAll(() => Promise.all([receiver?.close(), stripe?.close()]));

  /** An answer to the browser's own session. */
  const read = async (path: string) => (await page.request.get(stack.url + path)).json();
  const monthOf = (ms: number) => `${new Date(ms).toISOString().slice(0, 7)}-01`;
  const spend = async (key: string) =>
    call(`${stack.url}/v1/meter/consume`, {
      key,
      headers: { 'Idempotency-Key': randomUUID() },
      body: { output_sha256: sha256('output') },
    });
  const visit = async (name: string) => {
    await page.getByRole('navigation').getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
  };

  test('an invited person is asked, joins, and sees the own pages only', async () => {
    await signIn(page, stack.url, { name: 'Grace' });
    await visit('Settings');
    await page.getByRole('tab', { name: 'Members' }).click();
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('textbox', { name: 'E-mail addresses' }).fill('Eve@acme.example');
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    const members = page.getByRole('table', { name: 'Members' });
    await members.getByText('invited', { exact: true }).waitFor();

    const eve = await openBlank();
    await signIn(eve.page, stack.url, { email: 'eve@acme.example' });
    await eve.page.getByRole('heading', { name: 'Join Acme as member?' }).waitFor();
    expect(await eve.page.getByText('Invited by Grace Lindqvist').isVisible()).toBe(true);
    await eve.page.getByRole('button', { name: 'Join', exact: true }).click();
    await eve.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const links = await eve.page.getByRole('navigation').getByRole('link').allTextContents();
    expect(links).not.toContain('Settings');
    await eve.page.getByRole('link', { name: 'Connect a tool' }).waitFor();
  });

  test('what cost most last week leads to its sessions, and a session to its calls', async () => {
    await visit('Overview');
    await page.getByRole('combobox', { name: 'Range' }).selectOption('Last 7 days');
    await page.getByText('$36.00').first().waitFor();
    await page.getByRole('link', { name: 'Grace Lindqvist' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
    expect(page.url()).toContain('user_id=grace');
    const all = page.getByRole('region', { name: 'The range in all' });
    await all.getByText('$32.00').waitFor();
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(1 + 8);
    await page.getByRole('combobox', { name: 'Filter by model' }).selectOption('claude-sonnet-4-5');
    await expect.poll(() => rows.count()).toBe(1 + 4);
    await all.getByText('$16.00').waitFor();
    await page.getByRole('button', { name: 'Remove the filter Model' }).click();
    await expect.poll(() => rows.count()).toBe(1 + 8);
    await rows.nth(1).getByRole('link').first().click();
    const calls = page.getByRole('region', { name: 'Calls, 1' });
    await calls.getByText('gpt-4o-mini').waitFor();
    await calls.getByText('$4.00').waitFor();
    await page.locator('[data-sentence]', { hasText: /^1 call of .+ took 100 % of \$4\.00/ }).waitFor();
    await calls.getByRole('button').press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Call' });
    await drawer.getByRole('button', { name: 'Copy as JSON' }).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
  });

  test('a new budget warns', async () => {
    await visit('Budgets');
    await page.getByRole('button', { name: 'Create a budget' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByRole('textbox', { name: 'Name' }).fill('Monthly cost');
    await form.getByRole('textbox', { name: 'Threshold' }).fill('50');
    await form.getByRole('combobox', { name: 'At the threshold' }).selectOption('hard');
    await form.getByRole('combobox', { name: 'During an outage' }).selectOption('Refuse calls');
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByText('ok', { exact: true }).first().waitFor();
    // On the first days of a month some of the calls above belong to the month before.
    const { totals } = await read(`/dashboard/api/v1/usage?from=${monthOf(Date.now())}`);
    await stack.report({ user_id: 'tom', cost_usd: 42 - totals.cost_usd });
    await page.getByText('warning', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'Monthly cost' }).click();
    await page.getByRole('table', { name: 'Warnings' }).getByText('warning').waitFor();
    await page.getByText('Refuses calls above $50').waitFor();
    await stack.report({ user_id: 'tom', cost_usd: 20 });
    await page.getByText('calls are refused until').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog');
    expect(await edit.getByRole('combobox', { name: 'During an outage' }).inputValue()).toBe('deny');
    await edit.getByRole('combobox', { name: 'At the threshold' }).selectOption('soft');
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.locator('p', { hasText: 'Warns, and tells tools that check' }).waitFor();
  });

  test('a failing webhook is mended, and the held events arrive in order', async () => {
    receiver.behave({ status: 500, body: '<img src=x onerror=alert(1)>'.repeat(600) });
    await visit('Webhooks');
    await page.getByRole('button', { name: 'Create a webhook' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByRole('textbox', { name: 'URL' }).fill(receiver.url);
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText('Keep this secret now').waitFor();
    expect(await form.getByRole('region', { name: 'Secret' }).textContent()).toMatch(/^whsec_.{44}$/);
    await form.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('link').filter({ hasText: receiver.url }).click();

    await stack.report({ user_id: 'first-user' });
    await page.getByText('This webhook is failing').waitFor({ timeout: 60_000 });
    const held = ['second-user', 'third-user', 'fourth-user'];
    for (const user_id of held) await stack.report({ user_id });
    await page.getByText('3 held events will be sent in order.').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(/^The test failed/).waitFor();
    receiver.received.length = 0;
    receiver.behave({ status: 200 });
    await page.getByRole('button', { name: 'Re-enable' }).click();
    const users = () => receiver.received.map(({ event }) => event.data.user_id);
    await until(() => users().length >= 3);
    expect(users().slice(0, 3)).toEqual(held);
    await page.getByText('active', { exact: true }).first().waitFor();

    await page.getByRole('combobox', { name: 'Status' }).selectOption('exhausted');
    const exhausted = page.getByRole('button', { name: 'session.started' });
    // The test that failed is in the log too, above it.
    await until(async () => (await exhausted.count()) === 2);
    await exhausted.last().click();
    const answer = page.getByRole('dialog').locator('pre').first();
    await answer.waitFor();
    // 16 KiB of it are kept, and all of that is text.
    expect(await answer.textContent()).toHaveLength(16_384);
    expect(await page.locator('img').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('button', { name: 'Change the secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'I have kept it' }).click();
    receiver.received.length = 0;
    await stack.report({ user_id: 'fifth-user' });
    await until(() => receiver.received.length > 0);
    expect(String(receiver.received[0]?.headers['webhook-signature']).split(' ')).toHaveLength(2);
  });

  test('one device is linked and spends, another is denied', async () => {
    const api = { call: (path: string, options: CallOptions) => call(stack.url + path, options) };
    const laptop = await startLink(api, { name: 'Laptop' });
    await page.goto(laptop.verification_uri_complete);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Laptop', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved', { exact: true }).waitFor();
    const { body: token } = await poll(api, laptop.device_code);
    expect((await spend(token.access_token)).status).toBe(200);

    const stranger = await startLink(api, { name: 'Stranger' });
    await page.goto(stranger.verification_uri);
    await page.getByRole('textbox', { name: 'The code that the device shows' }).fill(stranger.user_code);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Denied').waitFor();
    expect((await poll(api, stranger.device_code)).body.error).toBe('access_denied');

    await visit('Credits');
    await page.locator('.tile', { hasText: /^199$/ }).waitFor();
    await page.locator('.tile', { hasText: /^4,199$/ }).waitFor();
    await page.getByRole('table', { name: 'Ledger' }).getByText('Spent').waitFor();
    await visit('Devices');
    await page.getByRole('button', { name: 'Revoke Laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('revoked', { exact: true }).waitFor();
    expect((await spend(token.access_token)).status).toBe(401);
  });

  test('credits are bought at Stripe, and shown as soon as it says that they are paid', async () => {
    await visit('Credits');
    await page.getByText('$0.0125 per credit').waitFor();
    await page.getByRole('textbox', { name: 'How many' }).fill('10');
    await page.getByText('From 40 to 79,999,999 credits at once.').waitFor();
    expect(await page.getByRole('button', { name: 'Buy', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'How many' }).fill('1001');
    await page.getByRole('button', { name: 'Buy for $12.51' }).click();
    await page.getByRole('heading', { name: 'Pay' }).waitFor();
    await page.getByRole('button', { name: 'Pay now' }).click();
    await page.getByText('1,001 credits arrive as soon as Stripe confirms').waitFor();
    const [session] = stripe.sessions.values();
    expect(session?.amount_total).toBe(1_251);
    const event = eventOf(session ?? {});
    expect((await sendEvent(`${stack.url}/integrations/stripe/webhook`, event)).status).toBe(200);
    await page.getByText('1,001 credits have arrived.').waitFor();
    await page.getByRole('table', { name: 'Ledger' }).getByText('Bought').waitFor();
    const own = page.getByRole('table', { name: 'Members' }).getByRole('row', { name: 'Grace Lindqvist' });
    await own.getByRole('cell', { name: '1,001' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('1,001 credits have arrived.').waitFor({ state: 'hidden' });
  });

  test('a new key connects a tool, and its first signal is seen', async () => {
    // A browser whose clock is wrong.
    await page.clock.setSystemTime(Date.now() + 3_600_000);
    await visit('Connect');
    await page.getByRole('combobox', { name: 'Tool' }).selectOption('signals');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('shown this once').waitFor();
    const settings = (await page.getByRole('region', { name: 'Settings', exact: true }).textContent()) ?? '';
    const key = /ugk_\w+/.exec(settings)?.[0] ?? '';
    await page.getByText('Waiting for the first call').waitFor();
    // A report of another tool of hers is no sign of this one, also once the page knows of it.
    await stack.report({ user_id: 'grace' });
    for (let looks = 0; looks < 2; looks += 1) await page.waitForRequest(/\/api\/v1\/sessions\?/);
    expect(await page.getByText('It works').count()).toBe(0);
    const { user_id, ...signal } = makeSignal({ ts: Date.now(), adapter: 'curl' });
    const sent = await call(`${stack.url}/api/v1/signals`, { key, body: signal });
    expect(sent.body.results[0].status).toBe('accepted');
    await page.getByText('It works').waitFor();
    await page.clock.setSystemTime(Date.now());
    await page.getByRole('button', { name: /^Revoke A program of yours/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('revoked', { exact: true }).waitFor();
    expect((await call(`${stack.url}/api/v1/sessions`, { key })).status).toBe(401);
  });

  test('a key is handed out for one person, reads no more than that, and is revoked', async () => {
    await visit('Settings');
    await page.getByRole('tab', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'Create a key' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Reports');
    await form.getByRole('checkbox', { name: 'Report calls (signals:write)' }).uncheck();
    await form.getByRole('combobox', { name: 'Bound to' }).selectOption('Tom Herrera');
    await form.getByRole('combobox', { name: 'Expires' }).selectOption('in 30 days');
    await form.getByRole('button', { name: 'Create' }).click();
    const key = (await form.getByRole('region', { name: 'Key' }).textContent()) ?? '';
    await form.getByRole('button', { name: 'I have kept it' }).click();
    const { body } = await call(`${stack.url}/api/v1/sessions`, { key });
    expect(new Set(body.data.map(({ user_id }: { user_id: string }) => user_id))).toEqual(new Set(['tom']));
    const refused = await call(`${stack.url}/api/v1/signals`, { key, body: { signals: [] } });
    expect(refused.body.code).toBe('missing_scope');
    const keys: { name: string; expires_at: number }[] = (await read('/dashboard/v1/keys')).data;
    const { expires_at } = keys.find(({ name }) => name === 'Reports') ?? { expires_at: 0 };
    expect(Math.round((expires_at - Date.now() / 1_000) / 86_400)).toBe(30);
    await page.getByRole('button', { name: 'Revoke Reports' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('row', { name: 'Reports' }).getByText('revoked').waitFor();
    expect((await call(`${stack.url}/api/v1/sessions`, { key })).status).toBe(401);
  });

  test('a month is exported as a file that adds up to what the pages say', async () => {
    await visit('Export');
    await page.getByRole('combobox', { name: 'Range' }).selectOption('This month');
    await page.getByRole('combobox', { name: 'Rows' }).selectOption('daily');
    const link = page.getByRole('link', { name: 'Download' });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(download.suggestedFilename()).toMatch(/^usage-daily-\d{8}T0000Z-.*\.csv$/);
    const rows: Record<string, string>[] = parse(await readFile(await download.path()), { columns: true });
    const cost = rows.reduce((sum, row) => sum + Number(row.cost_usd), 0);
    const { searchParams } = new URL((await link.getAttribute('href')) ?? '', stack.url);
    const query = new URLSearchParams({ from: searchParams.get('from') ?? '' });
    const { totals } = await read(`/dashboard/api/v1/usage?${query.toString()}`);
    expect(cost).toBeCloseTo(totals.cost_usd, 3);
    expect(cost).toBeGreaterThanOrEqual(62);
  });

  test('signing out ends the session', async () => {
    await page.getByRole('button', { name: /Signed in as/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    const session = await page.request.get(`${stack.url}/dashboard/session`);
    expect(session.status()).toBe(401);
  });
});
