import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { getHealth } from '../../api/routes/get-health.ts';
import { getReadiness } from '../../api/routes/get-readiness.ts';
import { createLimits } from '../../api/serve/limits.ts';
import { serve } from '../../api/serve/serve.ts';
import { createHttpServer } from '../../api/serve/server.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { waitUntilReady } from '../../shared/platform/redis/connect.ts';
import { registerMetrics } from '../../shared/tables/metrics.ts';
import { startOwnRedis } from '../support/credits.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { call, createTestClock, startApi } from '../support/harness.ts';
import { startIssuer } from '../support/idp.ts';
import { listen } from '../support/temporary.ts';

const { api } = await fixture();

const operator = () => api.ctx.config.operatorToken;

/** An api of the test's own. */
async function start(options: Parameters<typeof startApi>[0]) {
  const started = await startApi(options);
  onTestFinished(() => started.close().catch(() => undefined));
  return started;
}
/** The URL of a Redis of the test's own, with these settings. */
async function startRedisWith(...args: string[]): Promise<string> {
  const own = await startOwnRedis(args);
  onTestFinished(() => own.stop());
  return own.url;
}
const NOBODY = 'Nobody can sign in:';
const NO_ISSUER = `${NOBODY} OIDC_ISSUER and OIDC_CLIENT_ID are not set.`;

describe('health, readiness and metrics', () => {
  it('is ready while both stores answer, and warns while nobody can sign in, of the variables or the provider', async () => {
    const parts = { mongo: 'ok', redis: 'ok' };
    const degraded = { status: 'degraded', parts };
    expect((await api.call('/readyz')).body).toEqual({ ...degraded, warnings: [NO_ISSUER] });
    const issuer = await startIssuer();
    onTestFinished(() => issuer.stop());
    const clock = createTestClock();
    const whole = await start({ clock, env: issuer.env });
    await issuer.stop();
    const warnings = [`${NOBODY} the discovery document of OIDC_ISSUER cannot be read.`];
    expect((await whole.call('/readyz')).body).toEqual({ ...degraded, warnings });
    await issuer.start();
    clock.advance(5_000);
    expect((await whole.call('/readyz')).body).toEqual({ status: 'ready', parts });
  });

  it('is degraded, not down, without one store, and names it without host or version, to the operator too', async () => {
    const lone = await start({ redisUrl: 'redis://127.0.0.1:1' });
    const { status, body, text } = await lone.call('/readyz');
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'degraded', parts: { mongo: 'ok', redis: 'failing' } });
    expect(text).not.toContain('127.0.0.1');
    const metrics = await lone.call('/metrics', { key: operator() });
    expect(metrics.text).toContain('governor_ready{part="mongo"} 1\ngovernor_ready{part="redis"} 0');
    await lone.ctx.db.connection.close();
    expect((await lone.call('/readyz')).status).toBe(503);
    expect((await lone.call('/healthz')).body).toEqual({ status: 'ok' });
  });

  it('is degraded without the Redis that the queues have for themselves', async () => {
    const apart = await start({ env: { QUEUE_REDIS_URL: 'redis://127.0.0.1:1' } });
    const parts = { mongo: 'ok', redis: 'failing' };
    expect((await apart.call('/readyz')).body).toEqual({ status: 'degraded', parts });
    expect(await apart.ctx.redis.producer.ping()).toBe('PONG');
  });

  it('is degraded with a Redis that answers and takes no writes', async () => {
    const full = await start({ redisUrl: await startRedisWith('--maxmemory', '1mb') });
    await waitUntilReady(full.ctx.redis.meter, 5_000);
    expect(await full.ctx.redis.meter.ping()).toBe('PONG');
    expect((await full.call('/readyz')).body).toMatchObject({ parts: { redis: 'failing' } });
  });

  it('warns of a Redis that may lose credits, and of a signing key that is missing', async () => {
    const redisUrl = await startRedisWith('--appendonly', 'no', '--maxmemory-policy', 'allkeys-lru');
    const lossy = await start({ redisUrl, env: { SIGNING_KEY: '' } });
    await waitUntilReady(lossy.ctx.redis.producer, 5_000);
    expect((await lossy.call('/readyz')).body).toMatchObject({
      status: 'degraded',
      warnings: [
        'Redis may lose credits: its appendonly is not yes, and its maxmemory-policy is not noeviction.',
        expect.stringContaining('no usable signing key'),
        NO_ISSUER,
      ],
    });
  });

  it('answers probes however many come and however busy it is (112)', async () => {
    const busy = () => {
      throw new DomainError('overloaded', 'Too busy for anything.');
    };
    const config = { ...api.ctx.config, rateLimits: true, rateLimitPerAddress: 1 };
    const guards = {
      limits: createLimits({ ...api.ctx, config }),
      shedder: { refuseWhenLate: busy, hasStalled: () => true, enter: busy, stop: () => undefined },
      longestAnswerMs: 60_000,
    };
    const app = express();
    for (const probe of [getHealth, getReadiness(api.state)])
      app.get(probe.path, serve(probe, api.ctx, guards));
    const server = createHttpServer(app, api.ctx.config);
    const url = await listen(server);
    const paths = Array(10).fill(['/healthz', '/readyz']).flat();
    const answers = await Promise.all(paths.map((path) => call(url + path, {}, () => undefined)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  });

  it('gives metrics to the operator', async () => {
    const { text } = await api.call('/metrics', { key: operator() });
    expect(text).toContain('governor_http_request_seconds_bucket');
  });

  it('shows no gauge that this process does not measure, and what operators are alerted of from the start on', async () => {
    registerMetrics(api.ctx);
    const { text } = await api.call('/metrics', { key: operator() });
    expect(text).toContain('# TYPE governor_webhooks_failing gauge');
    expect(text).not.toMatch(/^governor_webhook\w*_(failing|unsent|held) /m);
    expect(text).toContain('governor_requests_shed_total{priority="consume"} 0');
    expect(text).toContain('governor_credit_purchase_events_total{outcome="refused"} 0');
  });
});

describe('the documentation', () => {
  it('describes times as they are taken', async () => {
    const { key } = await makeTenant(api.ctx);
    const { body: document } = await api.call('/openapi.json');
    const { SignalInput: single } = document.components.schemas;
    const now = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString();
    const [date, hour] = [now.slice(0, 10), now.slice(0, 13)];
    const texts = [`${hour}:00Z`, `${hour}:00+00`, `${hour}:00+0000`, `${hour}:00:00.5+00:00`, `${hour}:00`]
      .concat([date, `${hour}Z`, `${hour}:60Z`, `${hour}:00:00 +0000`, 'today', '2026-02-30'])
      .concat([`${date}T24:00Z`]);
    const signals = texts.map((ts) => makeSignal({ ts }));
    const { body } = await api.call('/api/v1/signals', { key, body: { signals } });
    const accepted = body.results.map(({ status }: { status: string }) => status === 'accepted');
    expect(accepted).toEqual(texts.map((text) => fits(single.properties.ts, text)));
    expect(accepted.filter(Boolean)).toHaveLength(4);
    for (const path of ['/api/v1/sessions', '/api/v1/anomalies', '/api/v1/usage']) {
      const { schema } = document.paths[path].get.parameters.find(
        ({ name }: { name: string }) => name === 'to',
      );
      for (const text of texts) {
        const { status } = await api.call(`${path}?to=${encodeURIComponent(text)}`, { key });
        expect([path, text, status === 200]).toEqual([path, text, fits(schema, text)]);
      }
    }
  });

  it('serves a page that loads nothing from elsewhere', async () => {
    const { status, text, headers } = await api.call('/docs');
    expect(status).toBe(200);
    expect(text).not.toMatch(/https?:\/\//);
    expect(headers.get('content-security-policy')).toContain("script-src 'self'");
    const script = await fetch(`${api.url}/docs/viewer.js`, { headers: { 'Accept-Encoding': 'br' } });
    const told = Object.fromEntries(script.headers);
    expect(told).toMatchObject({ 'cache-control': 'public, max-age=3600', 'content-encoding': 'br' });
    expect(told['content-type']).toContain('text/javascript');
    expect(Number(told['content-length'])).toBeLessThan(500_000);
    expect((await script.text()).length).toBeGreaterThan(100_000);
  });

  it.each([
    ['identity', null],
    ['br;q=0, gzip;q=0.000', null],
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=0.5 , br ; q=0.1', 'br'],
  ])('is packed for a client that accepts %s by %s', async (accepts, encoding) => {
    const sent = { 'Accept-Encoding': accepts };
    const { headers } = await fetch(`${api.url}/docs/viewer.css`, { headers: sent });
    expect(headers.get('content-encoding')).toBe(encoding);
  });
});

describe('bull-board', () => {
  it('is there for the operator by Basic and by Bearer, and for nobody else', async () => {
    const basic = (password: string) => ({
      headers: { Authorization: `Basic ${Buffer.from(`ops:${password}`).toString('base64')}` },
    });
    expect((await api.call('/admin/queues')).headers.get('www-authenticate')).toContain('Basic');
    expect((await api.call('/admin/queues', basic('wrong'))).status).toBe(401);
    expect((await api.call('/admin/queues/api/queues')).status).toBe(401);
    expect((await api.call('/admin/queues', { key: operator() })).status).toBe(200);
    const { status, text, headers } = await api.call('/admin/queues', basic(operator()));
    expect([status, headers.get('x-powered-by')]).toEqual([200, null]);
    expect(text).toContain('usage-governor');
    const queues = await api.call('/admin/queues/api/queues', { key: operator() });
    expect(queues.text).toContain('end-session');
  });
});

describe('bull-board and other sites', () => {
  const path = '/admin/queues/api/queues/end-session/clean/completed';
  const add = (headers: Record<string, string>) =>
    api.call(path, { method: 'PUT', key: operator(), headers });

  it.each<[string, Record<string, string>]>([
    ['by what a browser says', { 'Sec-Fetch-Site': 'cross-site' }],
    ['of a neighbour', { 'Sec-Fetch-Site': 'same-site' }],
    ['by its origin', { Origin: 'https://evil.example' }],
    ['without an origin that is named', { Origin: 'null' }],
  ])('refuses changes from elsewhere: %s', async (_name, headers) => {
    expect((await add(headers)).body).toMatchObject({ status: 403, code: 'cross_site' });
  });

  it.each<Record<string, string>>([{}, { 'Sec-Fetch-Site': 'same-origin' }, { 'Sec-Fetch-Site': 'none' }])(
    'takes changes of its own page and of clients that are no browsers: %j',
    async (headers) => expect((await add(headers)).status).toBe(200),
  );
});

interface TextSchema {
  pattern?: string;
  anyOf?: TextSchema[];
}

function fits({ pattern, anyOf }: TextSchema, text: string): boolean {
  if (anyOf) return anyOf.some((schema) => fits(schema, text));
  return new RegExp(pattern ?? 'a schema without a pattern').test(text);
}
