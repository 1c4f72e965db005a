import { describe, expect, test } from 'vitest';
import { fixture } from '../support/fixture.ts';

const { api } = await fixture();

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(api.url + path, { headers, redirect: 'manual' });

/** The policy of a page, but for its nonce. */
const policyOf = ({ headers }: Response) =>
  headers.get('content-security-policy')?.replace(/ 'nonce-[^']+'/, '') ?? '';

describe('/guide', () => {
  test.each(['/guide', '/guide/budgets', '/guide/adr', '/guide/inside/credits'])(
    '%s is a page for everybody, under the policy of the dashboard',
    async (path) => {
      const [answer, dashboard] = await Promise.all([get(path), get('/dashboard/')]);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(policyOf(answer)).toBe(policyOf(dashboard));
      expect(await answer.text()).toContain('<nav id="pages"');
    },
  );

  test.each(['/guide/no-such', '/guide/../package.json', '/guide/%2e%2e/index', '/guide/not-found/x'])(
    '%s is a 404 that leads to the pages there are',
    async (path) => {
      const answer = await get(path);
      if (!new URL(api.url + path).pathname.startsWith('/guide')) return expect(answer.status).toBe(404);
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain('There is no such page');
    },
  );

  test('a page below /dashboard/guide is redirected to the guide of this host', async () => {
    const answer = await get('/dashboard/guide/budgets');
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/guide/budgets']);
    const other = await get('/dashboard/guide//evil.example');
    expect(other.headers.get('location')).toMatch(/^\/guide\//);
  });

  test('is sent gzipped to whoever takes that', async () => {
    const answer = await get('/guide/budgets', { 'Accept-Encoding': 'gzip' });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(await answer.text()).toContain('<h1 id="budgets">');
  });
});
