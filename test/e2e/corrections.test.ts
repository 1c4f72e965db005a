import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openAs, type View } from '../support/browser.ts';
import type { DashboardStack, PersonName } from '../support/dashboard-stack.ts';
import { makeSignal } from '../support/factories.ts';
import { call, until } from '../support/harness.ts';
import { axeFindings, sidewaysBy } from '../support/page-checks.ts';
import { withDashboard } from '../support/with-dashboard.ts';

/** An admin corrects what is implausible or wrong, by the keyboard alone. */
describe('corrections on the dashboard', () => {
  let stack: DashboardStack;
  let browser: Browser;

  withDashboard((begun) => {
    ({ stack, browser } = begun);
  });

  const ask = async (path: string, body?: unknown) => {
    const answer = await call(`${stack.url}${path}`, { key: stack.key, ...(body ? { body } : {}) });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const open = async (name: PersonName, path: string, phone?: View) => {
    const view = phone ? { viewport: { width: 390, height: 844 }, ...phone } : {};
    const watched = await openAs(browser, stack, name, view);
    await watched.page.goto(`${stack.url}/dashboard${path}`);
    await watched.page.getByRole('heading', { level: 1 }).waitFor();
    return watched;
  };
  /** Goes to a button or field by Tab alone. */
  const tabTo = async (page: Page, name: string) => {
    const passed: unknown[] = [];
    for (let tabs = 0; tabs < 120; tabs += 1) {
      await page.keyboard.press('Tab');
      passed.push(
        await page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent'),
      );
      if (passed.at(-1) === name) return;
    }
    throw new Error(`${name} is not reached by Tab, only ${passed.join(' | ')}`);
  };
  const hold = async (...ids: string[]) => {
    const signals = ids.map((id) =>
      makeSignal({ id, ts: Date.now(), user_id: 'ada', tokens_in: 900_000_000, cost_usd: 1_200 }),
    );
    const { results } = await ask('/api/v1/signals', { signals });
    expect(new Set(results.map(({ status }: { status: string }) => status))).toEqual(new Set(['held']));
  };
  const usage = async () => (await ask('/api/v1/usage')).totals;

  test('held signals are released and discarded, each or all that are shown', async () => {
    await hold('held-1', 'held-2', 'held-3', 'held-4', 'held-5');
    const { page, context, faults } = await open('Grace', '/sessions');
    await page.getByRole('heading', { name: 'Held calls, 5' }).waitFor();
    const table = page.getByRole('table', { name: 'Held calls' });
    await table
      .getByText('900,000,010 tokens (limit 20,000,000), $1,200.00 (limit $1,000.00)')
      .first()
      .waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('status').getByText('5 calls are held').waitFor();
    const before = await usage();
    await tabTo(page, 'Release held-1');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Held calls, 4' }).waitFor();
    expect((await usage()).signals).toBe(before.signals + 1);
    await tabTo(page, 'Discard held-2');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Discard this call?' }).waitFor();
    await tabTo(page, 'Discard');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Held calls, 3' }).waitFor();
    await tabTo(page, 'Release all 3');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Release these 3 calls?' }).waitFor();
    await tabTo(page, 'Release');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /Held calls/ }).waitFor({ state: 'detached' });
    expect((await usage()).signals).toBe(before.signals + 4);
    const { data } = await ask('/api/v1/held-signals?state=discarded');
    expect(data.map(({ signal }: { signal: { id: string } }) => signal.id)).toEqual(['held-2']);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('on a phone each held signal has its figures and its buttons, for the keyboard too', async () => {
    await hold('phone-1', 'phone-2');
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, context, faults } = await open('Grace', '/sessions', { colorScheme });
      const [first] = (await ask('/api/v1/held-signals')).data;
      const rows = page.getByRole('list', { name: 'Held calls' }).getByRole('listitem');
      await rows.first().getByText('$1,200.00 (limit $1,000.00)').waitFor();
      const before = await rows.count();
      expect(await axeFindings(page)).toEqual([]);
      expect(await sidewaysBy(page)).toBe(0);
      const release = page.getByRole('button', { name: `Release ${first.signal.id}` });
      const { x = 0, width = 0 } = (await release.boundingBox()) ?? {};
      expect([width > 0, x >= 0, x + width <= 390]).toEqual([true, true, true]);
      await tabTo(page, `Discard ${first.signal.id}`);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Discard this call?' }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await tabTo(page, `Release ${first.signal.id}`);
      await page.keyboard.press('Enter');
      await until(async () => (await rows.count()) === before - 1, { what: 'one row less' });
      expect(faults).toEqual([]);
      await context.close();
    }
  });

  test('a member sees none of what others had held, and has no button', async () => {
    await hold('of-ada');
    const signal = makeSignal({ id: 'of-tom', ts: Date.now(), user_id: 'tom', tokens_in: 900_000_000 });
    await ask('/api/v1/signals', signal);
    const { page, context } = await open('Tom', '/sessions');
    await page.getByRole('heading', { name: 'Held calls, 1' }).waitFor();
    expect(await page.getByRole('button', { name: /Release|Discard/ }).count()).toBe(0);
    await context.close();
  });

  test('a wrong call is voided for a reason, and the figures of its session follow', async () => {
    const wrong = makeSignal({ id: 'wrong', ts: Date.now(), user_id: 'eve', cost_usd: 700 });
    const right = makeSignal({ id: 'right', ts: Date.now(), user_id: 'eve', cost_usd: 2 });
    const { results } = await ask('/api/v1/signals', { signals: [wrong, right] });
    const path = `/sessions/${results[0].session_id}`;
    const tom = await open('Tom', path);
    expect(await tom.page.getByRole('button', { name: 'Void' }).count()).toBe(0);
    await tom.context.close();
    const { page, context, faults } = await open('Grace', `${path}?call=wrong`);
    await page.getByText('$702.00').first().waitFor();
    await page.getByRole('dialog', { name: 'Call' }).getByRole('button', { name: 'Void' }).waitFor();
    await tabTo(page, 'Void');
    await page.keyboard.press('Enter');
    const question = page.getByRole('alertdialog', { name: 'Void this call?' });
    await question.waitFor();
    expect(await question.getByRole('button', { name: 'Void it' }).isDisabled()).toBe(true);
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.type('A counter was not reset.');
    await tabTo(page, 'Void it');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Timeline, 1 call' }).waitFor();
    const cost = page.locator('p', { hasText: /^Cost$/ }).locator('xpath=following-sibling::*[1]');
    await page.locator('[data-sentence]', { hasText: '$2.00' }).waitFor();
    expect(await cost.textContent()).toBe('$2.00');
    await until(async () => (await page.getByRole('dialog').count()) === 0, { what: 'the drawer to close' });
    const { signals } = await ask(`/api/v1${path}?voided=include`);
    const reasons = signals.map(({ id, voided }: { id: string; voided?: { reason: string } }) => [
      id,
      voided?.reason,
    ]);
    expect(Object.fromEntries(reasons)).toEqual({ wrong: 'A counter was not reset.', right: undefined });
    expect(faults).toEqual([]);
    await context.close();
  });

  test('the limits are changed and switched off in words', async () => {
    const { page, context, faults } = await open('Grace', '/settings');
    await page.getByText('more than 20,000,000 tokens or a cost above $1,000.00').waitFor();
    await page.getByRole('switch', { name: 'Hold a call of more tokens than a limit' }).press(' ');
    await page.getByRole('textbox', { name: 'Highest cost of a call' }).fill('50');
    await page.getByText('A call with a cost above $50.00 is held').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save limits' }).press('Enter');
    await page.getByText('The limits are saved.').waitFor();
    const { hold_above } = (await call(`${stack.url}/v1/organization`, { key: await stack.tokenOf('grace') }))
      .body;
    expect(hold_above).toEqual({ tokens: null, cost_usd: 50 });
    expect(faults).toEqual([]);
    await context.close();
  });
});
