import { describe, expect, test } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { pullRequestRows } from '../../shared/wings/work/pull-requests/model.ts';
import { fixture } from '../support/fixture.ts';

const fx = await fixture({ clock: '2026-02-01T12:00:00Z', perTest: true });

const REPORT = {
  repository: 'https://github.com/Acme/Shop.git',
  number: 12,
  branch: 'cart',
  state: 'open',
  opened_at: '2026-01-10T10:00:00Z',
  updated_at: '2026-01-10T11:00:00Z',
  base_branch: 'main',
  title: 'Add a cart',
  url: 'https://github.com/acme/shop/pull/12',
};
const report = (overrides: Record<string, unknown> = {}, key = fx.key) =>
  fx.send('/api/v1/pull-requests', { ...REPORT, ...overrides }, { key });
const stored = () => pullRequestRows(fx.ctx).find({ org_id: fx.orgId }).toArray();

describe('POST /api/v1/pull-requests', () => {
  test('answers the pull request as it is stored, and the same when it is sent again', async () => {
    const first = await report();
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      id: expect.stringMatching(/^pr_\w{22}$/),
      repository: 'github.com/acme/shop',
      number: 12,
      title: 'Add a cart',
      url: 'https://github.com/acme/shop/pull/12',
      head_repository: 'github.com/acme/shop',
      branch: 'cart',
      base_branch: 'main',
      state: 'open',
      opened_at: '2026-01-10T10:00:00.000Z',
      closed_at: null,
      merged_at: null,
    });
    const repeat = await report();
    expect(repeat.body).toEqual({ ...first.body, outcome: 'repeated' });
    const end = { state: 'merged', closed_at: '2026-01-12T10:00:00Z', updated_at: undefined };
    const merged = await report(end);
    expect(merged.body).toMatchObject({
      id: first.body.id,
      state: 'merged',
      merged_at: '2026-01-12T10:00:00.000Z',
    });
    // An older report changes nothing, and is answered with what is known.
    expect((await report()).body).toEqual({ ...merged.body, outcome: 'stale' });
    expect(await stored()).toHaveLength(1);
  });

  test('of one pull request at the same time makes one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        report({ title: `T${index}`, updated_at: `2026-01-10T11:00:${String(index + 10)}Z` }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
    const rows = await stored();
    expect(rows.map(({ title }) => title)).toEqual(['T11']);
    expect(rows[0]?.seen).toHaveLength(12);
  });

  test('is in the lists that it fits and counts in their totals, whatever is reported at the same time', async () => {
    const later = (minute: number) => `2026-01-13T10:${String(minute).padStart(2, '0')}:00Z`;
    const ended = (state: 'closed' | 'merged', minute: number) => ({
      state,
      closed_at: later(minute),
      updated_at: later(minute),
    });
    const answers = await Promise.all(
      Array.from({ length: 3 }, (_, index) => [
        report({ number: index + 1 }),
        report({ number: index + 1, ...ended('merged', index) }),
        report({
          number: index + 1,
          repository: 'gitlab.com/acme/shop',
          url: undefined,
          opened_at: '2026-01-09T10:00:00Z',
        }),
        report({ number: index + 1, ...ended(index % 2 === 0 ? 'closed' : 'merged', index + 10) }),
      ]).flat(),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const rows = await stored();
    const named = <T extends object>(filters: T) => JSON.parse(JSON.stringify(filters));
    const opened = '2026-01-10T10:00:00Z';
    const ranges = [{}, { from: opened }, { to: opened }] as const;
    for (const repository of [undefined, 'github.com/acme/shop', 'github.com/x/y'])
      for (const state of [undefined, 'open', 'closed', 'merged'])
        for (const number of [undefined, 2])
          for (const { from, to } of ranges as readonly { from?: string; to?: string }[]) {
            const query = new URLSearchParams(named({ repository, state, number, from, to })).toString();
            const fitting = rows.filter(
              (row) =>
                (!repository || row.repository === repository) &&
                (!state || row.state === state) &&
                (!number || row.number === number) &&
                (!from || row.opened_at >= new Date(from)) &&
                (!to || row.opened_at < new Date(to)),
            );
            const { data, total } = await fx.ask(`/api/v1/pull-requests?${query}`);
            const ids = data.map(({ id }: { id: string }) => id);
            expect(ids.toSorted(), query).toEqual(fitting.map(({ _id }) => _id).toSorted());
            if (!number && !from && !to) expect(total, query).toBe(fitting.length);
          }
  });

  test('keeps what a report leaves out, and cuts a title at 256 characters', async () => {
    await report({ title: `${'ä'.repeat(255)}🛒🛒` });
    const { body } = await report({
      title: undefined,
      url: undefined,
      base_branch: undefined,
      updated_at: '2026-01-11T10:00:00Z',
      head_repository: 'git@github.com:ada/shop.git',
    });
    expect(body).toMatchObject({
      title: `${'ä'.repeat(255)}🛒`,
      url: REPORT.url,
      base_branch: 'main',
      head_repository: 'github.com/ada/shop',
    });
  });

  test('takes reports of any key that may write signals and is not bound to a user, and of no other', async () => {
    expect((await report()).status).toBe(200);
    for (const key of [await fx.keyOf('ada', ['signals:write']), await fx.keyOf(null, ['usage:read'])])
      expect((await report({ title: 'Mine' }, key)).body).toMatchObject({
        status: 403,
        code: 'missing_scope',
      });
    const theirs = await report({ title: 'Theirs' }, (await fx.tenant()).key);
    expect(theirs.body.title).toBe('Theirs');
    expect((await stored()).map(({ title }) => title)).toEqual(['Add a cart']);
  });

  test('tells a key that may not read usage nothing but the id and the outcome', async () => {
    const first = await report({ title: 'Secret' });
    const writer = await fx.keyOf(null, ['signals:write']);
    const { status, body } = await report({ updated_at: '2026-01-10T10:30:00Z' }, writer);
    expect([status, body]).toEqual([200, { id: first.body.id, outcome: 'stale' }]);
  });

  test('has one line in the audit log, of the key that was the first to report it', async () => {
    await report();
    const other = await fx.keyOf(null, ['signals:write']);
    await report({ title: 'Later', updated_at: '2026-01-11T10:00:00Z' }, other);
    const reported = { org_id: fx.orgId, action: 'pull_request.report' };
    expect(await auditRows(fx.ctx).find(reported).toArray()).toMatchObject([
      { actor: fx.keyId, details: { repository: 'github.com/acme/shop', number: 12 } },
    ]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['without a number', { number: undefined }, '/number'],
    ['of number 0', { number: 0 }, '/number'],
    ['of a path', { repository: '/home/ada/shop' }, '/repository'],
    ['without a branch', { branch: '' }, '/branch'],
    ['of a branch of 257 characters', { branch: 'b'.repeat(257) }, '/branch'],
    ['of another state', { state: 'draft' }, '/state'],
    ['without a time', { opened_at: undefined }, '/opened_at'],
    ['of a time in words', { opened_at: 'yesterday' }, '/opened_at'],
    ['that is closed without a time', { state: 'closed' }, '/closed_at'],
    ['that is open and has an end', { closed_at: '2026-01-12T10:00:00Z' }, '/closed_at'],
    ['that ended before it began', { state: 'closed', closed_at: '2026-01-09T10:00:00Z' }, '/closed_at'],
    ['that changed before it began', { updated_at: '2026-01-09T10:00:00Z' }, '/updated_at'],
    ['of the future', { updated_at: '2026-02-01T12:06:00Z' }, '/updated_at'],
    ['of the time before times', { opened_at: '1969-12-31T00:00:00Z' }, '/opened_at'],
    ['with another address', { url: 'javascript:alert(1)' }, '/url'],
    ['with a secret in its address', { url: 'https://ada:s3cret@github.com/acme/shop/pull/12' }, '/url'],
    ['of another host', { url: 'https://github.com.evil.example/login' }, '/url'],
    ['with a field that is not known', { author: 'ada' }, '/author'],
  ])('%s is refused, with a pointer to the field', async (_, overrides, pointer) => {
    const { status, body } = await report(overrides);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer);
    expect(await stored()).toEqual([]);
  });
});
