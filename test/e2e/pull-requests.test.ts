import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openAs } from '../support/browser.ts';
import { payloadOf, proofOf } from '../support/code-hosts.ts';
import type { DashboardStack } from '../support/dashboard-stack.ts';
import { call } from '../support/harness.ts';
import { expectGood, show } from '../support/page-checks.ts';
import { withDashboard } from '../support/with-dashboard.ts';

/** Pull requests as an admin sets them up and reads them. */
describe('pull requests on the dashboard', () => {
  let stack: DashboardStack;
  let browser: Browser;

  withDashboard((begun) => {
    ({ stack, browser } = begun);
  });

  test('a code host is added with a secret that is shown once, is seen to send, and is deleted', async () => {
    const { page, faults } = await openAs(browser, stack, 'Grace');
    await page.goto(`${stack.url}/dashboard/settings?tab=code-hosts`);
    await page.getByText('No code host yet.').waitFor();
    await expectGood(page, 'code-hosts-empty');
    await page.getByRole('button', { name: 'Add a code host' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('combobox', { name: 'Code host' }).selectOption('GitHub');
    await form.getByRole('textbox', { name: 'Name' }).fill('Acme on GitHub');
    await form.getByRole('button', { name: 'Add' }).click();
    const secret = (await form.getByRole('region', { name: 'Secret' }).textContent()) ?? '';
    const address = (await form.getByRole('region', { name: 'Address' }).textContent()) ?? '';
    await expectGood(page, 'code-host-added');
    await form.getByRole('button', { name: 'I have kept it' }).click();
    const body = JSON.stringify(payloadOf('github'));
    const { pathname } = new URL(address);
    const sent = await call(stack.url + pathname, { body, headers: proofOf('github', secret, body) });
    expect(sent.body).toEqual({ outcome: 'applied' });
    await page.reload();
    const row = page.getByRole('row', { name: 'Acme on GitHub' });
    await row.waitFor();
    expect(await row.getByText('none yet').count()).toBe(0);
    expect(await page.content()).not.toContain(secret);
    await expectGood(page, 'code-hosts');
    await show(page, [390, 'light']);
    await expectGood(page, 'code-hosts-390');
    await page.getByRole('button', { name: 'Delete Acme on GitHub' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No code host yet.').waitFor();
    const again = await call(stack.url + pathname, { body, headers: proofOf('github', secret, body) });
    expect(again.status).toBe(404);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
