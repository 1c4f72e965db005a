import type { BrowserContext, Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { actingAs } from '../../shared/core/accounts/audit/record-audit.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { memberRows } from '../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { addMember } from '../../shared/people/members.ts';
import { addCodeHost } from '../../shared/wings/work/code-hosts/manage-code-hosts.ts';
import { loseFirstAnswer, signIn } from '../support/browser.ts';
import { call } from '../support/harness.ts';
import { withDashboard } from '../support/with-dashboard.ts';

/** The dashboard of a person with two tabs, a slow network, a colleague who changes the same thing, and a way back. */
describe('the dashboard in use', () => {
  const { stack, open, openBlank, visit, ask, budget } = withDashboard(({ stack }) =>
    stack.report(...Array.from({ length: 55 }, (_, index) => ({ user_id: `user-${index}`, cost_usd: 1 }))),
  );
  const makeWebhook = async (path: string): Promise<string> => {
    const url = `http://127.0.0.1:9/${path}`;
    return (await ask('/api/v1/webhooks', { url, secret: 's'.repeat(32), events: ['session.started'] })).id;
  };
  /** Nobody is signed in any more, here and at the identity provider. */
  const forget = async (context: BrowserContext) => {
    const { producer } = stack.ctx.redis;
    for (const session of await producer.keys('dashboard:session:*')) await producer.del(session);
    await context.clearCookies();
  };
  /** Requests to these addresses wait until the function that it returns is called. */
  const hold = async (page: Page, url: RegExp): Promise<() => void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(url, async (route) => {
      await promise;
      await route.continue().catch(() => undefined);
    });
    return resolve;
  };

  test('signing out, or in as somebody else, holds for every tab', async () => {
    const { page, context } = await openBlank();
    await signIn(page, stack.url, { name: 'Grace' });
    await visit(page, '/budgets');
    const other = await context.newPage();
    await visit(other, '/sessions');
    await other.getByRole('button', { name: 'Signed in as' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await other.getByRole('button', { name: 'Sign out', exact: true }).click();
    await other.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await forget(context);
    await signIn(other, stack.url, { name: 'Grace' });
    await visit(page, '/settings?tab=members');
    await forget(context);
    await signIn(other, stack.url, { name: 'Tom' });
    await page.getByRole('button', { name: 'Signed in as Tom' }).waitFor();
  });

  test('of another object nothing of the first one stays', async () => {
    const [first, second] = [await makeWebhook('first'), await makeWebhook('second')];
    const page = await open(`/webhooks/${first}`);
    await page.getByText('http://127.0.0.1:9/first').waitFor();
    const release = await hold(page, new RegExp(`/webhooks/${second}$`));
    await page.evaluate(`history.pushState({}, '', '/dashboard/webhooks/${second}')`);
    await page.locator('[aria-label=Loading]').first().waitFor();
    expect(await page.getByText('http://127.0.0.1:9/first').count()).toBe(0);
    release();
    await page.getByText('http://127.0.0.1:9/second').waitFor();
  });

  test('figures of the question before are marked until the new ones are there', async () => {
    const page = await open('/sessions');
    await page.getByRole('link', { name: /:/ }).first().waitFor();
    const release = await hold(page, /\/api\/v1\/sessions\?/);
    await page.getByRole('button', { name: 'Started' }).click();
    await page.locator('[aria-busy=true]').waitFor();
    release();
    await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
  });

  test('a form begins with what holds when it is opened', async () => {
    const id = await makeWebhook('edited');
    const page = await open(`/webhooks/${id}`);
    await page.getByRole('button', { name: 'Edit events' }).click();
    await page.getByRole('checkbox', { name: 'A session ends' }).click();
    await page.keyboard.press('Escape');
    await ask(`/api/v1/webhooks/${id}`, { events: ['anomaly.detected'] }, 'PATCH');
    await page.getByText('anomaly.detected', { exact: true }).filter({ visible: true }).waitFor();
    await page.getByRole('button', { name: 'Edit events' }).click();
    const boxes = page.getByRole('dialog').getByRole('checkbox', { checked: true });
    await boxes.first().waitFor();
    expect(await boxes.count()).toBe(1);
    expect(await boxes.getAttribute('value')).toBe('anomaly.detected');
  });

  test('a form changes what was changed in it, and nothing else', async () => {
    const page = await open('/settings?tab=members');
    await page.getByRole('button', { name: 'Edit Tom Herrera' }).click();
    await changeMember(stack.ctx, stack.orgId, 'tom', { role: 'admin', teams: ['red'] });
    await page.getByRole('textbox', { name: 'Name' }).fill('Tomás Herrera');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const tom = await memberRows(stack.ctx).findOne({ org_id: stack.orgId, user_id: 'tom' });
    expect(tom).toMatchObject({ name: 'Tomás Herrera', role: 'admin', teams: ['red'] });
    await changeMember(stack.ctx, stack.orgId, 'tom', { role: 'member', name: 'Tom Herrera' });

    const id = await budget({ name: 'All' });
    await visit(page, `/budgets/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await ask(`/api/v1/budgets/${id}`, { threshold: 90 }, 'PATCH');
    await page.getByRole('textbox', { name: 'Name' }).fill('Everything');
    await page.getByRole('combobox', { name: 'Timezone' }).fill('Asia/Tokyo');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The budget is changed.').waitFor();
    const everything = { name: 'Everything', threshold: 90, timezone: 'Asia/Tokyo' };
    expect(await ask(`/api/v1/budgets/${id}`)).toMatchObject(everything);

    const webhook = await makeWebhook('alerts');
    await visit(page, `/webhooks/${webhook}`);
    await page.getByRole('button', { name: 'Edit alerts' }).click();
    await ask(`/api/v1/webhooks/${webhook}`, { digest: 'daily' }, 'PATCH');
    await page.getByRole('switch', { name: 'Alert when a budget' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The alerts are changed.').waitFor();
    expect(await ask(`/api/v1/webhooks/${webhook}`)).toMatchObject({ digest: 'daily', forecast: true });
  });

  test('a hard budget of cost has a share per person, by default a quarter', async () => {
    const id = await budget({ name: 'Shared', enforce: 'hard' });
    const page = await open(`/budgets/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const share = page.getByRole('textbox', { name: 'Share per person' });
    expect(await share.inputValue()).toBe('25 %');
    await share.fill('40');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The budget is changed.').waitFor();
    const shared = { reservation_share_pct: 40, enforce: 'hard', threshold: 40 };
    expect(await ask(`/api/v1/budgets/${id}`)).toMatchObject(shared);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('combobox', { name: 'At the threshold' }).selectOption('soft');
    expect(await share.count()).toBe(0);
    await ask(`/api/v1/budgets/${id}`, undefined, 'DELETE');
  });

  test('a removal asks what becomes of the things that the person made', async () => {
    const { ctx, orgId } = stack;
    const leaver = { org_id: orgId, user_id: 'lena', name: 'Lena', email: 'lena@acme.example' };
    const lena = await addMember(ctx, { ...leaver, role: 'admin' });
    const key = await actingAs(lena._id, () =>
      createApiKey(ctx, { org_id: orgId, scopes: ['usage:read'], name: 'nightly report', role: 'admin' }),
    );
    await actingAs(lena._id, () => addCodeHost(ctx, orgId, { provider: 'github', name: 'Acme' }));
    const page = await open('/settings?tab=members');
    const remove = async () => {
      await page.getByRole('button', { name: 'Edit Lena' }).click();
      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      const question = page.getByRole('dialog', { name: 'Remove Lena?' });
      await question.getByRole('button', { name: 'Remove' }).click();
    };
    await remove();
    const choice = page.getByRole('dialog', { name: 'Lena made these' });
    await choice.getByText('nightly report').waitFor();
    await choice.getByText('Code host github Acme').waitFor();
    await choice.getByRole('button', { name: 'Cancel' }).click();
    await choice.waitFor({ state: 'detached' });
    expect(await memberRows(ctx).findOne({ _id: lena._id })).toMatchObject({ removed_at: null });
    await page.keyboard.press('Escape');
    await remove();
    await choice.getByRole('button', { name: 'Revoke and delete them' }).click();
    await page.getByText('The member is removed.').waitFor();
    await page.getByRole('button', { name: 'Edit Lena' }).waitFor({ state: 'detached' });
    expect((await call(`${stack.url}/api/v1/sessions`, { key: key.key })).status).toBe(401);
  });

  test('what is sent again because its answer was lost is created once', async () => {
    const page = await open('/webhooks');
    await loseFirstAnswer(page, '**/dashboard/api/v1/webhooks');
    await page.getByRole('button', { name: 'Create a webhook' }).first().click();
    await page.getByRole('textbox', { name: 'URL' }).fill('http://127.0.0.1:9/once');
    const create = page.getByRole('button', { name: 'Create', exact: true });
    await create.click();
    await page.getByText('The service cannot be reached.').waitFor();
    await create.click();
    await page.getByText('Keep this secret now').waitFor();
    const { data } = await ask('/api/v1/webhooks');
    const made = data.filter(({ url }: { url: string }) => url.endsWith('/once'));
    expect(made).toHaveLength(1);
    // Nobody listens there: it would fail before long, and every page would say so.
    await ask(`/api/v1/webhooks/${made[0].id}`, undefined, 'DELETE');
  });

  test('what is changed after its answer was lost is created as it is then', async () => {
    const page = await open('/budgets');
    await loseFirstAnswer(page, '**/dashboard/api/v1/budgets');
    await page.getByRole('button', { name: 'Create a budget' }).first().click();
    const create = page.getByRole('button', { name: 'Create', exact: true });
    await page.getByRole('textbox', { name: 'Name' }).fill('Lost');
    await create.click();
    await page.getByText('The service cannot be reached.').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('Changed');
    await create.click();
    await page.getByText('The budget is created.').waitFor();
  });

  test('without a network a page says that it is old, and a change fails instead of waiting unseen', async () => {
    const page = await open('/budgets');
    await page.clock.install();
    await visit(page, '/budgets');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Create a budget' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Underground');
    const create = page.getByRole('button', { name: 'Create', exact: true });
    await create.click();
    await page.getByText('The service cannot be reached.').waitFor();
    await page.clock.runFor(11_000);
    await page.getByText(/^Not renewed since .*: The service cannot be reached\.$/).waitFor();
    await page.context().setOffline(false);
    await create.click();
    await page.getByText('The budget is created.').waitFor();
  });

  test('figures that cannot be renewed are told of once, and an answer that takes long too', async () => {
    const page = await open('/budgets');
    await page.clock.install();
    await visit(page, '/');
    await page.getByRole('heading', { name: 'Top users' }).waitFor();
    await hold(page, /\/usage\?/);
    await page.getByRole('combobox', { name: 'Range' }).selectOption('30d');
    await page.clock.runFor(6_000);
    const slow = page.getByText('Still waiting for an answer. The figures that are shown may be old.');
    await slow.waitFor();
    await page.unroute(/\/usage\?/);
    await page.reload();
    await page.getByRole('heading', { name: 'Top users' }).waitFor();
    await slow.waitFor({ state: 'detached' });
    await page.context().setOffline(true);
    await page.clock.runFor(130_000);
    await page.getByText(/^Not renewed since .*: The service cannot be reached\.$/).waitFor();
  });

  test('a warning above a page that opens is there before the page, which it would push away', async () => {
    const id = await budget({ name: 'Exceeded', threshold: 1 });
    const page = await open('/budgets');
    await page.getByText('A budget is exceeded').waitFor();
    const release = await hold(page, /\/api\/v1\/budgets\?/);
    await page.goto(`${stack.url}/dashboard/activate`, { waitUntil: 'commit' });
    const heading = page.getByRole('heading', { level: 1 });
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    expect(await heading.count()).toBe(0);
    release();
    await heading.waitFor();
    expect(await page.getByText('A budget is exceeded').count()).toBe(1);
    await ask(`/api/v1/budgets/${id}`, undefined, 'DELETE');
  });

  test('a session that has ended is not read again and again', async () => {
    const page = await open('/sessions?user_id=user-1');
    await page.clock.install();
    const [{ id }] = (await ask('/api/v1/sessions?user_id=user-1')).data;
    await ask(`/api/v1/sessions/${id}/close`, undefined, 'POST');
    await visit(page, `/sessions/${id}`);
    await page.getByText('closed by hand').waitFor();
    let reads = 0;
    page.on('request', (request) => {
      if (request.url().endsWith(`/sessions/${id}`)) reads += 1;
    });
    await page.clock.runFor(60_000);
    expect(reads).toBe(0);
  });

  test('a number that is cleared and typed anew is that number', async () => {
    const page = await open('/settings');
    const retype = async (field: Locator, digits: string) => {
      await field.click();
      await field.press('Control+A');
      await field.press('Backspace');
      expect(await field.inputValue()).not.toContain('0');
      await field.pressSequentially(digits);
    };
    const timeout = page.getByRole('textbox', { name: 'Session timeout' });
    expect(await timeout.inputValue()).toBe('30 min');
    await retype(timeout, '1200');
    expect(await timeout.inputValue()).toBe('1,200 min');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The settings are saved.').waitFor();
    expect((await readOrganization(stack.ctx, stack.orgId)).session_timeout).toBe(72_000);
    await visit(page, '/budgets');
    await page.getByRole('button', { name: 'Create a budget' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Precise');
    await retype(page.getByRole('textbox', { name: 'Threshold' }), '12500.25');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('The budget is created.').waitFor();
    expect((await ask('/api/v1/budgets')).data[0]).toMatchObject({ name: 'Precise', threshold: 12_500.25 });
  });

  test('settings that somebody else has changed are shown after saving, and stay', async () => {
    const page = await open('/settings');
    await page.getByRole('textbox', { name: 'Name' }).fill('Acme and Sons');
    await changeOrganization(stack.ctx, stack.orgId, { session_timeout: 900 });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The settings are saved.').waitFor();
    const timeout = page.getByRole('textbox', { name: 'Session timeout' });
    await expect.poll(() => timeout.inputValue()).toBe('15 min');
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
  });

  test('a choice below the fold leaves the page where it is', async () => {
    const page = await open('/connect');
    const agent = page.getByRole('combobox', { name: 'Agent' });
    await agent.scrollIntoViewIfNeeded();
    const before = await agent.boundingBox();
    expect(await page.evaluate('window.scrollY')).toBeGreaterThan(0);
    await agent.selectOption('Cursor');
    await page.waitForURL(/agent=cursor/);
    await page.getByText('.cursor/mcp.json').waitFor();
    expect(await agent.boundingBox()).toEqual(before);
  });

  test('what was deleted is not in the list that comes next', async () => {
    await budget({ name: 'Short-lived' });
    const page = await open('/budgets');
    await page.getByRole('link', { name: 'Short-lived' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Budgets', level: 1 }).waitFor();
    // Sooner than the list is asked for again by itself.
    const gone = page.getByRole('link', { name: 'Short-lived' });
    await gone.waitFor({ state: 'detached', timeout: 4_000 });
  });

  test('the next page comes once, and the way back leads to the page of the list that one came from', async () => {
    const page = await open('/sessions');
    const release = await hold(page, /\/api\/v1\/sessions\?.*cursor=/);
    const next = page.getByRole('button', { name: 'Next page' });
    await next.click();
    await page.getByText('Page 2').waitFor();
    expect(await next.isDisabled()).toBe(true);
    release();
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(6);
    await rows.nth(1).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Session of' }).waitFor();
    await page.goBack();
    await page.getByText('Page 2').waitFor();
    await page.goBack();
    await page.getByText('Page 1').waitFor();
  });

  test('a name that would turn the text around shows the control that would', async () => {
    const name = '\u202egnp.exe';
    const { body } = await call(`${stack.url}/v1/device_authorization`, { body: { name } });
    const page = await open(`/activate?user_code=${body.user_code}`);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('bdi', { hasText: '\\u202Egnp.exe' }).waitFor();
  });

  test('the form of a budget has room for words on a phone', async () => {
    const id = await budget({ name: 'His', scope: 'user', scope_id: 'tom' });
    const page = await open(`/budgets/${id}`);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Edit' }).click();
    for (const name of ['What', 'Window', 'User', 'During an outage']) {
      const field = page.getByRole('dialog').getByRole('combobox', { name });
      if (name === 'During an outage')
        await page.getByRole('combobox', { name: 'At the threshold' }).selectOption('hard');
      expect((await field.boundingBox())?.width, name).toBeGreaterThan(250);
    }
  });

  test('a page shows the filters that it obeys, and a user by name', async () => {
    const page = await open('/sessions?user_id=tom&project_id=infra');
    await page.getByText('User: Tom Herrera').waitFor();
    await page.getByText('Project: infra').waitFor();
    await page.getByRole('link', { name: 'Anomalies' }).click();
    await page.getByRole('heading', { name: 'Anomalies', level: 1 }).waitFor();
    await page.getByText('User: Tom Herrera').waitFor();
    expect(await page.getByText('Project: infra').count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Go to …').fill('Sessions');
    await page.keyboard.press('Enter');
    await page.getByText('Project: infra').waitFor();
  });

  test('a store that does not answer is told once by Overview', async () => {
    const page = await open('/devices');
    const problem = { code: 'store_unavailable', detail: 'A store does not answer. Try again.' };
    const contentType = 'application/problem+json';
    await page.route(/\/usage\?/, (route) => route.fulfill({ status: 503, contentType, json: problem }));
    await page.goto(`${stack.url}/dashboard/`);
    await page.getByRole('alert').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
    await page.unroute(/\/usage\?/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Top users' }).waitFor();
  });

  test('who has to wait is told how long', async () => {
    const page = await open('/activate');
    for (let tries = 0; tries < 6; tries += 1) {
      await page.getByRole('textbox').fill(`BBBB-BBB${'BCDFGH'.charAt(tries)}`);
      await page.getByRole('button', { name: 'Continue' }).click();
      const hasText = tries < 5 ? 'invalid_grant' : 'too_many';
      await page.getByRole('alert').filter({ hasText }).waitFor();
    }
    await page.getByText(/Try again in 1[45] min/).waitFor();
  });
});
