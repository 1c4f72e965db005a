import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { DARK_PHONE } from '../support/browser.ts';
import { makeSignal } from '../support/factories.ts';
import { startApi, until } from '../support/harness.ts';
import { expectGood, expectGoodInViews, show } from '../support/page-checks.ts';
import { withDashboard } from '../support/with-dashboard.ts';

const HOSTILE = '<img src=x onerror="document.title=`broken`"> \u202egnp.exe';

const { stack, open, openBlank, visit, ask, budget } = withDashboard();

/** The frame of every page: its notices, the palette, and its words when something is missing. */
describe('the frame of the dashboard', () => {
  const remove = async (...ids: string[]) => {
    for (const id of ids) await ask(`/api/v1/budgets/${id}`, undefined, 'DELETE');
  };
  const stepsOf = async (page: Page) =>
    page.evaluate(
      `Object.fromEntries([...document.querySelectorAll('[data-step]')].map((step) => [step.dataset.step, step.dataset.done]))`,
    );

  test('an admin is led through the first steps until all are taken or dismissed, a member is not', async () => {
    const page = await open('/');
    const step = (name: string, done?: boolean) =>
      page.locator(`[data-step=${name}]${done ? '[data-done=true]' : ''}`);
    const expectNone = async (of: Page, why?: string) =>
      expect(await of.locator('[data-step]').count(), why).toBe(0);
    await step('connect').waitFor();
    const invited = { invite: 'true', budget: 'false', alert: 'false' };
    expect(await stepsOf(page)).toEqual({ connect: 'false', ...invited });
    await stack.report({ user_id: 'tom', cost_usd: 2 });
    await visit(page, '/');
    await step('connect', true).waitFor();
    await step('budget').getByRole('link').press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Budgets' }).waitFor();
    const id = await budget({ threshold: 1_000 });
    await visit(page, '/');
    await step('budget', true).waitFor();
    const channel = { url: 'http://127.0.0.1:9/', format: 'slack', events: ['budget.exceeded'] };
    const { id: channelId } = await ask('/api/v1/webhooks', channel);
    await visit(page, '/');
    await expectNone(page, 'all are taken');
    await remove(id);
    await ask(`/api/v1/webhooks/${channelId}`, undefined, 'DELETE');

    await visit(page, '/');
    await step('alert').waitFor();
    const phone = await open('/', 'Grace', DARK_PHONE);
    await phone.locator('[data-step=alert]').waitFor();
    await phone.getByRole('button', { name: 'Dismiss', exact: true }).press('Enter');
    await phone.locator('[data-step]').first().waitFor({ state: 'detached' });
    await visit(page, '/');
    await expectNone(page, 'dismissed on all devices');
    await expectNone(await open('/', 'Tom'));
  });

  test('the palette finds a person, a project, a session, a call and a budget, by the keyboard alone', async () => {
    const call_ = makeSignal({ id: 'call-4711', ts: Date.now(), user_id: 'tom', project_id: 'atlas' });
    await ask('/api/v1/signals', { signals: [call_] });
    const id = await budget({ name: HOSTILE, threshold: 1_000 });
    const [session] = (await ask('/api/v1/sessions?project_id=atlas')).data;
    for (const view of [DARK_PHONE, {}]) {
      const page = await open('/devices', 'Grace', view);
      const asked: string[] = [];
      page.on('request', (request) => void asked.push(request.url()));
      const palette = page.getByRole('dialog', { name: 'Go to a page' });
      const look = async (text: string) => {
        await page.keyboard.press('Control+k');
        await palette.locator('input:focus').waitFor();
        await palette.locator('input').pressSequentially(text);
      };
      await look('h');
      await palette.getByText('Type 2 characters to look for').waitFor();
      await palette.locator('input').pressSequentially('erre');
      await palette.getByText('User · tom', { exact: true }).waitFor();
      expect(asked.some((url) => url.endsWith('/search?q=h'))).toBe(false);
      await expectGood(page, 'palette');
      if (view === DARK_PHONE) continue;
      await palette.locator('input').press('Enter');
      await page.waitForURL(/user_id=tom/);
      for (const [text, kind, arrived] of [
        ['atl', 'Project', /project_id=atlas/],
        [session.id, 'Session', new RegExp(session.id)],
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
      await page.keyboard.insertText(session.id);
      await palette.locator('input').press('Enter');
      await page.waitForURL(new RegExp(session.id));
      await palette.waitFor({ state: 'hidden' });
      await look('nobody-has-this');
      await palette.getByText('Nothing of this name or id is here, or you may not see it.').waitFor();
      await page.keyboard.press('Escape');
      await palette.waitFor({ state: 'hidden' });
      expect(await page.title()).not.toBe('broken');
    }
    const page = await open('/devices', 'Tom');
    for (const foreign of ['Lindqvist', id]) {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill(foreign);
      await page.getByText('Nothing of this name or id is here, or you may not see it.').waitFor();
      await page.keyboard.press('Escape');
    }
    await remove(id);
  });

  test('notices are one line, most urgent first, and dismissed on all devices until another occurrence', async () => {
    await stack.report({ user_id: 'tom', cost_usd: 2 });
    const hard = await budget({ name: HOSTILE, threshold: 1, enforce: 'hard', on_error: 'allow' });
    const soft = await budget({ name: 'Soft', threshold: 1 });
    await changeOrganization(stack.ctx, stack.orgId, { hold_above: { tokens: 1_000 } });
    const isHeld = async () => {
      const big = makeSignal({ ts: Date.now(), user_id: 'tom', tokens_in: 5_000 });
      return (await ask('/api/v1/signals', { signals: [big] })).results[0].status === 'held';
    };
    await until(isHeld);
    await stack.report({ user_id: 'tom', model: HOSTILE, cost_usd: undefined, tokens_in: 9, tokens_out: 9 });
    const laptop = await open('/');
    const phone = await open('/', 'Grace', DARK_PHONE);
    const kinds = async (page: Page) =>
      page.evaluate(`[...document.querySelectorAll('[data-banner]')].map(({ dataset }) =>
        dataset.severity + ' ' + dataset.banner.split(' ')[0])`);
    for (const page of [laptop, phone]) {
      await page.locator('[data-severity=stop]').waitFor();
      expect(await kinds(page)).toEqual(['stop budget']);
      await page.getByText('Stop:').waitFor();
      await page.getByRole('button', { name: 'and 3 more' }).press('Enter');
      const all = ['stop budget', 'warning budget', 'warning held', 'note unpriced'];
      await expect.poll(() => kinds(page)).toEqual(all);
      await expectGood(page, 'notices');
      expect(await page.locator('img').count()).toBe(0);
    }
    await laptop.getByRole('link', { name: /of the calls in this range have no price/ }).press('Enter');
    const prices = laptop.getByRole('dialog', { name: 'Calls without a price' });
    await prices.getByText('<img src=x').first().waitFor();
    expect(await laptop.locator('img').count()).toBe(0);
    const guideOf = await prices.getByRole('link', { name: 'How prices work' }).getAttribute('href');
    const guide = await laptop.request.get(new URL(guideOf ?? '', stack.url).href);
    expect(guide.status()).toBe(200);
    expect(await guide.text()).toContain('id="give-a-model-a-price"');
    await laptop.keyboard.press('Escape');
    await prices.waitFor({ state: 'detached' });
    await laptop.getByRole('link', { name: /calls? (is|are) held/ }).click();
    await laptop.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();

    for (const notice of ['A budget is exceeded', 'A budget refuses calls']) {
      const dismissal = laptop.waitForResponse((response) => response.url().endsWith('/v1/preferences'));
      await laptop.getByRole('button', { name: `Dismiss: ${notice}` }).press('Enter');
      await laptop.getByRole('link', { name: notice }).waitFor({ state: 'detached' });
      expect((await dismissal).status()).toBe(200);
    }
    await visit(phone, '/devices');
    expect(await kinds(phone), 'without those that were dismissed elsewhere').toEqual(['warning held']);
    const kept = await phone.request.get(`${stack.url}/dashboard/v1/preferences`);
    const { dismissed } = (await kept.json()) as { dismissed: { id: string; until: number | null }[] };
    const untilOf = (id: string) => dismissed.find((each) => each.id.startsWith(`budget ${id}`))?.until;
    expect(untilOf(soft)).toBeNull();
    const day = Date.now() / 1_000 + 86_400;
    expect(untilOf(hard)).toBeGreaterThan(day - 300);
    expect(untilOf(hard)).toBeLessThan(day + 1);

    // An edit lets the levels fire again: another occurrence.
    await ask(`/api/v1/budgets/${soft}`, { threshold: 0.5 }, 'PATCH');
    await visit(phone, '/devices');
    await phone.getByRole('link', { name: 'A budget is exceeded' }).waitFor();
    await remove(hard, soft);
    await changeOrganization(stack.ctx, stack.orgId, { hold_above: { tokens: 20_000_000 } });
  });

  test('a service at which nobody can sign in says so before somebody tries, and above every page', async () => {
    const contact = 'help@acme.example';
    const provider = { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_AUDIENCE: 'api', OIDC_CLIENT_ID: 'dashboard' };
    const broken = await startApi({ env: { ...provider, SUPPORT_CONTACT: contact } });
    for (const view of [{}, DARK_PHONE]) {
      const { page } = await openBlank(view);
      await page.goto(`${broken.url}/dashboard/sessions`);
      const alert = page.getByRole('alert');
      await alert.getByText('Nobody can sign in now').waitFor();
      await alert.getByText(`cannot be read. Ask ${contact}.`).waitFor();
      expect(await page.getByRole('link', { name: 'Sign in' }).count(), 'it may be over soon').toBe(1);
      await expectGood(page, 'nobody-can-sign-in');
      await page.close();
    }
    await broken.close();
    const page = await open('/devices');
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
  });

  test('the colours are those of the system until somebody chooses, and then those that were chosen', async () => {
    for (const [system, other] of [
      ['light', 'dark'],
      ['dark', 'light'],
    ] as const) {
      const page = await open('/devices', 'Tom', { colorScheme: system });
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
    }
  });

  test('a service that is not ready is said by code and words at its first answer, and asked until it is', async () => {
    const page = await open('/devices');
    const problem = { code: 'store_unavailable', detail: 'A store does not answer. Try again.' };
    const body = JSON.stringify(problem);
    const answers: number[] = [];
    await page.route(/\/api\/v1\/(sessions|usage|budgets)/, (route) => {
      answers.push(Date.now());
      return route.fulfill({ status: 503, contentType: 'application/problem+json', body });
    });
    for (const path of ['/sessions', '/budgets', '/']) {
      answers.length = 0;
      await page.goto(`${stack.url}/dashboard${path}`);
      const alert = page.getByRole('alert').first();
      await alert.getByText('store_unavailable').waitFor();
      await alert.getByText(problem.detail).waitFor();
      expect(Date.now() - (answers[0] ?? 0), path).toBeLessThan(3_000);
    }
    await page.unroute(/\/api\/v1\/(sessions|usage|budgets)/);
    await page.getByRole('application', { name: /^Cost over time/ }).waitFor();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await page.route(/\/dashboard\/session$/, (route) =>
      route.fulfill({ status: 503, contentType: 'application/problem+json', body }),
    );
    await page.goto(`${stack.url}/dashboard/devices`);
    await page.getByText('store_unavailable').waitFor();
    await page.unroute(/\/dashboard\/session$/);
    await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
  });

  // The last one: its budgets stay.
  test('the oldest of more budgets than a page of the API has is told of too', async () => {
    await stack.report({ user_id: 'tom', cost_usd: 2 });
    const whose = { scope: 'user', scope_id: 'tom', threshold: 1, enforce: 'hard' };
    await budget({ name: 'Oldest', ...whose });
    for (let count = 0; count < 100; count += 1)
      await budget({ name: `Later ${count}`, threshold: 1_000_000 });
    const page = await open('/?user_id=tom');
    await page.locator('[data-severity=stop]').getByText('Oldest').waitFor();
    // The card of the person and that of all budgets.
    await expect.poll(() => page.getByRole('meter', { name: /^Oldest: / }).count()).toBe(2);
  });
});

/** Pages are made of the same few parts: the widest tables and the how-tos have all of them. */
const ON_PHONES_TOO = /^\/guide(\/no-such|\/how-to\/.*|\/budgets|\/operations|\/benchmarks)?$/;

/** The pages below /guide, which the build makes of the documentation. */
describe('the guide in a browser', () => {
  test('the pages that its table names are readable and without findings of axe', async () => {
    const { page } = await openBlank();
    await page.goto(`${stack.url}/guide`);
    const paths: string[] = await page.evaluate(PATHS);
    expect(paths.length).toBeGreaterThan(25);
    for (const path of ['/guide', '/guide/no-such', ...paths]) {
      await show(page, [1280, 'light']);
      await page.goto(stack.url + path);
      expect(await page.getByRole('heading', { level: 1 }).count(), path).toBe(1);
      await (ON_PHONES_TOO.test(path) ? expectGoodInViews(page, path) : expectGood(page, path));
    }
  });

  test('is searched by the keyboard, and copies code', async () => {
    const { page } = await openBlank({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`${stack.url}/guide/quick-start`);
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^scripts\/up /);
    const search = page.getByRole('searchbox', { name: 'Search the guide' });
    await search.fill('session timeout');
    await page
      .getByRole('status')
      .getByText(/^\d+ found/)
      .waitFor();
    await expectGood(page, 'search');
    await page.keyboard.press('Escape');
    expect(await search.inputValue()).toBe('');
    await search.fill('the timeout');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/guide/sessions#the-timeout');
  });

  test('its links lead from page to page, and on a narrow screen to the table of pages', async () => {
    const { page } = await openBlank({ viewport: { width: 390, height: 844 } });
    await page.goto(`${stack.url}/guide/budgets`);
    await page.getByRole('link', { name: 'how', exact: true }).click();
    await page.waitForURL('**/guide/inside/budgets#how-a-check-is-answered');
    await page.getByRole('link', { name: 'All pages' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'webhooks' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks', exact: true }).waitFor();
  });
});

/** Runs in the page: the paths of all pages that its table names. */
const PATHS = `[...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href'))`;
