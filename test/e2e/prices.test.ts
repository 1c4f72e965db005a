import type { Browser, Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openAs, type View } from '../support/browser.ts';
import type { DashboardStack, PersonName } from '../support/dashboard-stack.ts';
import { makeSignal } from '../support/factories.ts';
import { call, until } from '../support/harness.ts';
import { axeFindings, expectGood, expectGoodInViews, sidewaysBy } from '../support/page-checks.ts';
import { withDashboard } from '../support/with-dashboard.ts';

const HOSTILE = `<img src=x onerror=alert(1)>\u202E${'x'.repeat(200)}`;
const BANNER = /of the calls in this range have no price, so the true cost is higher/;
const OWN = { provider: 'vllm', cost_usd: undefined, tokens_in: 1_000_000, tokens_out: 100_000 };

/** An admin gives calls a price, and sees where a price comes from. */
describe('prices on the dashboard', () => {
  let stack: DashboardStack;
  let browser: Browser;

  withDashboard((begun) => {
    ({ stack, browser } = begun);
  });

  const ask = async (path: string, body?: unknown, method?: string) => {
    const options = { key: stack.key, ...(body ? { body } : {}), ...(method ? { method } : {}) };
    const answer = await call(`${stack.url}${path}`, options);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const rules = async (): Promise<{ id: string; name: string; to: string | null }[]> =>
    (await ask('/api/v1/price-rules')).data;
  const unpriced = async () => (await ask('/api/v1/usage')).totals.unpriced_signals;
  const clean = async () => {
    for (const { id } of await rules()) await ask(`/api/v1/price-rules/${id}`, undefined, 'DELETE');
  };
  const open = async (name: PersonName, path: string, view: View = {}) => {
    const watched = await openAs(browser, stack, name, view);
    await watched.page.goto(`${stack.url}/dashboard${path}`);
    await watched.page.getByRole('heading', { level: 1 }).waitFor();
    return watched;
  };
  /** Chooses these models alone, and types a price for them. */
  const fill = async (dialog: Locator, ...models: string[]) => {
    await dialog.getByRole('checkbox').first().waitFor();
    for (const box of await dialog.getByRole('checkbox', { checked: true }).all()) await box.uncheck();
    for (const model of models) await dialog.getByRole('checkbox', { name: model, exact: true }).check();
    await dialog.getByLabel('Input').fill('2');
    await dialog.getByLabel('Output').fill('10');
  };
  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Calls without a price' });

  test('the banner leads to a price for a model, and Overview then shows the true cost', async () => {
    await stack.report(
      { model: 'my-llama', ...OWN },
      { model: 'my-llama', ...OWN },
      { model: 'other', ...OWN },
    );
    const { page, context, faults } = await open('Grace', '/');
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
    expect((await rules()).map(({ name }) => name).toSorted()).toEqual([
      'Price of my-llama',
      'Price of other',
    ]);
    expect(await unpriced(), 'a preview changes nothing').toBe(3);
    await expectGoodInViews(page, 'price-preview');
    await dialog.getByRole('button', { name: 'Reprice 3 calls' }).press('Enter');
    await dialog.getByText('3 calls have a price now: $9.00 in all.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Done' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await give.waitFor({ state: 'detached' });
    await page.getByText('$9.00').first().waitFor();
    expect(await unpriced()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
    await clean();
  }, 90_000);

  test('a preview that is left takes its price back, by Back and by Escape', async () => {
    await stack.report({ model: 'left-alone', ...OWN });
    const before = await unpriced();
    const { page, context, faults } = await open('Grace', '/?remedy=unpriced');
    const dialog = dialogOf(page);
    const preview = async () => {
      await dialog.getByRole('button', { name: 'Set the price and preview' }).click();
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
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);

  test('a price may stay for new calls alone', async () => {
    await stack.report({ model: 'kept', ...OWN });
    const before = await unpriced();
    const { page, context } = await open('Grace', '/?remedy=unpriced');
    const dialog = dialogOf(page);
    await fill(dialog, 'kept');
    await dialog.getByRole('button', { name: 'Set the price and preview' }).click();
    await dialog.getByRole('button', { name: 'Keep it for new calls only' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await rules()).map(({ name }) => name)).toEqual(['Price of kept']);
    expect(await unpriced()).toBe(before);
    await context.close();
    await clean();
  }, 60_000);

  test('a preview that others have overtaken is made anew', async () => {
    await stack.report({ model: 'overtaken', ...OWN });
    const { page, context } = await open('Grace', '/?remedy=unpriced');
    const dialog = dialogOf(page);
    await fill(dialog, 'overtaken');
    await dialog.getByRole('button', { name: 'Set the price and preview' }).click();
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
    expect((await rules()).map(({ name }) => name)).toEqual(['Theirs']);
    await context.close();
    await clean();
  }, 60_000);

  test('a rule that is made before something fails may be tried again, kept or taken back', async () => {
    await stack.report({ model: 'first', ...OWN }, { model: 'second', ...OWN });
    const { page, context } = await open('Grace', '/?remedy=unpriced');
    const dialog = dialogOf(page);
    await fill(dialog, 'first', 'second');
    // The connection is lost after the first rule.
    let posts = 0;
    await page.route('**/api/v1/price-rules', async (route) => {
      posts += route.request().method() === 'POST' ? 1 : 0;
      await (posts === 2 ? route.abort() : route.continue());
    });
    await dialog.getByRole('button', { name: 'Set the price and preview' }).click();
    await dialog.getByText('1 of 2 prices is set, and holds for new calls.').waitFor();
    await expectGood(page, 'price-unfinished');
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByText(/2 calls without a price get one/).waitFor();
    expect((await rules()).map(({ name }) => name).toSorted()).toEqual(['Price of first', 'Price of second']);
    await dialog.getByRole('button', { name: 'Back' }).click();
    await dialog.getByRole('button', { name: 'Set the price and preview' }).waitFor();
    expect(await rules()).toEqual([]);
    await context.close();
  }, 60_000);

  test('a budget names the models without a price, and leads an admin to one', async () => {
    const body = { name: 'Ours', scope: 'user', scope_id: 'ida', metric: 'cost_usd', threshold: 9 };
    const rule = { window: 'monthly', enforce: 'hard', unpriced: 'refuse' };
    const { id } = await ask('/api/v1/budgets', { ...body, ...rule });
    const many = Array.from({ length: 3 }, () => ({ user_id: 'ida', model: 'my-model', ...OWN }));
    await stack.report(...many, { user_id: 'ida', model: 'other-model', ...OWN });
    const { page, context, faults } = await open('Grace', `/budgets/${id}`);
    await page
      .getByText('4 calls without a price count as nothing in this window: my-model 3, other-model 1.')
      .waitFor();
    await page.getByText('and calls of models without a price').waitFor();
    await expectGoodInViews(page, 'budget-unpriced');
    await page.getByRole('link', { name: 'Give them a price' }).press('Enter');
    await dialogOf(page).getByRole('checkbox', { name: 'my-model', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);

  test('a member sees the sentence without the way to change it', async () => {
    await stack.report({ model: 'of-tom', user_id: 'tom', ...OWN });
    const { page, context } = await open('Tom', '/?remedy=unpriced');
    await page.getByText(BANNER).waitFor();
    expect(await page.getByRole('link', { name: BANNER }).count()).toBe(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.goto(`${stack.url}/dashboard/settings?tab=prices`);
    await page.getByText('Only admins of your organization see this page.').waitFor();
    await context.close();
  });

  test('Settings makes, renames, ends and deletes rules, and says what has no price', async () => {
    await stack.report({ model: HOSTILE, ...OWN }, { model: 'all-*', ...OWN });
    const { page, context, faults } = await open('Grace', '/settings?tab=prices');
    await page.getByText('A rule would read the * as any characters.').waitFor();
    await page.getByRole('button', { name: 'New rule' }).click();
    const form = page.getByRole('dialog', { name: 'New price rule' });
    await form.getByLabel('Name').fill('Contract with Anthropic');
    await form.getByLabel('Price', { exact: true }).selectOption('Off the list price');
    await form.getByLabel('Per cent').fill('12.5');
    await form.getByLabel('Model').fill('claude-*');
    await form.getByLabel('Provider').fill('anthropic');
    await expectGoodInViews(page, 'new-rule');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByText('12.5 % off the list price').waitFor();
    await page.getByText('claude-* at anthropic').waitFor();
    await stack.report({
      provider: 'anthropic',
      model: 'claude-opus-4-8',
      cost_usd: undefined,
      tokens_in: 1_000_000,
    });
    await page.reload();
    await page.getByText(/^1 call, \$4\.\d\d \(list \$5\.\d\d\)$/).waitFor();
    await expectGoodInViews(page, 'prices-tab');
    expect(await sidewaysBy(page)).toBe(0);
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
    expect(faults).toEqual([]);
    await context.close();
  }, 90_000);

  test('a call leads to where its price comes from, and names its rule', async () => {
    const from = new Date(Date.now() - 86_400_000).toISOString();
    const prices = { usd_per_million: { input: 0.5, output: 2 } };
    await ask('/api/v1/price-rules', {
      name: HOSTILE.slice(0, 28),
      from,
      match: { model: 'ruled' },
      ...prices,
    });
    const id = 'ruled-call-0000001';
    const signal = makeSignal({ id, ts: Date.now(), model: 'ruled', ...OWN });
    const [{ session_id }] = (await ask('/api/v1/signals', { signals: [signal] })).results;
    const { page, context, faults } = await open('Grace', `/sessions/${session_id}?call=${id}`);
    const drawer = page.getByRole('dialog', { name: 'Call' });
    await drawer.getByText('$0.70, by a price rule').waitFor();
    await drawer.getByText('<img src=x onerror=alert(1)>').waitFor();
    await drawer.getByRole('link', { name: 'Why does this call cost that?' }).press('Enter');
    const answer = page.getByRole('status', { name: 'The price of the call' });
    await answer.getByText('$0.70').waitFor();
    await answer.getByText('<img src=x onerror=alert(1)>').waitFor();
    await answer.getByText('$0.50').waitFor();
    await expectGoodInViews(page, 'quote');
    await page.getByRole('textbox', { name: 'Model' }).fill('nobody-knows');
    await page.getByRole('button', { name: 'Ask' }).press('Enter');
    await answer.getByText(/No price is known: neither a price rule nor the price list/).waitFor();
    expect(faults).toEqual([]);
    await context.close();
    await clean();
  }, 60_000);
});
