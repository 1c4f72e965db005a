/* The story of generators.ts, told with the types of openapi-typescript and openapi-fetch. */
import createClient from 'openapi-fetch';
import type { components, paths } from '../../../../api/docs/client.d.ts';

const { GOVERNOR_API: baseUrl = '', GOVERNOR_API_KEY: key = '' } = process.env;
const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

function signal(id: string, tokens: number): components['schemas']['SignalInput'] {
  const counts = { tokens_in: tokens, tokens_out: tokens };
  const ts = new Date().toISOString();
  return { id, ts, user_id: 'ada', adapter: `story-${id}`, model: 'gpt-4o-mini', ...counts };
}

const posted = await api.POST('/api/v1/signals', { body: signal('one', 100) });
const [accepted] = posted.data?.results ?? [];
if (accepted?.status !== 'accepted') throw new Error(JSON.stringify(posted));
const batch = { signals: [signal('two', 10), signal('three', 1)] };
const more = await api.POST('/api/v1/signals', { body: batch });

const seen: string[] = [];
const asked = { limit: 2, from: new Date().toISOString().slice(0, 10) };
const first = await api.GET('/api/v1/sessions', { params: { query: asked } });
for (let page = first.data; page; ) {
  seen.push(...page.data.map(({ id }) => id));
  if (!page.has_more) break;
  page = (await api.GET('/api/v1/sessions', { params: { query: { ...asked, cursor: page.cursor } } })).data;
}
const { data: session } = await api.GET('/api/v1/sessions/{id}', {
  params: { path: { id: accepted.session_id } },
});

const { data: usage } = await api.GET('/api/v1/usage');
const { error: refused } = await api.GET('/api/v1/sessions', { params: { query: { limit: 1_000 } } });
if (refused?.code !== 'invalid_request') throw new Error(JSON.stringify(refused));
const hook = await api.POST('/api/v1/webhooks', {
  body: {
    url: 'https://hooks.example.com/typescript',
    events: ['session.ended'],
    secret: 'a-secret-of-at-least-32-characters',
  },
});
const { error: missing } = await api.GET('/api/v1/sessions/{id}', { params: { path: { id: 'ses_none' } } });

console.log(
  JSON.stringify({
    posted: [accepted.id, accepted.status],
    batch: more.data?.results.length,
    sessions: [first.data?.total, seen.length],
    session: [session?.started_at.endsWith('Z'), session?.tokens_in, session?.signals[0]?.id],
    usage: [usage?.totals.tokens_in, usage?.totals.cost_usd],
    problem: [refused.status, refused.code, refused.errors?.[0]?.parameter],
    webhook: [hook.response.status, hook.data?.enabled],
    missing: [missing?.status, missing?.code],
  }),
);
