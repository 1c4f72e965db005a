import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../../packages/stack/chromium.ts';
import { destinationRows } from '../../shared/wings/push/destinations/model.ts';
import { openAs, openBrowser, type View } from '../support/browser.ts';
import { type DashboardStack, type PersonName, startDashboard } from '../support/dashboard-stack.ts';
import { checkManifests, newFolder } from '../support/destinations.ts';
import { call, until } from '../support/harness.ts';
import { expectGoodInViews, settled } from '../support/page-checks.ts';
import { hasS3, startS3, type TestS3 } from '../support/s3.ts';

const DAY_MS = 86_400_000;
const dayAt = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const YESTERDAY = dayAt(Date.now() - DAY_MS);
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCY';
const MISSING = 'there is no moto (pip install "moto[server]==5.2", or its binary in MOTO_SERVER)';
const isThere = hasS3();

/** Destinations of exports as an admin sets them up and looks after them, on a real server that speaks S3. */
describe('destinations on the dashboard', () => {
  let stack: DashboardStack;
  let browser: Browser;
  let s3: TestS3 | undefined;

  beforeAll(async () => {
    if (CHROMIUM === null) return;
    s3 = isThere ? await startS3() : undefined;
    await s3?.makeBucket('acme-finops');
    const env = { EXPORT_FOLDER: newFolder(), EXPORT_S3_ENDPOINTS: s3?.url ?? '' };
    [stack, browser] = await Promise.all([startDashboard(env), openBrowser()]);
    const calls = [0, 1].map((hour) => Date.parse(`${YESTERDAY}T0${hour}:00:00Z`));
    await stack.report(...calls.map((ts) => ({ ts, user_id: 'tom', cost_usd: 0.25 })));
  }, 120_000);
  beforeEach(async ({ skip }) => {
    if (CHROMIUM === null) skip('there is no Chromium (apt-get install chromium-headless-shell)');
    await destinationRows(stack.ctx).deleteMany({});
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
    await s3?.stop();
  });

  const open = async (path: string, view: View = {}, name: PersonName = 'Grace') => {
    const watched = await openAs(browser, stack, name, view);
    await visit(watched.page, path);
    return watched;
  };
  const visit = async (page: Page, path: string) => {
    await page.goto(`${stack.url}/dashboard${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settled(page);
  };
  const addFolder = async (body: Record<string, unknown> = {}): Promise<string> => {
    const given = {
      name: 'Archive',
      kind: 'folder',
      prefix: 'out',
      since: YESTERDAY,
      levels: [
        { level: 'focus', format: 'csv' },
        { level: 'daily', format: 'csv' },
      ],
      ...body,
    };
    const made = await call(`${stack.url}/api/v1/destinations`, { key: stack.key, body: given });
    expect(made.status, made.text).toBe(201);
    return made.body.id;
  };
  const fill = async (page: Page, fields: Record<string, string>) => {
    const dialog = page.getByRole('dialog');
    for (const [label, value] of Object.entries(fields)) {
      const field = dialog.getByLabel(new RegExp(`^${label}`));
      await field.fill(value);
    }
  };

  test('a bucket is tested before anything is written to it, run, and shown day by day; its secret never', async ({
    skip,
  }) => {
    if (!s3) return skip(MISSING);
    const { page, context, faults } = await open('/export');
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
    await until(async () => (await strip.getAttribute('data-state')) === 'there', { what: 'the day' });
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
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a bucket that refuses says why in words, and the button beside it mends it', async ({ skip }) => {
    if (!s3) return skip(MISSING);
    await s3.makeBucket('strict');
    const bucket = { endpoint: s3.url, region: 'us-east-1', bucket: 'strict', access_key_id: 'WRONG' };
    const levels = [{ level: 'daily', format: 'csv' }];
    const id = await addFolder({ kind: 's3', name: 'Strict', levels, ...bucket, secret_access_key: 'wrong' });
    const { page, context, faults } = await open(`/export/${id}`);
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
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a form that is left after a failed test leaves nothing', async () => {
    await addFolder();
    const { page, context } = await open('/export');
    const [other] = await destinationRows(stack.ctx).find({}).toArray();
    const tested = await call(`${stack.url}/api/v1/destinations/${other?._id}/test`, {
      key: stack.key,
      method: 'POST',
    });
    expect(tested.body.ok).toBe(true);
    await page.getByRole('button', { name: 'Add a destination' }).click();
    await page.getByLabel('Where to').selectOption('folder');
    await fill(page, { Name: 'Twice', Prefix: 'out' });
    await page.getByRole('button', { name: 'Test and save' }).click();
    await page.getByText('Another destination writes below this prefix').waitFor();
    expect(await destinationRows(stack.ctx).countDocuments({})).toBe(2);
    await page.keyboard.press('Escape');
    await until(async () => (await destinationRows(stack.ctx).countDocuments({})) === 1, {
      what: 'it is gone',
    });
    await context.close();
  });

  test('days are written again, it is paused and resumed, and deleted after a question', async () => {
    const id = await addFolder({ prefix: 'again' });
    const { page, context, faults } = await open(`/export/${id}`);
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText(/^Days up to .* are there\./).waitFor();
    await page.getByRole('button', { name: 'Write days again' }).click();
    await page.getByLabel('Also days that have not changed').check();
    await page.getByRole('button', { name: 'Write them' }).click();
    const runs = page.getByRole('table', { name: 'Runs' }).locator('tbody tr');
    await until(async () => (await runs.count()) === 2, { what: 'the second run' });
    await until(async () => (await runs.first().textContent())?.includes('2 partitions') === true, {
      what: 'both tables are written again',
    });
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('It is paused: nothing is written.').waitFor();
    await page.getByRole('button', { name: 'Run now' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Run now' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('None yet.').waitFor();
    expect(await destinationRows(stack.ctx).countDocuments({})).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a member sees neither the destinations nor their pages', async () => {
    const id = await addFolder({ prefix: 'members' });
    const { page, context } = await open('/export', {}, 'Tom');
    await page.getByRole('link', { name: 'Download' }).waitFor();
    expect(await page.getByText('Archive').count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Destinations' }).count()).toBe(0);
    await page.goto(`${stack.url}/dashboard/export/${id}`);
    await page.getByText('Only admins of your organization see this page.').waitFor();
    await context.close();
  });

  test('axe finds nothing, and nothing is wider than the window', async () => {
    const id = await addFolder({ name: `A ${'long '.repeat(14)}name`, prefix: 'axe' });
    const first = await call(`${stack.url}/api/v1/destinations/${id}/runs`, { key: stack.key, body: {} });
    expect(first.status).toBe(202);
    const { page, context, faults } = await open(`/export/${id}`);
    await page.getByText('Up to date').waitFor();
    await expectGoodInViews(page, 'the page');
    await page.getByRole('button', { name: 'Show as table' }).click();
    await expectGoodInViews(page, 'the table of days');
    await page.getByRole('button', { name: 'Write days again' }).click();
    await page.getByRole('dialog').waitFor();
    await expectGoodInViews(page, 'the form of a run');
    await page.keyboard.press('Escape');
    await visit(page, '/export');
    await expectGoodInViews(page, 'the list');
    await page.getByRole('button', { name: 'Add a destination' }).click();
    await page
      .getByRole('dialog')
      .getByLabel(/^Endpoint/)
      .waitFor();
    await expectGoodInViews(page, 'the form');
    expect(faults).toEqual([]);
    await context.close();
  });
});
