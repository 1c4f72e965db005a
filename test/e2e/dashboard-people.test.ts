import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changeMember } from '../../shared/people/change-member.ts';
import { destinationRows } from '../../shared/wings/push/destinations/model.ts';
import { loseFirstAnswer } from '../support/browser.ts';
import { checkManifests, newFolder } from '../support/destinations.ts';
import { expectGood, expectGoodInViews } from '../support/page-checks.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { hasS3, startS3, type TestS3 } from '../support/s3.ts';
import { withDashboard } from '../support/with-dashboard.ts';

const HOSTILE = '<img src=x onerror="document.title=`broken`">';

/** As people paste: names, lines, separators, an address twice, one who has joined, and one that is none. */
const PASTED = `Ada Lovelace <ada@acme.example>, Bob <bob@acme.example>;
carol@acme.example ada@acme.example
tom@acme.example
${HOSTILE}`;

const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCY';
const MISSING = 'there is no moto (pip install "moto[server]==5.2", or its binary in MOTO_SERVER)';

let s3: TestS3 | undefined;
const begun = withDashboard(
  async ({ stack, budget }) => {
    await budget({ name: HOSTILE });
    await changeMember(stack.ctx, stack.orgId, 'tom', { teams: ['core', 'web'] });
  },
  {
    env: async () => {
      if (hasS3()) s3 = await startS3();
      await s3?.makeBucket('acme-finops');
      return { EXPORT_FOLDER: newFolder(), EXPORT_S3_ENDPOINTS: s3?.url ?? '' };
    },
  },
);
afterAll(() => s3?.stop());

describe('members, their changes and the pages of admins', () => {
  const { stack, open, ask } = begun;
  let slack: Receiver;
  beforeAll(async () => {
    slack = await startReceiver();
  });
  afterAll(() => slack.close());

  test('the audit log speaks sentences, and its filters are in the URL and in the file', async () => {
    const page = await open('/settings?tab=audit');
    const entries = page.getByRole('list', { name: 'Audit' }).getByRole('listitem');
    const created = `created the budget ${HOSTILE}: $40.00, monthly, only warns.`;
    await entries.filter({ hasText: created }).getByRole('link').waitFor();
    await entries.filter({ hasText: 'changed the member Tom Herrera: teams: core, web.' }).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    await page.getByRole('combobox', { name: 'About' }).selectOption('Members');
    await expect.poll(() => entries.filter({ hasText: 'budget' }).count()).toBe(0);
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
  });

  test('a pasted list invites everybody in it, each with an outcome, once', async () => {
    const page = await open('/settings?tab=members');
    await loseFirstAnswer(page, '**/dashboard/v1/invitations');
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite people' });
    await dialog.getByRole('textbox', { name: 'E-mail addresses' }).fill(PASTED);
    await dialog.getByRole('combobox', { name: 'Teams' }).fill('we');
    await page.getByRole('option', { name: 'web' }).click();
    await dialog.getByRole('button', { name: 'Invite 5' }).click();
    await dialog.getByText('The service cannot be reached.').waitFor();
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
    await expectGood(page, 'dialog');
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
  });

  test('members are found by name, team or id, and those without a signal by a link', async () => {
    await stack.report({ user_id: 'tom' });
    const page = await open('/settings?tab=members&connected=no');
    const rows = page.getByRole('table', { name: 'Members' }).getByRole('row');
    await rows.filter({ hasText: 'Grace Lindqvist' }).getByText('never').waitFor();
    expect(await rows.filter({ hasText: 'Tom Herrera' }).count()).toBe(0);
    await page.getByRole('combobox', { name: 'Calls' }).selectOption('Everybody');
    await page.getByRole('searchbox', { name: 'Search members' }).fill('HERR');
    await expect.poll(() => rows.count()).toBe(2);
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
  });

  test('a channel about some of it is not saved before it names something', async () => {
    await stack.report({ project_id: 'web' });
    const page = await open('/alerts');
    const filterOf = async (id: string) => (await ask(`/api/v1/webhooks/${id}`)).filter;
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
    await ask(`/api/v1/webhooks/${id}`, undefined, 'DELETE');
  });

  test('a channel is renamed, its tests are marked and not sent again, and its end leads to Alerts', async () => {
    const body = { format: 'slack', url: `${slack.url}/slack`, events: ['budget.exceeded'], name: 'On call' };
    await ask('/api/v1/webhooks', body);
    const page = await open('/alerts');
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
    await expectGood(page, 'dialog');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('dialog', { name: 'Delete this channel?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor();
    await page.getByText('No channel yet.').waitFor();
    await expectOneButton(page);
  });
});

/** A channel is added by one button, whether there is any or none. */
async function expectOneButton(page: Page) {
  await page.getByRole('button', { name: 'Add a channel' }).first().waitFor();
  expect(await page.getByRole('button', { name: 'Add a channel' }).count()).toBe(1);
}

/** Destinations of exports as an admin sets them up and looks after them, on a real server that speaks S3. */
describe('destinations on the dashboard', () => {
  const { stack, open, visit, ask } = withDashboard(
    ({ stack }) => {
      const calls = [0, 1].map((hour) => Date.parse(`${YESTERDAY}T0${hour}:00:00Z`));
      return stack.report(...calls.map((ts) => ({ ts, user_id: 'tom', cost_usd: 0.25 })));
    },
    { beside: begun },
  );
  beforeEach(async () => void (await destinationRows(stack.ctx).deleteMany({})));
  const addFolder = async (fields: Record<string, unknown> = {}): Promise<string> => {
    const levels = ['focus', 'daily'].map((level) => ({ level, format: 'csv' }));
    const folder = { name: 'Archive', kind: 'folder', prefix: 'out', since: YESTERDAY, levels };
    return (await ask('/api/v1/destinations', { ...folder, ...fields })).id;
  };
  const fill = async (page: Page, fields: Record<string, string>) => {
    for (const [label, value] of Object.entries(fields))
      await page
        .getByRole('dialog')
        .getByLabel(new RegExp(`^${label}`))
        .fill(value);
  };

  test('a bucket is tested before anything is written to it, run, and shown day by day; its secret never', async ({
    skip,
  }) => {
    if (!s3) return skip(MISSING);
    const page = await open('/export');
    const answers: string[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/destinations'))
        void response.text().then(
          (text) => answers.push(text),
          () => undefined,
        );
    });
    await page.getByText('None yet.').waitFor();
    await page.getByRole('button', { name: 'Add a destination' }).click();
    await fill(page, {
      Name: 'Finance',
      Endpoint: s3.url,
      Region: 'us-east-1',
      Bucket: 'acme-finop',
      'Access key ID': 'any',
      'Secret access key': SECRET,
      'First day': YESTERDAY,
    });
    await page.getByRole('button', { name: 'Test and save' }).click();
    await page.getByRole('alert').getByText('There is no such bucket on this server.').waitFor();
    expect(await destinationRows(stack.ctx).find({}).toArray()).toMatchObject([{ enabled: false }]);
    await fill(page, { Bucket: 'acme-finops' });
    await page.getByRole('button', { name: 'Test and save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Finance' }).waitFor();
    expect(await destinationRows(stack.ctx).find({}).toArray()).toMatchObject([{ enabled: true }]);
    expect(Object.keys(await s3.objects('acme-finops'))).toEqual(['governor/_governor.json']);

    await page.getByText('No day is there yet: 1 day behind.').waitFor();
    const strip = page.getByRole('list', { name: 'Costs (FOCUS)' }).getByRole('listitem');
    expect(await strip.getAttribute('data-state')).toBe('behind');
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText(/^Days up to .* are there\./).waitFor();
    await expect.poll(() => strip.getAttribute('data-state')).toBe('there');
    const run = page.getByRole('table', { name: 'Runs' }).locator('tbody tr');
    expect(await run.textContent()).toMatch(/succeeded.*a person.*1 partition.*Up to date/);
    const [manifest] = Object.values(checkManifests(await s3.objects('acme-finops')));
    expect(manifest).toMatchObject({ sums: { EffectiveCost: '0.500000000' } });
    await page.getByRole('button', { name: 'Show as table' }).click();
    const day = page.getByRole('table', { name: 'Days' }).locator('tbody tr');
    expect(await day.textContent()).toContain('$0.50');
    await page.getByRole('link', { name: 'Export' }).last().click();
    await page.getByRole('table', { name: 'Destinations' }).getByRole('link', { name: 'Finance' }).waitFor();
    expect(answers.length).toBeGreaterThan(0);
    for (const text of [...answers, await page.content()]) expect(text).not.toContain(SECRET);
  });

  test('a bucket that refuses says why in words, and the button beside it mends it', async ({ skip }) => {
    if (!s3) return skip(MISSING);
    await s3.makeBucket('strict');
    const bucket = { endpoint: s3.url, region: 'us-east-1', bucket: 'strict', access_key_id: 'WRONG' };
    const levels = [{ level: 'daily', format: 'csv' }];
    const id = await addFolder({ kind: 's3', name: 'Strict', levels, ...bucket, secret_access_key: 'wrong' });
    const page = await open(`/export/${id}`);
    await s3.checkSignatures();
    await page.getByRole('button', { name: 'Run now' }).click();
    const alert = page.getByRole('alert', { name: 'Files do not arrive' });
    await alert.getByText('The server does not know the access key.').waitFor();
    expect(await alert.textContent()).toContain('It is tried again');
    const run = page.getByRole('table', { name: 'Runs' }).locator('tbody tr').first();
    await run.getByText('The server does not know the access key.').waitFor();
    await s3.takeAll();
    await alert.getByRole('button', { name: 'Edit' }).click();
    await fill(page, { 'Access key ID': 'any' });
    const secret = page.getByRole('dialog').getByLabel(/^Secret access key/);
    expect(await secret.inputValue()).toBe('');
    expect(await secret.evaluate((input) => (input as unknown as { required: boolean }).required)).toBe(true);
    await secret.fill(SECRET);
    await page.getByRole('button', { name: 'Save and test' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await alert.getByRole('button', { name: 'Run again' }).click();
    await alert.waitFor({ state: 'detached' });
    await page.getByText(/^Days up to .* are there\./).waitFor();
  });

  test('a form that is left after a failed test leaves nothing', async () => {
    await addFolder();
    const page = await open('/export');
    const [other] = await destinationRows(stack.ctx).find({}).toArray();
    expect(await ask(`/api/v1/destinations/${other?._id}/test`, undefined, 'POST')).toMatchObject({
      ok: true,
    });
    await page.getByRole('button', { name: 'Add a destination' }).click();
    await page.getByLabel('Where to').selectOption('folder');
    await fill(page, { Name: 'Twice', Prefix: 'out' });
    await page.getByRole('button', { name: 'Test and save' }).click();
    await page.getByText('Another destination writes below this prefix').waitFor();
    expect(await destinationRows(stack.ctx).countDocuments({})).toBe(2);
    await page.keyboard.press('Escape');
    await expect.poll(() => destinationRows(stack.ctx).countDocuments({})).toBe(1);
  });

  test('days are written again, it is paused and resumed, and deleted after a question', async () => {
    const id = await addFolder({ prefix: 'again' });
    const page = await open(`/export/${id}`);
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText(/^Days up to .* are there\./).waitFor();
    await page.getByRole('button', { name: 'Write days again' }).click();
    await page.getByLabel('Also days that have not changed').check();
    await expectGood(page, 'the form of a run');
    await page.getByRole('button', { name: 'Write them' }).click();
    const runs = page.getByRole('table', { name: 'Runs' }).locator('tbody tr');
    await expect.poll(() => runs.count()).toBe(2);
    await expect.poll(() => runs.first().textContent()).toContain('2 partitions');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('It is paused: nothing is written.').waitFor();
    await page.getByRole('button', { name: 'Run now' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Run now' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('None yet.').waitFor();
    expect(await destinationRows(stack.ctx).countDocuments({})).toBe(0);
  });

  test('a long name is not wider than the window', async () => {
    const id = await addFolder({ name: `A ${'long '.repeat(14)}name`, prefix: 'axe' });
    await ask(`/api/v1/destinations/${id}/runs`, {});
    const page = await open(`/export/${id}`);
    await page.getByText('Up to date').waitFor();
    await page.getByRole('button', { name: 'Show as table' }).click();
    await expectGoodInViews(page, 'the table of days');
    await visit(page, '/export');
    await expectGoodInViews(page, 'the list');
  });
});
