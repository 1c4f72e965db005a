import { describe, expect, test } from 'vitest';
import { boundaryRows } from '../../shared/wings/work/attribution/model.ts';
import { pullRequestRows } from '../../shared/wings/work/pull-requests/model.ts';
import { fixture } from '../support/fixture.ts';

const fx = await fixture({ clock: '2026-02-01T12:00:00Z', idp: true, admin: true, perTest: true });

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
    const { updated_at: _, ...told } = REPORT;
    const places = { repository: 'github.com/acme/shop', head_repository: 'github.com/acme/shop' };
    const times = { opened_at: '2026-01-10T10:00:00.000Z', closed_at: null, merged_at: null };
    expect(first.body).toMatchObject({
      id: expect.stringMatching(/^pr_\w{22}$/),
      ...told,
      ...places,
      ...times,
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

  test('is found by its repository and number where it fits the other filters too', async () => {
    await report();
    const named = '/api/v1/pull-requests?repository=github.com/acme/shop&number=12';
    for (const [query, total] of [
      ['', 1],
      ['&state=open', 1],
      ['&state=closed', 0],
      ['&from=2026-01-10T10:00:00Z', 1],
      ['&to=2026-01-10T10:00:00Z', 0],
    ] as const)
      expect(await fx.ask(named + query), query).toMatchObject({ data: { length: total }, total });
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
    await report();
    for (const key of [await fx.keyOf('ada', ['signals:write']), await fx.keyOf(null, ['usage:read'])])
      expect((await report({ title: 'Mine' }, key)).body.code).toBe('missing_scope');
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
    expect(await fx.audited('pull_request.report')).toMatchObject([
      { actor: fx.keyId, details: { repository: 'github.com/acme/shop', number: 12 } },
    ]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['of a path', { repository: '/home/ada/shop' }, '/repository'],
    ['that is closed without a time', { state: 'closed' }, '/closed_at'],
    ['that is open and has an end', { closed_at: '2026-01-12T10:00:00Z' }, '/closed_at'],
    ['that ended before it began', { state: 'closed', closed_at: '2026-01-09T10:00:00Z' }, '/closed_at'],
    ['that changed before it began', { updated_at: '2026-01-09T10:00:00Z' }, '/updated_at'],
    ['of the future', { updated_at: '2026-02-01T12:06:00Z' }, '/updated_at'],
    ['of the time before times', { opened_at: '1969-12-31T00:00:00Z' }, '/opened_at'],
    ['with another address', { url: 'javascript:alert(1)' }, '/url'],
    ['with a secret in its address', { url: 'https://ada:s3cret@github.com/acme/shop/pull/12' }, '/url'],
    ['of another host', { url: 'https://github.com.evil.example/login' }, '/url'],
  ])('%s is refused, with a pointer to the field', async (_, overrides, pointer) => {
    const { body } = await report(overrides);
    const errors = expect.arrayContaining([expect.objectContaining({ pointer })]);
    expect(body).toMatchObject({ status: 400, code: 'invalid_request', errors });
    expect(await stored()).toEqual([]);
  });
});

describe('DELETE /v1/pull-requests/{id}', () => {
  const told = async (fields: object): Promise<string> =>
    (await report({ url: undefined, ...fields })).body.id;
  const costOf = async (id: string) => (await fx.ask(`/api/v1/pull-requests/${id}`)).cost_usd;
  const remove = async (id: string) => (await fx.remove(`/v1/pull-requests/${id}`, { key: fx.admin })).status;

  test('gives the calls of one that was reported by mistake back to the pull request of their branch', async () => {
    const own = await told({});
    const place = { repository: REPORT.repository, branch: REPORT.branch };
    await fx.spend({ ts: '2026-01-20T10:00:00Z', cost_usd: 2, ...place });
    expect(await costOf(own)).toBe(2);
    const closed_at = '2026-01-20T11:00:00Z';
    const end = { state: 'closed', closed_at, updated_at: closed_at };
    const wrong = await told({ number: 99, opened_at: '2026-01-20T09:00:00Z', ...end });
    expect(await stored()).toHaveLength(2);
    expect([await remove(wrong), await remove(wrong)]).toEqual([204, 404]);
    expect([await costOf(own), (await stored()).length]).toEqual([2, 1]);
    expect(await fx.audited('pull_request.delete')).toMatchObject([
      { actor: fx.admin.accountId, details: { id: wrong, number: 99 } },
    ]);
  });

  test('ends the renames that it had told of; a later report makes it anew', async () => {
    const id = await told({ branch: 'old' });
    const renamed = { branch: 'new', updated_at: '2026-01-12T10:00:00Z' };
    await told(renamed);
    const renames = () =>
      boundaryRows(fx.ctx).countDocuments({ org_id: fx.orgId, renamed_to: { $exists: true } });
    expect(await renames()).toBe(1);
    expect(await remove(id)).toBe(204);
    expect(await renames()).toBe(0);
    expect(await told(renamed)).toBe(id);
  });
});
