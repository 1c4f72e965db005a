import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { openAs, openPage, type View } from '../support/browser.ts';
import { type DashboardStack, type PersonName, startDashboard } from '../support/dashboard-stack.ts';
import { makeSignal } from '../support/factories.ts';
import { call, until } from '../support/harness.ts';
import { axeFindings, sidewaysBy } from '../support/page-checks.ts';
import { withDashboard } from '../support/with-dashboard.ts';

const HOSTILE = '<img src=x onerror="document.title=`broken`"> \u202egnp.exe';
const DARK_PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

/** The frame of every page: its notices, the palette, and its words when something is missing. */
describe('the frame of the dashboard', () => {
  let stack: DashboardStack;
  let browser: Browser;

  withDashboard((begun) => {
    ({ stack, browser } = begun);
  });

  const open = async (path: string, name: PersonName = 'Grace', view: View = {}) => {
    const watched = await openAs(browser, stack, name, view);
    await visit(watched.page, path);
    return watched;
  };
  const visit = async (page: Page, path: string) => {
    await page.goto(`${stack.url}/dashboard${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  const ask = async (path: string, body: unknown, method = 'POST') => {
    const answer = await call(`${stack.url}${path}`, { method, key: stack.key, body });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const rule = { scope: 'org', metric: 'cost_usd', threshold: 1, window: 'monthly' };
  const stepsOf = async (page: Page) =>
    page.evaluate(
      `Object.fromEntries([...document.querySelectorAll('[data-step]')].map((step) => [step.dataset.step, step.dataset.done]))`,
    );

  test('an admin is led through the first steps until all are taken or dismissed, a member is not', async () => {
    const { page, faults, context } = await open('/');
    await page.locator('[data-step=connect]').waitFor();
    const invited = { invite: 'true', budget: 'false', alert: 'false' };
    expect(await stepsOf(page)).toEqual({ connect: 'false', ...invited });
    expect(await axeFindings(page)).toEqual([]);
    await stack.report({ user_id: 'tom', cost_usd: 2 });
    await visit(page, '/');
    await page.locator('[data-step=connect][data-done=true]').waitFor();
    await page.locator('[data-step=budget]').getByRole('link').press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Budgets' }).waitFor();
    const { id } = await ask('/api/v1/budgets', { name: 'First', ...rule, threshold: 1_000 });
    const channel = { url: 'http://127.0.0.1:9/', format: 'slack', events: ['budget.exceeded'] };
    await visit(page, '/');
    await page.locator('[data-step=budget][data-done=true]').waitFor();
    const { id: channelId } = await ask('/api/v1/webhooks', channel);
    await visit(page, '/');
    await page.waitForLoadState('networkidle');
    expect(await page.locator('[data-step]').count(), 'all are taken').toBe(0);
    await ask(`/api/v1/budgets/${id}`, undefined, 'DELETE');
    await ask(`/api/v1/webhooks/${channelId}`, undefined, 'DELETE');

    await visit(page, '/');
    await page.locator('[data-step=alert]').waitFor();
    const phone = await open('/', 'Grace', DARK_PHONE);
    await phone.page.locator('[data-step=alert]').waitFor();
    expect(await axeFindings(phone.page)).toEqual([]);
    expect(await sidewaysBy(phone.page)).toBe(0);
    await phone.page.getByRole('button', { name: 'Dismiss', exact: true }).press('Enter');
    await phone.page.locator('[data-step]').first().waitFor({ state: 'detached' });
    await visit(page, '/');
    await page.waitForLoadState('networkidle');
    expect(await page.locator('[data-step]').count(), 'dismissed on all devices').toBe(0);
    const member = await open('/', 'Tom');
    await member.page.waitForLoadState('networkidle');
    expect(await member.page.locator('[data-step]').count()).toBe(0);
    expect([...faults, ...phone.faults, ...member.faults]).toEqual([]);
    for (const each of [context, phone.context, member.context]) await each.close();
  });

  test('the palette finds a person, a project, a session, a call and a budget, by the keyboard alone', async () => {
    const call_ = makeSignal({ id: 'call-4711', ts: Date.now(), user_id: 'tom', project_id: 'atlas' });
    await ask('/api/v1/signals', { signals: [call_] });
    const { id } = await ask('/api/v1/budgets', { name: HOSTILE, ...rule, threshold: 1_000 });
    const { data } = await ask('/api/v1/sessions?project_id=atlas', undefined, 'GET');
    for (const view of [{}, DARK_PHONE]) {
      const { page, faults, context } = await open('/devices', 'Grace', view);
      const asked: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/api/v1/search')) asked.push(request.url());
      });
      const palette = page.getByRole('dialog', { name: 'Go to a page' });
      const look = async (text: string) => {
        await page.keyboard.press('Control+k');
        await palette.locator('input:focus').waitFor();
        await palette.locator('input').pressSequentially(text);
      };
      await look('h');
      await palette.getByText('Type 2 characters to look for').waitFor();
      await palette.locator('input').pressSequentially('erre');
      await palette.getByText(/User/).waitFor();
      expect(asked.some((url) => url.endsWith('q=h'))).toBe(false);
      expect(await axeFindings(page)).toEqual([]);
      expect(await sidewaysBy(page)).toBe(0);
      await palette.locator('input').press('Enter');
      await page.waitForURL(/user_id=tom/);
      for (const [text, kind, arrived] of [
        ['atl', 'Project', /project_id=atlas/],
        [data[0].id, 'Session', new RegExp(data[0].id)],
        ['call-4711', 'Call', /call=call-4711/],
        ['onerror', 'Budget', new RegExp(id)],
      ] as const) {
        await look(text);
        await palette.getByText(new RegExp(`^${kind}( · |$)`)).waitFor();
        await palette.locator('input').press('Enter');
        await page.waitForURL(arrived);
        await palette.waitFor({ state: 'hidden' });
        // The drawer of a call takes the focus when it opens.
        if (kind === 'Call')
          await page.getByRole('dialog', { name: 'Call', exact: true }).locator(':focus').waitFor();
      }
      // An id that is pasted, and Enter at once.
      await page.keyboard.press('Control+k');
      await palette.locator('input:focus').waitFor();
      await page.keyboard.insertText(data[0].id);
      await palette.locator('input').press('Enter');
      await page.waitForURL(new RegExp(data[0].id));
      await palette.waitFor({ state: 'hidden' });
      await look('nobody-has-this');
      await palette.getByText('Nothing of this name or id is here, or you may not see it.').waitFor();
      await page.keyboard.press('Escape');
      await palette.waitFor({ state: 'hidden' });
      expect(await page.title()).not.toBe('broken');
      expect(faults).toEqual([]);
      await context.close();
    }
    const { page, faults, context } = await open('/devices', 'Tom');
    for (const foreign of ['Lindqvist', id]) {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill(foreign);
      await page.getByText('Nothing of this name or id is here, or you may not see it.').waitFor();
      await page.keyboard.press('Escape');
    }
    expect(faults).toEqual([]);
    await context.close();
    await ask(`/api/v1/budgets/${id}`, undefined, 'DELETE');
  });

  test('notices are one line, most urgent first, and dismissed on all devices until another occurrence', async () => {
    await stack.report({ user_id: 'tom', cost_usd: 2 });
    const hard = await ask('/api/v1/budgets', { name: HOSTILE, ...rule, enforce: 'hard', on_error: 'allow' });
    const soft = await ask('/api/v1/budgets', { name: 'Soft', ...rule });
    await changeOrganization(stack.ctx, stack.orgId, { hold_above: { tokens: 1_000 } });
    const big = makeSignal({ id: 'big', ts: Date.now(), user_id: 'tom', tokens_in: 5_000 });
    await until(
      async () =>
        (await ask('/api/v1/signals', { signals: [{ ...big, id: `big-${Date.now()}` }] })).results[0]
          .status === 'held',
      { what: 'a held signal' },
    );
    await stack.report({ user_id: 'tom', model: HOSTILE, cost_usd: undefined, tokens_in: 9, tokens_out: 9 });
    const laptop = await open('/');
    const phone = await open('/', 'Grace', DARK_PHONE);
    const kinds = async (page: Page) =>
      page.evaluate(`[...document.querySelectorAll('[data-banner]')].map(({ dataset }) =>
        dataset.severity + ' ' + dataset.banner.split(' ')[0])`);
    for (const { page } of [laptop, phone]) {
      await page.locator('[data-severity=stop]').waitFor();
      expect(await kinds(page)).toEqual(['stop budget']);
      await page.getByText('Stop:').waitFor();
      await page.getByRole('button', { name: 'and 3 more' }).press('Enter');
      await until(async () => (await page.locator('[data-banner]').count()) === 4);
      expect(await kinds(page)).toEqual(['stop budget', 'warning budget', 'warning held', 'note unpriced']);
      expect(await axeFindings(page)).toEqual([]);
      expect(await sidewaysBy(page)).toBe(0);
      expect(await page.locator('img').count()).toBe(0);
    }
    await laptop.page.getByRole('link', { name: /of the calls in this range have no price/ }).press('Enter');
    const prices = laptop.page.getByRole('dialog', { name: 'Calls without a price' });
    await prices.getByText('<img src=x').first().waitFor();
    expect(await laptop.page.locator('img').count()).toBe(0);
    const guideOf = await prices.getByRole('link', { name: 'How prices work' }).getAttribute('href');
    const guide = await laptop.page.request.get(new URL(guideOf ?? '', stack.url).href);
    expect(guide.status()).toBe(200);
    expect(await guide.text()).toContain('id="give-a-model-a-price"');
    await laptop.page.keyboard.press('Escape');
    await prices.waitFor({ state: 'detached' });
    await laptop.page.getByRole('link', { name: /calls? (is|are) held/ }).click();
    await laptop.page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();

    const dismissal = laptop.page.waitForResponse((response) => response.url().endsWith('/v1/preferences'));
    await laptop.page.getByRole('button', { name: 'Dismiss: A budget is exceeded' }).press('Enter');
    await laptop.page.getByRole('link', { name: 'A budget is exceeded' }).waitFor({ state: 'detached' });
    expect((await dismissal).status()).toBe(200);
    await laptop.page.getByRole('button', { name: 'Dismiss: A budget refuses calls' }).press('Enter');
    await laptop.page.getByRole('link', { name: 'A budget refuses calls' }).waitFor({ state: 'detached' });
    await laptop.page.waitForLoadState('networkidle');
    await visit(phone.page, '/devices');
    await phone.page.locator('[data-banner]').first().waitFor();
    expect(await kinds(phone.page), 'without those that were dismissed elsewhere').toEqual(['warning held']);
    const kept = await phone.page.request.get(`${stack.url}/dashboard/v1/preferences`);
    const { dismissed } = (await kept.json()) as { dismissed: { id: string; until: number | null }[] };
    const untilOf = (id: string) => dismissed.find((each) => each.id.startsWith(`budget ${id}`))?.until;
    expect(untilOf(soft.id)).toBeNull();
    const day = Date.now() / 1_000 + 86_400;
    expect(untilOf(hard.id)).toBeGreaterThan(day - 300);
    expect(untilOf(hard.id)).toBeLessThan(day + 1);

    // An edit lets the levels fire again: another occurrence.
    await ask(`/api/v1/budgets/${soft.id}`, { threshold: 0.5 }, 'PATCH');
    await visit(phone.page, '/devices');
    await phone.page.getByRole('link', { name: 'A budget is exceeded' }).waitFor();
    for (const { id } of [hard, soft]) await ask(`/api/v1/budgets/${id}`, undefined, 'DELETE');
    await changeOrganization(stack.ctx, stack.orgId, { hold_above: { tokens: 20_000_000 } });
    expect([...laptop.faults, ...phone.faults]).toEqual([]);
    for (const { context } of [laptop, phone]) await context.close();
  });

  test('the oldest of more budgets than a page of the API has is told of too', async () => {
    await stack.report({ user_id: 'tom', cost_usd: 2 });
    const whose = { scope: 'user', scope_id: 'tom' };
    const oldest = await ask('/api/v1/budgets', { name: 'Oldest', ...rule, ...whose, enforce: 'hard' });
    const ids: string[] = [oldest.id];
    for (let count = 0; count < 100; count += 1) {
      const later = { name: `Later ${count}`, ...rule, threshold: 1_000_000 };
      ids.push((await ask('/api/v1/budgets', later)).id);
    }
    const { page, faults, context } = await open('/?user_id=tom');
    await page.locator('[data-severity=stop]').getByText('Oldest').waitFor();
    // The card of the person and that of all budgets.
    await until(async () => (await page.getByRole('meter', { name: /^Oldest: / }).count()) === 2);
    for (const id of ids) await ask(`/api/v1/budgets/${id}`, undefined, 'DELETE');
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a service at which nobody can sign in says so before somebody tries, and above every page', async () => {
    const contact = 'help@acme.example';
    const broken = await startDashboard({ OIDC_ISSUER: 'http://127.0.0.1:9', SUPPORT_CONTACT: contact });
    try {
      for (const view of [{}, DARK_PHONE]) {
        const { page, faults, context } = await openPage(browser, view);
        await page.goto(`${broken.url}/dashboard/sessions`);
        const alert = page.getByRole('alert');
        await alert.getByText('Nobody can sign in now').waitFor();
        await alert.getByText(`cannot be read. Ask ${contact}.`).waitFor();
        expect(await page.getByRole('link', { name: 'Sign in' }).count(), 'it may be over soon').toBe(1);
        expect(await axeFindings(page)).toEqual([]);
        expect(await sidewaysBy(page)).toBe(0);
        expect(faults).toEqual([]);
        await context.close();
      }
    } finally {
      await broken.stop();
    }
    const { page, context } = await open('/devices');
    // Somebody who has signed in before: the service answers with the problem that it has now.
    await page.route('**/dashboard/session', async (route) => {
      const answer = await route.fetch();
      const sign_in_problem = { detail: 'Nobody can sign in: OIDC_ISSUER is not set.', contact };
      await route.fulfill({ response: answer, json: { ...(await answer.json()), sign_in_problem } });
    });
    await page.reload();
    const notice = page.locator('[data-severity=stop]');
    await notice.getByText('Nobody can sign in now').waitFor();
    await notice.getByText(`Ask ${contact}.`).waitFor();
    await context.close();
  });

  test.each(['sessions', 'budgets', 'webhooks'])(
    'a page below /%s of something that is not there says so, once',
    async (list) => {
      const { page, context } = await open(`/${list}/none`);
      await page.getByRole('alert').first().waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.getByRole('alert').allInnerTexts()).toHaveLength(1);
      await context.close();
    },
  );

  test('the colours are those of the system until somebody chooses, and then those that were chosen', async () => {
    for (const [system, other] of [
      ['light', 'dark'],
      ['dark', 'light'],
    ] as const) {
      const { page, context } = await open('/devices', 'Tom', { colorScheme: system });
      const shown = (scheme: string) => page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor();
      const button = (scheme: string) =>
        page.getByRole('button', { name: new RegExp(`^${scheme} colours`, 'i') });
      await shown(system);
      for (const chosen of [other, system, other]) {
        await button(chosen).click();
        await shown(chosen);
      }
      await visit(page, '/devices');
      await shown(other);
      await context.close();
    }
  });

  test('an unknown page keeps the navigation', async () => {
    for (const path of ['/no/such', '/sesions']) {
      const { page, faults, context } = await open(path, 'Tom', { colorScheme: 'dark' });
      await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Budgets' }).click();
      await page.getByRole('heading', { level: 1, name: 'Budgets' }).waitFor();
      expect(faults).toEqual([]);
      await context.close();
    }
  });

  test('a service that is not ready is said by code and words at its first answer, and asked until it is', async () => {
    const { page, context } = await open('/devices');
    const problem = { code: 'store_unavailable', detail: 'A store does not answer. Try again.' };
    const body = JSON.stringify(problem);
    const answers: number[] = [];
    await page.route(/\/api\/v1\/(sessions|usage|budgets)/, (route) => {
      answers.push(Date.now());
      return route.fulfill({ status: 503, contentType: 'application/problem+json', body });
    });
    for (const path of ['/sessions', '/budgets', '/']) {
      answers.length = 0;
      await visit(page, path);
      const alert = page.getByRole('alert').first();
      await alert.getByText('store_unavailable').waitFor();
      await alert.getByText(problem.detail).waitFor();
      expect(Date.now() - (answers[0] ?? 0), path).toBeLessThan(3_000);
    }
    await page.unroute(/\/api\/v1\/(sessions|usage|budgets)/);
    await page.getByRole('application', { name: /^Cost over time/ }).waitFor();
    await until(async () => (await page.getByRole('alert').count()) === 0, { what: 'all of it' });
    await page.route(/\/dashboard\/session$/, (route) =>
      route.fulfill({ status: 503, contentType: 'application/problem+json', body }),
    );
    await page.goto(`${stack.url}/dashboard/devices`);
    await page.getByText('store_unavailable').waitFor();
    await page.unroute(/\/dashboard\/session$/);
    await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
    await context.close();
  });
});
