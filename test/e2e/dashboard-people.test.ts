import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../../packages/stack/chromium.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { openAs, openBrowser, type View, type WatchedPage } from '../support/browser.ts';
import { type DashboardStack, type PersonName, startDashboard } from '../support/dashboard-stack.ts';
import { call, until } from '../support/harness.ts';
import { axeFindings, sidewaysBy } from '../support/page-checks.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const HOSTILE = '<img src=x onerror="document.title=`broken`">';

/** As people paste: names, lines, separators, an address twice, one who has joined, and one that is none. */
const PASTED = `Ada Lovelace <ada@acme.example>, Bob <bob@acme.example>;
carol@acme.example ada@acme.example
tom@acme.example
${HOSTILE}`;

describe('members, their changes and the pages of admins', () => {
  let stack: DashboardStack;
  let browser: Browser;
  let slack: Receiver;

  beforeAll(async () => {
    if (CHROMIUM === null) return;
    [stack, browser, slack] = await Promise.all([startDashboard(), openBrowser(), startReceiver()]);
    const body = { name: HOSTILE, scope: 'org', metric: 'cost_usd', threshold: 40, window: 'monthly' };
    const made = await call(`${stack.url}/api/v1/budgets`, { key: stack.key, body });
    expect(made.status, made.text).toBe(201);
    await changeMember(stack.ctx, stack.orgId, 'tom', { teams: ['core', 'web'] });
  }, 120_000);
  beforeEach(({ skip }) => {
    if (CHROMIUM === null) skip('there is no Chromium (apt-get install chromium-headless-shell)');
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([stack?.stop(), slack?.close()]);
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
  const close = async ({ faults, context }: WatchedPage) => {
    expect(faults).toEqual([]);
    await context.close();
  };

  test('the audit log speaks sentences, and its filters are in the URL and in the file', async () => {
    for (const view of [
      { viewport: { width: 1280, height: 900 } },
      { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
    ] as const) {
      const watched = await open('/settings?tab=audit', 'Grace', view);
      const { page } = watched;
      const entries = page.getByRole('list', { name: 'Audit' }).getByRole('listitem');
      await entries
        .filter({ hasText: `created the budget ${HOSTILE}: $40.00, monthly, only warns.` })
        .getByRole('link')
        .waitFor();
      await entries.filter({ hasText: 'changed the member Tom Herrera: teams: core, web.' }).waitFor();
      expect(await page.locator('img').count()).toBe(0);
      expect(await axeFindings(page)).toEqual([]);
      expect(await sidewaysBy(page)).toBe(0);
      await page.getByRole('combobox', { name: 'About' }).selectOption('Members');
      await until(async () => (await entries.filter({ hasText: 'budget' }).count()) === 0);
      expect(page.url()).toContain('action=member.');
      const link = page.getByRole('link', { name: 'CSV' });
      const file = await page.request.get(new URL((await link.getAttribute('href')) ?? '', stack.url).href);
      expect(file.status()).toBe(200);
      expect(await file.text()).not.toContain('budget.create');
      await page.getByRole('combobox', { name: 'By' }).selectOption('Grace Lindqvist');
      await page.getByText('Nothing was changed, or nothing that these filters let through.').waitFor();
      await page.reload();
      await page.getByText('Nothing was changed, or nothing that these filters let through.').waitFor();
      await page.getByRole('button', { name: 'Remove all filters' }).click();
      await entries.filter({ hasText: 'created the budget' }).waitFor();
      await close(watched);
    }
  });

  test('many changes of one kind in a row are one line of the audit log, which opens', async () => {
    const { orgId, ctx } = stack;
    for (let n = 1; n <= 5; n += 1)
      await createApiKey(ctx, { org_id: orgId, scopes: ['org:read'], name: `many ${n}` });
    const watched = await open('/settings?tab=audit');
    const { page } = watched;
    const third = page.getByText('created the key many 3');
    await page.getByText('created the key many 5').waitFor();
    expect(await third.isVisible()).toBe(false);
    await page
      .getByText(/^and \d+ more like it$/)
      .first()
      .click();
    await third.waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await close(watched);
  });

  test('a pasted list invites everybody in it, each with an outcome, once', async () => {
    const watched = await open('/settings?tab=members');
    const { page } = watched;
    await loseFirstAnswer(page, '**/dashboard/v1/invitations');
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite people' });
    await dialog.getByRole('textbox', { name: 'E-mail addresses' }).fill(PASTED);
    await dialog.getByRole('combobox', { name: 'Teams' }).fill('we');
    await page.getByRole('option', { name: 'web' }).click();
    await dialog.getByRole('button', { name: 'Invite 5' }).click();
    await dialog.getByText('The service cannot be reached.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Invite 5' }).click();
    await dialog.getByText('3 of 5 addresses invited, 1 wrong.').waitFor();
    const outcomes = dialog.getByRole('table', { name: 'Outcomes' }).getByRole('row');
    const outcomeOf = (address: string) => outcomes.filter({ hasText: address });
    await outcomeOf('ada@acme.example').getByText('invited', { exact: true }).waitFor();
    await outcomeOf('tom@acme.example').getByText('has joined already').waitFor();
    await outcomeOf(HOSTILE).getByText('is no e-mail address').waitFor();
    // Without SMTP_URL nobody gets a mail.
    await dialog.getByText('No mail is sent: give people this link.').waitFor();
    await dialog.getByText('/dashboard/join').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Done' }).click();
    const rows = page.getByRole('table', { name: 'Members' }).getByRole('row');
    const ada = rows.filter({ hasText: 'ada@acme.example' });
    await ada.getByText('invited', { exact: true }).waitFor();
    await ada.getByText('web', { exact: true }).waitFor();
    expect(await ada.count()).toBe(1);

    await page.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByRole('textbox', { name: 'E-mail addresses' }).fill('ada@acme.example');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    await dialog.getByText('invited again').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Invite' }).click();
    const many = Array.from({ length: 201 }, (_, index) => `user-${index}@acme.example`).join('\n');
    await dialog.getByRole('textbox', { name: 'E-mail addresses' }).fill(many);
    await dialog.getByText('These are 201. Invite 200 at a time.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Invite 201' }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await close(watched);
  });

  test('members are found by name, team or id, and those without a signal by a link', async () => {
    await stack.report({ user_id: 'tom' });
    const watched = await open('/settings?tab=members&connected=no');
    const { page } = watched;
    const rows = page.getByRole('table', { name: 'Members' }).getByRole('row');
    await rows.filter({ hasText: 'Grace Lindqvist' }).getByText('never').waitFor();
    expect(await rows.filter({ hasText: 'Tom Herrera' }).count()).toBe(0);
    await page.getByRole('combobox', { name: 'Calls' }).selectOption('Everybody');
    await page.getByRole('searchbox', { name: 'Search members' }).fill('HERR');
    await until(async () => (await rows.count()) === 2, { what: 'Tom alone' });
    expect(await rows.nth(1).getByRole('time').count()).toBe(1);
    await rows.nth(1).getByRole('button', { name: 'Edit Tom Herrera' }).click();
    const edited = page.getByRole('dialog', { name: 'Edit a member' });
    await edited.getByRole('button', { name: 'Cancel' }).click();
    await edited.waitFor({ state: 'hidden' });
    await page.getByRole('searchbox', { name: 'Search members' }).fill('nobody at all');
    await page.getByText(/^0 of \d+ members$/).waitFor();
    await page.getByRole('searchbox', { name: 'Search members' }).fill('tom');
    await page.getByRole('link', { name: 'Tom Herrera' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(page.url()).toContain('user_id=tom');
    await page.setViewportSize({ width: 390, height: 844 });
    await visit(page, '/settings?tab=members');
    await page.getByRole('list', { name: 'Members' }).getByText('tom@acme.example').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await sidewaysBy(page)).toBe(0);
    await close(watched);
  });

  test('a channel about some of it is not saved before it names something', async () => {
    await stack.report({ project_id: 'web' });
    const watched = await open('/alerts');
    const { page } = watched;
    const filterOf = async (id: string) =>
      (await call(`${stack.url}/api/v1/webhooks/${id}`, { key: stack.key })).body.filter;
    await page.getByRole('button', { name: 'Add a channel' }).click();
    const form = page.getByRole('dialog', { name: 'Add a channel' });
    await form.getByLabel('Webhook URL').fill(`${slack.url}/web`);
    await form.getByLabel('About').selectOption('Only some of it');
    const add = form.getByRole('button', { name: 'Add', exact: true });
    expect(await add.isDisabled(), 'it would be about everything').toBe(true);
    const projects = form.getByRole('combobox', { name: 'Projects' });
    await projects.fill('web');
    await projects.press('Enter');
    await add.click();
    await form.getByRole('link', { name: 'Open it and send a test' }).click();
    await page.getByRole('heading', { level: 1, name: 'Channel' }).waitFor();
    const id = page.url().split('/').at(-1) ?? '';
    expect(await filterOf(id)).toEqual({ projects: ['web'] });
    await page.getByRole('button', { name: 'Edit alerts' }).click();
    const edit = page.getByRole('dialog', { name: 'Alerts, quiet hours and digest' });
    const save = edit.getByRole('button', { name: 'Save' });
    await edit.getByRole('combobox', { name: 'Projects' }).press('Backspace');
    await edit.getByText('Name at least one team, project, budget or person').waitFor();
    expect(await save.isDisabled(), 'it would be about everything').toBe(true);
    await edit.getByLabel('About').selectOption('Everything in the organization');
    await save.click();
    await page.getByText('The alerts are changed.').waitFor();
    expect(await filterOf(id)).toBeNull();
    const { status } = await call(`${stack.url}/api/v1/webhooks/${id}`, { key: stack.key, method: 'DELETE' });
    expect(status).toBe(204);
    await close(watched);
  });

  test('a channel is renamed, its tests are marked and not sent again, and its end leads to Alerts', async () => {
    const body = { format: 'slack', url: `${slack.url}/slack`, events: ['budget.exceeded'], name: 'On call' };
    const made = await call(`${stack.url}/api/v1/webhooks`, { key: stack.key, body });
    expect(made.status, made.text).toBe(201);
    const watched = await open('/alerts');
    const { page } = watched;
    const link = page.getByRole('link', { name: 'On call' });
    await link.waitFor();
    await expectOneButton(page);
    await link.click();
    await page.getByRole('heading', { level: 1, name: 'On call' }).waitFor();
    await page.getByRole('button', { name: 'Rename' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename' });
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Name' }).fill(HOSTILE);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
    await page.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Channel' }).waitFor();

    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(/^The test was taken: HTTP 200/).waitFor();
    const row = page.getByRole('table', { name: 'Deliveries' }).getByRole('row').nth(1);
    await row.getByText('test', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'session.started' }).click();
    const delivery = page.getByRole('dialog', { name: 'Delivery' });
    await delivery.getByText('A test is sent once.').waitFor();
    expect(await delivery.getByRole('button', { name: 'Send again' }).count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('dialog', { name: 'Delete this channel?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor();
    await page.getByText('No channel yet.').waitFor();
    await expectOneButton(page);
    await close(watched);
  });
});

/** A channel is added by one button, whether there is any or none. */
async function expectOneButton(page: Page) {
  await page.getByRole('button', { name: 'Add a channel' }).first().waitFor();
  expect(await page.getByRole('button', { name: 'Add a channel' }).count()).toBe(1);
}

/** The first change arrives, and its answer is lost. */
async function loseFirstAnswer(page: Page, url: string) {
  let isLost = false;
  await page.route(url, async (route) => {
    if (isLost) return route.continue();
    isLost = true;
    await route.fetch();
    await route.abort();
  });
}
