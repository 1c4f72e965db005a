import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { addMember } from '../../shared/people/members.ts';
import { freezeAnalytics } from '../../shared/wings/analytics/freeze-weeks.ts';
import { call } from '../support/harness.ts';
import { expectGood } from '../support/page-checks.ts';
import { withDashboard } from '../support/with-dashboard.ts';

const DAY_MS = 86_400_000;
const HOSTILE = '=HYPERLINK("https://evil.example") \u202e gnp.exe';
const USERS = ['tom', 'grace', 'eve', 'user-4', 'user-5', 'user-6'];
/** Weeks before this one, and the users who were at work in each: two are too few to be shown. */
const WEEKS = [
  [4, 6],
  [3, 2],
  [2, 6],
  [1, 6],
] as const;

/** The pages on which people read and take figures, keys and settings away. */
describe('the pages from which people take something along', () => {
  const { stack, open } = withDashboard(async ({ stack }) => {
    const { ctx, orgId } = stack;
    const eve = { org_id: orgId, user_id: 'eve', name: HOSTILE, email: 'eve@acme.example' };
    await addMember(ctx, { ...eve, role: 'member', teams: ['=1', 'core'] });
    // 5 January 1970 was a Monday.
    const monday = (Math.floor((Date.now() / DAY_MS - 4) / 7) * 7 + 4) * DAY_MS;
    for (const [weeksAgo, users] of WEEKS) {
      const call = {
        ts: monday - weeksAgo * 7 * DAY_MS + 2 * DAY_MS,
        cost_usd: weeksAgo,
        project_id: 'search',
      };
      await stack.report(...USERS.slice(0, users).map((user_id) => ({ ...call, user_id })));
    }
    await freezeAnalytics(ctx, await readOrganization(ctx, orgId));
  });

  /** The days in which anything was reported. */
  const days = () => {
    const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    return `range=custom&from=${dateOf(Date.now() - 34 * DAY_MS)}&to=${dateOf(Date.now())}`;
  };
  /** The text of a box to copy. */
  const textOf = async (page: Page, name: string) =>
    (await page.getByRole('region', { name, exact: true }).textContent()) ?? '';

  test('Analytics has each week under its bar, and says once why one is hidden', async () => {
    const page = await open('/analytics');
    const weeks = page.getByRole('table', { name: 'Weeks' });
    const headings = weeks.getByRole('columnheader');
    expect(await headings.count()).toBe(1 + WEEKS.length + 1);
    const why = page.getByText(/^Hatched figures are hidden: fewer than 5 people share them/);
    expect(await why.count()).toBe(1);
    expect(await weeks.locator('.hatched').count()).toBe(1);
    const middles = (of: string) =>
      page.evaluate<number[]>(`[...document.querySelectorAll('${of}')].map((one) => {
        const { left, width } = one.getBoundingClientRect();
        return Math.round(left + width / 2);
      })`);
    const columns = await middles('table[aria-label=Weeks] thead th:not(:first-child)');
    const bars = await middles('.chart .chart-bar');
    expect(bars.length).toBeGreaterThanOrEqual(2);
    for (const bar of bars)
      expect(
        columns.some((column) => Math.abs(column - bar) <= 2),
        `${bar} in ${columns.join(' ')}`,
      ).toBe(true);
    const cut = await page.evaluate(`[...document.querySelectorAll('table[aria-label=Weeks] td')]
      .filter((cell) => cell.scrollWidth > cell.clientWidth).length`);
    expect(cut, 'no words run into the next column').toBe(0);
    await expectGood(page, 'analytics');
    const chart = page.getByRole('application', { name: /^Cost by week/ });
    await chart.focus();
    await page.keyboard.press('Home');
    await chart.getByRole('status').getByText('$24.00').waitFor();
    await page.keyboard.press('ArrowRight');
    await chart.getByRole('status').getByText('hidden').waitFor();
    expect(await chart.getByRole('status').getByText('$').count(), 'a hidden week is no zero').toBe(0);
    await page.getByRole('combobox', { name: 'Measure' }).selectOption('Users');
    await page.getByRole('heading', { name: 'Users by week' }).waitFor();
    const all = page.getByRole('row', { name: 'All' });
    await all.getByText('$', { exact: false }).first().waitFor();
  });

  test('Export shows how many rows there are, the first five, and names for admins alone', async () => {
    const page = await open(`/export?level=daily&${days()}`);
    const rows = WEEKS.reduce((sum, [, users]) => sum + users, 0);
    await page.locator(`[data-rows="${rows}"]`).waitFor();
    const first = page.getByRole('region', { name: 'The first rows' });
    expect(await first.getByRole('row').count()).toBe(1 + 5);
    const names = page.getByRole('checkbox', { name: /^Names, e-mails and teams/ });
    await names.focus();
    await page.keyboard.press('Space');
    await first.getByRole('columnheader', { name: 'user_email' }).waitFor();
    const columns = await first.getByRole('columnheader').allTextContents();
    expect(columns.slice(-3)).toEqual(['user_name', 'user_email', 'teams']);
    expect(await textOf(page, 'Command')).toContain('people=true');
    const href = (await page.getByRole('link', { name: 'Download' }).getAttribute('href')) ?? '';
    const file = await page.request.get(new URL(href, stack.url).href);
    const people: Record<string, string>[] = parse(await file.text(), { columns: true });
    expect(people).toHaveLength(rows);
    const eve = people.find(({ user_id }) => user_id === 'eve');
    expect([eve?.user_name, eve?.user_email]).toEqual([`'${HOSTILE}`, 'eve@acme.example']);

    const tom = await open(`/export?level=daily&people=true&${days()}`, 'Tom');
    await tom.locator('[data-rows="4"]').waitFor();
    expect(await tom.getByRole('checkbox').count()).toBe(0);
    const refused = await tom.request.get(new URL(href, stack.url).href);
    expect([refused.status(), (await refused.json()).code]).toEqual([403, 'missing_scope']);
  });

  test('Connect shows hooks that ask only with a key that may, for a shell, PowerShell and managed settings', async () => {
    const page = await open('/connect?tool=claude-code');
    const make = page.getByRole('button', { name: 'Create key', exact: true });
    const next = page.getByText('The choices above are those of the next key.');
    await make.click();
    await page.getByText('shown this once').waitFor();
    const before = await textOf(page, 'Settings');
    await page.getByRole('combobox', { name: 'It expires' }).selectOption('in 30 days');
    await page.getByRole('checkbox', { name: /budgets:check/ }).press('Space');
    await next.waitFor();
    expect(await textOf(page, 'Settings')).toBe(before);
    expect(await page.getByRole('region', { name: 'Hooks' }).count()).toBe(0);
    await make.press('Enter');
    await page.getByRole('region', { name: 'Hooks' }).waitFor();
    expect(await next.count()).toBe(0);
    const key = /export GOVERNOR_API_KEY=(ugk_\w+)/.exec(await textOf(page, 'Settings'))?.[1] ?? '';
    const hooks = JSON.parse(await textOf(page, 'Hooks'));
    expect(hooks.hooks.PreToolUse[0].hooks[0].url).toBe(`${stack.url}/hooks/claude-code`);
    const as = page.getByRole('combobox', { name: 'As', exact: true });
    await as.selectOption('PowerShell (Windows)');
    expect(await textOf(page, 'Settings')).toContain(`$env:GOVERNOR_API_KEY = '${key}'`);
    await as.selectOption('Managed settings (JSON)');
    const managed = JSON.parse(await textOf(page, 'Settings'));
    expect(managed.env.GOVERNOR_API_KEY).toBe(key);
    expect(managed.hooks.UserPromptSubmit).toHaveLength(1);
    await page.getByText('/etc/claude-code/managed-settings.json').waitFor();
    const asked = await call(`${stack.url}/api/v1/budgets/check`, { key, body: { estimate_usd: 0.1 } });
    expect(asked.status, asked.text).toBe(200);
  });

  test('Connect gives programs that report a call as they are', async ({ skip }) => {
    const page = await open('/connect?tool=signals&form=node');
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    await page.getByText('shown this once').waitFor();
    const run = promisify(execFile);
    const node = await run(process.execPath, ['--input-type=module', '-e', await textOf(page, 'Settings')]);
    expect(node.stdout).toContain("status: 'accepted'");
    await page.getByText('It works').waitFor();
    await page.getByRole('combobox', { name: 'As', exact: true }).selectOption('Python');
    const python = await textOf(page, 'Settings');
    if (spawnSync('python3', ['--version']).status !== 0) skip('there is no python3');
    expect((await run('python3', ['-c', python])).stdout).toContain("'status': 'accepted'");
  });

  test('Connect lets an agent ask by MCP, with a key that may do that and no more', async () => {
    const page = await open('/connect');
    await page.getByRole('button', { name: 'Create a key for agents' }).click();
    await page.getByText('The key is shown this once. Put it into the environment').waitFor();
    const key = /ugk_\w+/.exec(await textOf(page, 'Environment'))?.[0] ?? '';
    for (const agent of ['Cursor', 'VS Code', 'Codex CLI', 'Claude Code']) {
      await page.getByRole('combobox', { name: 'Agent' }).selectOption(agent);
      const settings = await textOf(page, 'MCP server');
      expect(settings).toContain(`${stack.url}/mcp`);
      expect(settings, 'no file has the key').not.toContain(key);
    }
    const listed = await call(`${stack.url}/mcp`, {
      key,
      headers: { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', arguments: {} } },
    });
    expect(listed.body.result.structuredContent).toMatchObject({
      user_id: 'grace',
      scopes: ['usage:read', 'budgets:check'],
    });
  });

  test('Keys shows a call that works as soon as a key is made', async () => {
    const page = await open('/settings?tab=keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Tried');
    await form.getByRole('button', { name: 'Create' }).click();
    const example = (await form.getByRole('region', { name: 'Example call' }).textContent()) ?? '';
    const { stdout } = await promisify(execFile)('sh', ['-c', `${example.replace('curl', 'curl -s')}`]);
    expect(JSON.parse(stdout).results[0].status).toBe('accepted');
  });
});
