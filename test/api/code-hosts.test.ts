import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { CODE_HOSTS_PER_ORGANIZATION } from '../../shared/platform/basics/contract.ts';
import { CODE_HOST_PROVIDERS, codeHostRows } from '../../shared/wings/work/code-hosts/model.ts';
import { type PullRequest, pullRequestRows } from '../../shared/wings/work/pull-requests/model.ts';
import {
  gitlabSignature,
  type HostedPullRequest,
  payloadOf,
  proofOf,
  startCodeHost,
  type TestCodeHost,
} from '../support/code-hosts.ts';
import { fixture } from '../support/fixture.ts';
import { sendRaw } from '../support/raw-http.ts';

const f = await fixture({
  clock: '2026-02-01T12:00:00Z',
  env: { BASE_URL: 'https://governor.example' },
  idp: true,
  admin: true,
  perTest: true,
});
const { api, clock } = f;

const add = (body: unknown = { provider: 'github' }) => f.send('/v1/code-hosts', body, { key: f.admin });
const list = async () => (await f.ask('/v1/code-hosts', undefined, { key: f.admin })).data;
const remove = (id: string) => f.remove(`/v1/code-hosts/${id}`, { key: f.admin });
const stored = async (orgId = f.orgId): Promise<PullRequest[]> =>
  pullRequestRows(api.ctx).find({ org_id: orgId }).toArray();
const post = (id: string, body: string, headers: Record<string, string>) =>
  api.call(`/integrations/code-hosts/${id}`, { body, headers });

describe('code hosts', () => {
  test('are added with a secret that is shown once, listed and deleted, each with a line in the audit log', async () => {
    const { status, body } = await add({ provider: 'gitlab', name: 'Acme' });
    expect(status).toBe(201);
    const { secret, ...shown } = body;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^src_\w{22}$/),
      provider: 'gitlab',
      name: 'Acme',
      url: `https://governor.example/integrations/code-hosts/${shown.id}`,
      made_by: { user_id: expect.any(String), key_id: null },
      created_at: clock.now() / 1_000,
      last_event_at: null,
    });
    clock.advance(1_000);
    const other = await add();
    clock.advance(1_000);
    expect(other.body.secret).toMatch(/^[\w-]{43}$/);
    expect(await list()).toEqual([shown, expect.objectContaining({ id: other.body.id, name: null })]);
    const row = await codeHostRows(api.ctx).findOne({ _id: shown.id });
    expect(JSON.stringify(row)).not.toContain(secret);
    expect((await remove(shown.id)).status).toBe(204);
    const late = JSON.stringify(payloadOf('gitlab'));
    const sent = await post(shown.id, late, proofOf('gitlab', secret, late));
    expect([(await remove(shown.id)).status, sent.status, await stored()]).toEqual([404, 404, []]);
    expect(await list()).toHaveLength(1);
    const { data } = await f.ask('/v1/audit?action=code_host.', undefined, { key: f.admin });
    const acts = data.map(({ action, actor, target }: never) => [action, actor, target]);
    const [kind, actor] = ['code_host', f.admin.accountId];
    expect(acts).toEqual([
      ['code_host.delete', actor, { kind, id: shown.id, name: 'Acme' }],
      ['code_host.create', actor, { kind, id: other.body.id, name: 'github' }],
      ['code_host.create', actor, { kind, id: shown.id, name: 'Acme' }],
    ]);
    expect(JSON.stringify(await f.audited())).not.toContain(secret);
  });

  test.each([
    {},
    { provider: 'gitea' },
    { provider: 'github', secret: 'x' },
    { provider: 'github', name: '' },
  ])('have a provider that is known, and no other fields: %j is refused', async (body) => {
    expect((await add(body)).body.code).toBe('invalid_request');
  });

  test(`are at most ${CODE_HOSTS_PER_ORGANIZATION}, also when the last ones are added at the same time`, async () => {
    for (let made = 0; made < CODE_HOSTS_PER_ORGANIZATION - 2; made += 1) await add();
    const answers = await Promise.all(Array.from({ length: 6 }, () => add()));
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(4);
    expect(await list()).toHaveLength(CODE_HOSTS_PER_ORGANIZATION);
  });
});

describe.each(CODE_HOST_PROVIDERS)('an event of %s', (provider) => {
  let host: TestCodeHost;
  beforeEach(async () => {
    host = await startCodeHost(api, f.orgId, provider);
  });
  const repository = {
    github: 'github.com/acme/shop',
    gitlab: 'gitlab.example/acme/shop',
    bitbucket: 'bitbucket.org/acme/shop',
  }[provider];
  const event = (changes: Partial<HostedPullRequest> = {}) => payloadOf(provider, changes);

  test('stores the pull request, and its ends: closed, reopened, merged', async () => {
    const send = async (changes: Partial<HostedPullRequest>) => {
      expect((await host.send(event(changes))).body).toEqual({ outcome: 'applied' });
      const [row] = await stored();
      return row;
    };
    expect(await send({})).toMatchObject({
      _id: expect.stringMatching(/^pr_\w{22}$/),
      repository,
      number: 12,
      title: 'Add a cart',
      url: expect.stringMatching(/^https:\/\/.*acme\/shop\/.*12$/),
      head_repository: repository,
      branch: { text: 'cart', hash: expect.stringMatching(/^h_\w{22}$/) },
      base_branch: { text: 'main' },
      state: 'open',
      opened_at: new Date('2026-01-10T10:00:00Z'),
      closed_at: null,
      merged_at: null,
    });
    const at = (day: number) => `2026-01-${day}T10:00:00Z`;
    const dayOf = (date: Date | null | undefined) => date?.getUTCDate() ?? null;
    for (const [state, updated, ended] of [
      ['closed', 11, 11],
      ['open', 12, null],
      ['merged', 13, 13],
      // An edit after the end does not move it.
      ['merged', 20, 13],
    ] as const) {
      const row = await send({ state, updatedAt: at(updated), closedAt: ended && at(ended) });
      const ends = [ended, state === 'merged' ? ended : null];
      expect([row?.state, dayOf(row?.closed_at), dayOf(row?.merged_at)]).toEqual([state, ...ends]);
    }
  });

  test('that is sent again, or came late, changes nothing', async () => {
    const late = event({ updatedAt: '2026-01-10T11:00:00Z', title: 'Late' });
    const newest = event({ updatedAt: '2026-01-10T12:00:00Z', title: 'Newest' });
    expect((await host.send(newest)).body.outcome).toBe('applied');
    expect((await host.send(newest)).body.outcome).toBe('repeated');
    expect((await host.send(late)).body.outcome).toBe('stale');
    expect(await stored()).toMatchObject([{ title: 'Newest' }]);
    const { text } = await api.call('/metrics', { key: api.ctx.config.operatorToken });
    for (const outcome of ['applied', 'repeated', 'stale'])
      expect(text).toContain(`governor_code_host_events_total{provider="${provider}",outcome="${outcome}"}`);
  });

  test('of a pull request from a fork keeps the fork when it is deleted', async () => {
    await host.send(event({ fork: 'ada/shop' }));
    const at = '2026-01-11T10:00:00Z';
    const gone = event({ fork: null, updatedAt: at, state: 'closed', closedAt: at });
    expect((await host.send(gone)).body.outcome).toBe('applied');
    const [row] = await stored();
    const head_repository = repository.replace('acme', 'ada');
    expect(row).toMatchObject({ repository, head_repository, state: 'closed' });
  });

  test('without the right proof is refused before it is parsed, and leaves nothing', async () => {
    const body = JSON.stringify(event());
    const other = await startCodeHost(api, f.orgId, provider);
    const right = Object.entries(proofOf(provider, host.secret, body));
    const flipped = Object.fromEntries(right.map(([name, value]) => [name, value.replace(/.$/, '#')]));
    const sha1 = createHmac('sha1', host.secret).update(body).digest('hex');
    const proofs = [
      {},
      flipped,
      proofOf(provider, other.secret, body),
      proofOf(provider, host.secret, `${body} `),
      proofOf(provider, '', body),
      { 'X-Hub-Signature': `sha1=${sha1}`, 'X-Hub-Signature-256': 'sha256=', 'X-Gitlab-Token': '' },
      { 'X-Hub-Signature': 'sha256=é', 'X-Hub-Signature-256': 'x', 'X-Gitlab-Token': 'x'.repeat(5_000) },
    ];
    for (const proof of provider === 'gitlab' ? proofs.toSpliced(3, 1) : proofs)
      for (const sent of [body, 'no JSON']) {
        const answer = await post(host.id, sent, proof);
        expect([answer.status, answer.body.code], JSON.stringify(proof)).toEqual([400, 'invalid_signature']);
      }
    expect(await stored()).toEqual([]);
    const [row] = await codeHostRows(api.ctx).find({ _id: host.id }).toArray();
    expect(row?.last_event_at).toBeNull();
  });

  test('reaches no pull request of another organization', async () => {
    await host.send(event());
    const foreign = await f.tenant();
    const second = await startCodeHost(api, foreign.orgId, provider);
    await second.send(event({ title: 'Theirs', updatedAt: '2026-01-12T10:00:00Z' }));
    const [own, theirs] = [await stored(), await stored(foreign.orgId)];
    expect([own, theirs]).toMatchObject([[{ title: 'Add a cart' }], [{ title: 'Theirs' }]]);
    // Nobody sees from a hash that two organizations have a branch of the same name.
    expect(own[0]?.branch.hash).not.toBe(theirs[0]?.branch.hash);
  });

  test('that reports no pull request is ignored, and shows that the host is connected', async () => {
    const nonsense = [{}, [], null, 1, 'text', { zen: 'Keep it logically awesome.', hook_id: 1 }];
    for (const payload of nonsense.map((one) => JSON.stringify(one))) {
      const answer = await host.send(payload);
      expect([answer.status, answer.body], payload).toEqual([200, { outcome: 'ignored' }]);
    }
    expect(await stored()).toEqual([]);
    const [row] = await list();
    expect(row.last_event_at).toBe(clock.now() / 1_000);
  });

  test.each([
    ['nested too deep', `${'['.repeat(70)}${']'.repeat(70)}`, 400],
    ['with a lone surrogate', '"\ud800"', 200],
    ['of too many values', `[${'1,'.repeat(300_000)}1]`, 413],
  ])('%s is taken or not as every body is', async (_, body, status) => {
    expect((await host.send(body)).status).toBe(status);
  });

  test.each(['', 'X-Hub-Signature-256: sha256=00\r\n', 'X-Gitlab-Token:\r\n', 'webhook-id: msg_1\r\n'])(
    'without a signature is refused before its body comes: %j',
    async (headers) => {
      const head = `POST /integrations/code-hosts/${host.id} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n`;
      const answer = await sendRaw(api.url, `${head}${headers}Content-Length: 900000\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 400/);
      expect(answer).toContain('invalid_signature');
    },
  );

  test('makes the same of pull requests in whatever order, at the same time, and again', async () => {
    const day = (date: number, hour = 10) => `2026-01-${date}T${hour}:00:00Z`;
    const ended = (state: 'closed' | 'merged', date: number, updated = date) =>
      ({ branch: 'basket', state, updatedAt: day(updated), closedAt: day(date) }) as const;
    const story = [
      event({ fork: 'ada/shop' }),
      event({ updatedAt: day(10, 11), branch: 'basket', fork: 'ada/shop' }),
      event({ updatedAt: day(10, 12), branch: 'basket', fork: null }),
      event(ended('closed', 11)),
      event({ updatedAt: day(12), branch: 'basket' }),
      event(ended('merged', 13)),
      event({ ...ended('merged', 13, 14), title: 'T' }),
    ];
    for (const payload of story) await host.send(payload);
    const [inOrder] = await stored();
    expect(inOrder?.renames).toHaveLength(1);
    for (let round = 0; round < 3; round += 1) {
      await pullRequestRows(api.ctx).deleteMany({ org_id: f.orgId });
      const all = fc.shuffledSubarray([...story, ...story], { minLength: story.length * 2 });
      const [shuffled = []] = fc.sample(all, 1);
      const answers = await Promise.all(shuffled.map((payload) => host.send(payload)));
      expect(answers.every(({ status }) => status === 200)).toBe(true);
      expect(await stored()).toEqual([inOrder]);
    }
  });
});

describe('a webhook-signature of GitLab', () => {
  const body = JSON.stringify(payloadOf('gitlab'));
  const send = (host: TestCodeHost, headers: Record<string, string>) => post(host.id, body, headers);

  test('proves an event for five minutes', async () => {
    const host = await startCodeHost(api, f.orgId, 'gitlab');
    const at = (ms: number) => gitlabSignature(host.secret, body, clock.now() + ms);
    expect((await send(host, at(-299_000))).body.outcome).toBe('applied');
    expect((await send(host, at(299_000))).body.outcome).toBe('repeated');
    const several = at(0);
    several['webhook-signature'] =
      `v1a,xx v1,${Buffer.alloc(32).toString('base64')} ${several['webhook-signature']}`;
    expect((await send(host, several)).body.outcome).toBe('repeated');
    for (const headers of [at(-302_000), at(302_000)])
      expect((await send(host, headers)).body.code).toBe('invalid_signature');
  });

  test('that is wrong is not made up for by the right token', async () => {
    const host = await startCodeHost(api, f.orgId, 'gitlab');
    const right = gitlabSignature(host.secret, body, clock.now());
    for (const wrong of [
      { ...right, 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` },
      { ...right, 'webhook-signature': '' },
      { ...right, 'webhook-id': 'another' },
      { ...right, 'webhook-timestamp': 'now' },
      { 'webhook-signature': right['webhook-signature'] ?? '' },
    ])
      expect((await send(host, { ...wrong, 'X-Gitlab-Token': host.secret })).body.code).toBe(
        'invalid_signature',
      );
    expect(await stored()).toEqual([]);
  });
});

describe('every field of an event', () => {
  const VALUES = [null, true, -1, 0, 1.5, 1e300, [], {}, { $gt: '' }, { _bsontype: 'ObjectId' }];
  const TEXTS = ['', 'x'.repeat(10_000), '\u0000', '\ud800', '<img src=x onerror=alert(1)>'];
  const TIMES = ['9999-12-31T23:59:59Z', '0000-01-01T00:00:00Z', '1969-12-31T00:00:00Z'];
  const PLACES = ['javascript:alert(1)', '/etc/passwd', 'file:///etc/passwd', '../..'];
  const HOSTILE = [...VALUES, ...TEXTS, ...TIMES, ...PLACES, 'https://ada:s3cret@github.com/acme/shop'];

  test.each(CODE_HOST_PROVIDERS)(
    'of %s may be hostile: it is applied safely or ignored',
    async (provider) => {
      const host = await startCodeHost(api, f.orgId, provider);
      const root = { github: 'pull_request', gitlab: 'object_attributes', bitbucket: 'pullrequest' }[
        provider
      ];
      for (const path of pathsOf(payloadOf(provider)[root])) {
        for (const value of HOSTILE) {
          const payload = payloadOf(provider);
          plant(payload[root], path, value);
          const answer = await host.send(payload);
          expect(answer.status, `${path.join('.')} ${JSON.stringify(value)?.slice(0, 40)}`).toBe(200);
        }
      }
      const rows = await stored();
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) {
        expect(row.repository).toMatch(/^[^/.~\s][^\s@]*\/[^\s@]*$/);
        expect(row.url === null || /^https?:\/\/[^@]*$/.test(row.url)).toBe(true);
        expect(Array.from(row.title ?? '').length).toBeLessThanOrEqual(256);
        expect(row.number).toBeGreaterThanOrEqual(1);
        expect(row.updated_at.getTime()).toBeLessThanOrEqual(clock.now() + 300_000);
        // Titles and branches are texts as they are written; an address never holds a credential.
        const heads = row.seen.map((one) => one.head_repository);
        const addresses = [row.url, row.repository, row.head_repository, ...heads];
        expect(JSON.stringify(addresses)).not.toContain('s3cret');
      }
    },
    120_000,
  );
});

/** The paths of all leaves and all objects of a payload. */
function pathsOf(part: unknown, path: string[] = []): string[][] {
  if (typeof part !== 'object' || part === null) return [path];
  const inner = Object.entries(part).flatMap(([name, value]) => pathsOf(value, [...path, name]));
  return path.length === 0 ? inner : [path, ...inner];
}

function plant(part: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) part[name] = value;
  else plant(part[name] as Record<string, unknown>, rest, value);
}
