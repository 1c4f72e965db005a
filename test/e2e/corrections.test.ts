import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { DARK_PHONE, tabTo } from '../support/browser.ts';
import { makeSignal } from '../support/factories.ts';
import { until } from '../support/harness.ts';
import { expectGood, expectGoodInViews } from '../support/page-checks.ts';
import { withDashboard } from '../support/with-dashboard.ts';

const HOSTILE = `<img src=x onerror=alert(1)>\u202E${'x'.repeat(200)}`;
const BANNER = /of the calls in this range have no price, so the true cost is higher/;
const OWN = { provider: 'vllm', cost_usd: undefined, tokens_in: 1_000_000, tokens_out: 100_000 };

type Voidable = { id: string; voided?: { reason: string } };

const begun = withDashboard();

/** An admin gives calls a price, and sees where a price comes from. */
describe('prices on the dashboard', () => {
  const { stack, open, ask } = begun;

  const rules = async (): Promise<{ id: string; name: string; to: string | null }[]> =>
    (await ask('/api/v1/price-rules')).data;
  const unpriced = async () => (await ask('/api/v1/usage')).totals.unpriced_signals;
  const clean = async () => {
    for (const { id } of await rules()) await ask(`/api/v1/price-rules/${id}`, undefined, 'DELETE');
  };
  /** Chooses these models alone, and types a price for them. */
  const fill = async (dialog: Locator, ...models: string[]) => {
    await dialog.getByRole('checkbox').first().waitFor();
    for (const box of await dialog.getByRole('checkbox', { checked: true }).all()) await box.uncheck();
    for (const model of models) await dialog.getByRole('checkbox', { name: model, exact: true }).check();
    await dialog.getByLabel('Input').fill('2');
    await dialog.getByLabel('Output').fill('10');
  };
  const setAndPreview = (dialog: Locator) =>
    dialog.getByRole('button', { name: 'Set the price and preview' }).click();
  const names = async () => (await rules()).map(({ name }) => name).toSorted();
  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Calls without a price' });

  test('the banner leads to a price for a model, and Overview then shows the true cost', async () => {
    await stack.report(...['my-llama', 'my-llama', 'other'].map((model) => ({ model, ...OWN })));
    const page = await open('/');
    const give = page.getByRole('link', { name: BANNER });
    await give.waitFor();
    await give.press('Enter');
    const dialog = dialogOf(page);
    await dialog.getByText('3 of 3 calls (100 %) have no price').waitFor();
    expect(await dialog.getByRole('checkbox', { name: 'my-llama' }).isChecked()).toBe(true);
    expect(await dialog.getByRole('button', { name: 'Set the price and preview' }).isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: 'other' }).press('Space');
    await dialog.getByLabel('Input').focus();
    await page.keyboard.type('2');
    await page.keyboard.press('Tab');
    await page.keyboard.type('10');
    await expectGoodInViews(page, 'give-a-price');
    await page.keyboard.press('Enter');
    await dialog.getByText(/3 calls without a price get one/).waitFor();
    await dialog.getByText(/Their cost becomes \$9\.00\. None is left without a price/).waitFor();
    expect(await names()).toEqual(['Price of my-llama', 'Price of other']);
    expect(await unpriced(), 'a preview changes nothing').toBe(3);
    await expectGoodInViews(page, 'price-preview');
    await dialog.getByRole('button', { name: 'Reprice 3 calls' }).press('Enter');
    await dialog.getByText('3 calls have a price now: $9.00 in all.').waitFor();
    await expectGood(page, 'price-given');
    await dialog.getByRole('button', { name: 'Done' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await give.waitFor({ state: 'detached' });
    await page.getByText('$9.00').first().waitFor();
    expect(await unpriced()).toBe(0);
    await clean();
  });

  test('a preview that is left takes its price back, by Back and by Escape', async () => {
    await stack.report({ model: 'left-alone', ...OWN });
    const before = await unpriced();
    const page = await open('/?remedy=unpriced');
    const dialog = dialogOf(page);
    const preview = async () => {
      await setAndPreview(dialog);
      await dialog.getByText(/1 call without a price gets one/).waitFor();
      expect(await rules()).toHaveLength(1);
    };
    await fill(dialog, 'left-alone');
    await preview();
    await dialog.getByRole('button', { name: 'Back' }).click();
    await dialog.getByRole('button', { name: 'Set the price and preview' }).waitFor();
    expect(await rules()).toEqual([]);
    expect(await dialog.getByLabel('Output').inputValue(), 'what was typed stays').toBe('$10');
    await preview();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('The price is taken back. No recorded call has changed.').first().waitFor();
    expect(await rules()).toEqual([]);
    expect(await unpriced()).toBe(before);
  });

  test('a price may stay for new calls alone', async () => {
    await stack.report({ model: 'kept', ...OWN });
    const before = await unpriced();
    const page = await open('/?remedy=unpriced');
    const dialog = dialogOf(page);
    await fill(dialog, 'kept');
    await setAndPreview(dialog);
    await dialog.getByRole('button', { name: 'Keep it for new calls only' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await names()).toEqual(['Price of kept']);
    expect(await unpriced()).toBe(before);
    await clean();
  });

  test('a preview that others have overtaken is made anew', async () => {
    await stack.report({ model: 'overtaken', ...OWN });
    const page = await open('/?remedy=unpriced');
    const dialog = dialogOf(page);
    await fill(dialog, 'overtaken');
    await setAndPreview(dialog);
    await dialog.getByText(/Its cost becomes \$3\.00/).waitFor();
    const from = new Date(Date.now() - 86_400_000).toISOString();
    const match = { model: 'overtaken', provider: 'vllm' };
    await ask('/api/v1/price-rules', { name: 'Theirs', from, match, free: true });
    await dialog.getByRole('button', { name: 'Reprice 1 call' }).click();
    await dialog.getByText('preview_stale').waitFor();
    await dialog.getByRole('button', { name: 'Preview again' }).click();
    await dialog.getByText(/Its cost becomes \$0\.00/).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await names()).toEqual(['Theirs']);
    await clean();
  });

  test('a rule that is made before something fails may be tried again, kept or taken back', async () => {
    await stack.report({ model: 'first', ...OWN }, { model: 'second', ...OWN });
    const page = await open('/?remedy=unpriced');
    const dialog = dialogOf(page);
    await fill(dialog, 'first', 'second');
    // The connection is lost after the first rule.
    let posts = 0;
    await page.route('**/api/v1/price-rules', async (route) => {
      posts += route.request().method() === 'POST' ? 1 : 0;
      await (posts === 2 ? route.abort() : route.continue());
    });
    await setAndPreview(dialog);
    await dialog.getByText('1 of 2 prices is set, and holds for new calls.').waitFor();
    await expectGood(page, 'price-unfinished');
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByText(/2 calls without a price get one/).waitFor();
    expect(await names()).toEqual(['Price of first', 'Price of second']);
    await dialog.getByRole('button', { name: 'Back' }).click();
    await dialog.getByRole('button', { name: 'Set the price and preview' }).waitFor();
    expect(await rules()).toEqual([]);
  });

  test('a member sees the sentence without the way to change it', async () => {
    await stack.report({ model: 'of-tom', user_id: 'tom', ...OWN });
    const page = await open('/?remedy=unpriced', 'Tom');
    await page.getByText(BANNER).waitFor();
    expect(await page.getByRole('link', { name: BANNER }).count()).toBe(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('Settings makes, renames, ends and deletes rules, and says what has no price', async () => {
    await stack.report({ model: HOSTILE, ...OWN }, { model: 'all-*', ...OWN });
    const page = await open('/settings?tab=prices');
    await page.getByText('A rule would read the * as any characters.').waitFor();
    await page.getByRole('button', { name: 'New rule' }).click();
    const form = page.getByRole('dialog', { name: 'New price rule' });
    await form.getByLabel('Name').fill('Contract with Anthropic');
    await form.getByLabel('Price', { exact: true }).selectOption('Off the list price');
    await form.getByLabel('Per cent').fill('12.5');
    await form.getByLabel('Model').fill('claude-*');
    await form.getByLabel('Provider').fill('anthropic');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByText('12.5 % off the list price').waitFor();
    await page.getByText('claude-* at anthropic').waitFor();
    await expectGoodInViews(page, 'prices-tab');
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('button', { name: 'Edit Contract with Anthropic' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit the price rule' });
    await edit.getByLabel('Name').fill('Old contract');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Edit Old contract' }).click();
    await edit.getByRole('button', { name: 'End now' }).click();
    await edit.waitFor({ state: 'detached' });
    await until(async () => (await rules())[0]?.to !== null);
    await page.getByRole('button', { name: 'Delete Old contract' }).click();
    const question = page.getByRole('dialog', { name: 'Delete the rule Old contract?' });
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText(/No rule yet/).waitFor();
    expect(await rules()).toEqual([]);
  });

  test('a call leads to where its price comes from, and names its rule', async () => {
    const from = new Date(Date.now() - 86_400_000).toISOString();
    const prices = { usd_per_million: { input: 0.5, output: 2 } };
    const rule = { name: HOSTILE.slice(0, 28), from, match: { model: 'ruled' }, ...prices };
    await ask('/api/v1/price-rules', rule);
    const id = 'ruled-call-0000001';
    const signal = makeSignal({ id, ts: Date.now(), model: 'ruled', ...OWN });
    const [{ session_id }] = (await ask('/api/v1/signals', { signals: [signal] })).results;
    const page = await open(`/sessions/${session_id}?call=${id}`);
    const drawer = page.getByRole('dialog', { name: 'Call' });
    await drawer.getByText('$0.70, by a price rule').waitFor();
    await drawer.getByText('<img src=x onerror=alert(1)>').waitFor();
    await drawer.getByRole('link', { name: 'Why does this call cost that?' }).press('Enter');
    const answer = page.getByRole('status', { name: 'The price of the call' });
    await answer.getByText('$0.70').waitFor();
    await answer.getByText('<img src=x onerror=alert(1)>').waitFor();
    await answer.getByText('$0.50').waitFor();
    await expectGood(page, 'quote');
    await page.getByRole('textbox', { name: 'Model' }).fill('nobody-knows');
    await page.getByRole('button', { name: 'Ask' }).press('Enter');
    await answer.getByText(/No price is known: neither a price rule nor the price list/).waitFor();
    await clean();
  });
});

/** An admin corrects what is implausible or wrong, by the keyboard alone. */
describe('corrections on the dashboard', () => {
  const { stack, open, ask } = withDashboard(undefined, { beside: begun });
  /** Goes to a button by Tab alone, and presses it. */
  const press = async (page: Page, name: string) => {
    await tabTo(page, page.getByRole('button', { name, exact: true }));
    await page.keyboard.press('Enter');
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
    const page = await open('/sessions');
    await page.getByRole('heading', { name: 'Held calls, 5' }).waitFor();
    const table = page.getByRole('table', { name: 'Held calls' });
    const why = '900,000,010 tokens (limit 20,000,000), $1,200.00 (limit $1,000.00)';
    await table.getByText(why).first().waitFor();
    await expectGood(page, 'held');
    await page.getByRole('status').getByText('5 calls are held').waitFor();
    const before = await usage();
    await press(page, 'Release held-1');
    await page.getByRole('heading', { name: 'Held calls, 4' }).waitFor();
    expect((await usage()).signals).toBe(before.signals + 1);
    await press(page, 'Discard held-2');
    await page.getByRole('dialog', { name: 'Discard this call?' }).waitFor();
    await press(page, 'Discard');
    await page.getByRole('heading', { name: 'Held calls, 3' }).waitFor();
    await press(page, 'Release all 3');
    await page.getByRole('dialog', { name: 'Release these 3 calls?' }).waitFor();
    await press(page, 'Release');
    await page.getByRole('heading', { name: /Held calls/ }).waitFor({ state: 'detached' });
    expect((await usage()).signals).toBe(before.signals + 4);
    const { data } = await ask('/api/v1/held-signals?state=discarded');
    expect(data.map(({ signal }: { signal: { id: string } }) => signal.id)).toEqual(['held-2']);
  });

  test('on a phone each held signal has its figures and its buttons, for the keyboard too', async () => {
    await hold('phone-1', 'phone-2');
    const page = await open('/sessions', 'Grace', DARK_PHONE);
    const [first] = (await ask('/api/v1/held-signals')).data;
    const rows = page.getByRole('list', { name: 'Held calls' }).getByRole('listitem');
    await rows.first().getByText('$1,200.00 (limit $1,000.00)').waitFor();
    const before = await rows.count();
    await expectGood(page, 'held-390');
    const release = page.getByRole('button', { name: `Release ${first.signal.id}` });
    const { x = 0, width = 0 } = (await release.boundingBox()) ?? {};
    expect([width > 0, x >= 0, x + width <= 390]).toEqual([true, true, true]);
    await press(page, `Discard ${first.signal.id}`);
    await page.getByRole('dialog', { name: 'Discard this call?' }).waitFor();
    await page.keyboard.press('Escape');
    await press(page, `Release ${first.signal.id}`);
    await expect.poll(() => rows.count()).toBe(before - 1);
  });

  test('a wrong call is voided for a reason, and the figures of its session follow', async () => {
    const wrong = makeSignal({ id: 'wrong', ts: Date.now(), user_id: 'eve', cost_usd: 700 });
    const right = makeSignal({ id: 'right', ts: Date.now(), user_id: 'eve', cost_usd: 2 });
    const { results } = await ask('/api/v1/signals', { signals: [wrong, right] });
    const path = `/sessions/${results[0].session_id}`;
    const tom = await open(path, 'Tom');
    expect(await tom.getByRole('button', { name: 'Void' }).count()).toBe(0);
    const page = await open(`${path}?call=wrong`);
    await page.getByText('$702.00').first().waitFor();
    await page.getByRole('dialog', { name: 'Call' }).getByRole('button', { name: 'Void' }).waitFor();
    await press(page, 'Void');
    const question = page.getByRole('alertdialog', { name: 'Void this call?' });
    await question.waitFor();
    expect(await question.getByRole('button', { name: 'Void it' }).isDisabled()).toBe(true);
    await expectGood(page, 'void');
    await page.keyboard.type('A counter was not reset.');
    await press(page, 'Void it');
    await page.getByRole('heading', { name: 'Timeline, 1 call' }).waitFor();
    const cost = page.locator('p', { hasText: /^Cost$/ }).locator('xpath=following-sibling::*[1]');
    await page.locator('[data-sentence]', { hasText: '$2.00' }).waitFor();
    expect(await cost.textContent()).toBe('$2.00');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    const { signals } = await ask(`/api/v1${path}?voided=include`);
    const reasons = signals.map(({ id, voided }: Voidable) => [id, voided?.reason]);
    expect(Object.fromEntries(reasons)).toEqual({ wrong: 'A counter was not reset.', right: undefined });
  });

  test('the limits are changed and switched off in words', async () => {
    const page = await open('/settings');
    await page.getByText('more than 20,000,000 tokens or a cost above $1,000.00').waitFor();
    await page.getByRole('switch', { name: 'Hold a call of more tokens than a limit' }).press(' ');
    await page.getByRole('textbox', { name: 'Highest cost of a call' }).fill('50');
    await page.getByText('A call with a cost above $50.00 is held').waitFor();
    await page.getByRole('button', { name: 'Save limits' }).press('Enter');
    await page.getByText('The limits are saved.').waitFor();
    const { hold_above } = await readOrganization(stack.ctx, stack.orgId);
    expect(hold_above).toEqual({ tokens: null, cost_usd: 50 });
  });
});
