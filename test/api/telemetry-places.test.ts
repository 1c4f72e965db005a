import { describe, expect, it } from 'vitest';
import { readFixture } from '../shared/core/calls/adapters/fixtures.ts';
import { bytesOf } from '../shared/core/calls/adapters/otlp-messages.ts';
import { fixture } from '../support/fixture.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const SHOP = 'github.com/acme/shop';
const fx = await fixture({ clock: NOW, perTest: true });

type Attributes = Record<string, string>;

const LOGS = readFixture('claude-code');
const SPANS = readFixture('semconv');
/** A record that is one call. */
const CALLS = { logs: LOGS.records.slice(1, 2), traces: SPANS.records.slice(0, 1) };

/** Sends one call with these attributes of its own and of its resource. */
async function send(own: Attributes, resource: Attributes, kind: 'logs' | 'traces' = 'logs') {
  const told = kind === 'logs' ? LOGS : SPANS;
  const records = CALLS[kind].map((record) => ({ ...record, attributes: { ...record.attributes, ...own } }));
  const answer = await fetch(`${fx.api.url}/otlp/v1/${kind}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${fx.key}`, 'Content-Type': 'application/x-protobuf' },
    body: bytesOf({ ...told, resource: { ...told.resource, ...resource }, records }, 'protobuf'),
  });
  expect(answer.status).toBe(200);
}

type Place = [repository: string | null, branch: string | null];

/** The place of the only call. */
async function place(): Promise<Place> {
  const from = new Date(NOW - 30 * 86_400_000).toISOString();
  const { groups } = await fx.ask(`/api/v1/usage?from=${from}&group_by=repository,branch`);
  const counted = groups.filter(({ signals }: { signals: number }) => signals > 0);
  expect(counted).toMatchObject([{ signals: 1 }]);
  return [counted[0].key.repository, counted[0].key.branch];
}

const url = (address: string, branch?: string): Attributes => ({
  'vcs.repository.url.full': address,
  ...(branch === undefined ? {} : { 'vcs.ref.head.name': branch }),
});
const named = (provider: string, more: Attributes = {}): Attributes => ({
  'vcs.provider.name': provider,
  'vcs.owner.name': 'Acme',
  'vcs.repository.name': 'shop',
  ...more,
});

describe('the place of a call by its telemetry', () => {
  it.each<[what: string, resource: Attributes, expected: Place, own?: Attributes]>([
    ['its resource', url('https://github.com/Acme/shop.git', 'cart'), [SHOP, 'cart']],
    [
      'its record before its resource',
      url('https://x.example/a', 'b'),
      [SHOP, 'o'],
      url(`https://${SHOP}`, 'o'),
    ],
    ['a ref in full', url(`https://${SHOP}`, 'refs/heads/feat/cart'), [SHOP, 'feat/cart']],
    ['an address with a credential, which is cut', url(`https://ada:secret@${SHOP}`), [SHOP, null]],
    ['GitHub, owner and name', named('github', { 'vcs.ref.head.name': 'cart' }), [SHOP, 'cart']],
    ['GitLab, owner and name', named('gitlab'), ['gitlab.com/acme/shop', null]],
    ['Bitbucket, owner and name', named('bitbucket'), ['bitbucket.org/acme/shop', null]],
    ['an address before owner and name', { ...named('gitlab'), ...url(`https://${SHOP}`) }, [SHOP, null]],
    ['an unknown provider, which has no host', named('gitea'), [null, null]],
    ['a path, which is none', url('/home/ada/shop', 'cart'), [null, null]],
    ['a branch alone, which is none', { 'vcs.ref.head.name': 'cart' }, [null, null]],
    ['a branch that is too long, which is dropped', url(`https://${SHOP}`, 'x'.repeat(257)), [SHOP, null]],
  ])('is %s', async (_, resource, expected, own = {}) => {
    await send(own, resource);
    expect(await place()).toEqual(expected);
  });

  it('is read of spans too', async () => {
    await send(url(`https://${SHOP}`, 'cart'), {}, 'traces');
    expect(await place()).toEqual([SHOP, 'cart']);
  });

  it('gives way to a context of its client session, which comes before or after it', async () => {
    const tell = (context: object) => fx.ask('/api/v1/contexts', { contexts: [context] });
    const session = String(LOGS.records[1]?.attributes['session.id']);
    const context = { client_session_id: session, ts: '2026-11-22T00:00:00Z', repository: SHOP };
    await send({}, url('https://gitlab.com/acme/old', 'stale'));
    expect(await place()).toEqual(['gitlab.com/acme/old', 'stale']);
    await tell({ ...context, branch: 'cart' });
    expect(await place()).toEqual([SHOP, 'cart']);
    // A context that ends the place leaves none, also not that of the telemetry.
    await tell({ ...context, ts: '2026-11-22T00:00:01Z', repository: null });
    expect(await place()).toEqual([null, null]);
  });
});
