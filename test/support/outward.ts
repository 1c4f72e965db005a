import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import * as oidc from 'openid-client';
import { z } from 'zod';
import { issuerOf } from '../../api/people/issuer.ts';
import { ask, requestTo } from '../../packages/governor/src/api/ask.ts';
import { checkCall } from '../../packages/governor/src/check.ts';
import { changeState } from '../../packages/governor/src/context/state.ts';
import { sendWaiting } from '../../packages/governor/src/context/tell.ts';
import { probe } from '../../packages/governor/src/doctor/probe.ts';
import { relay } from '../../packages/governor/src/mcp.ts';
import { requestRaise } from '../../packages/governor/src/raise.ts';
import { answersOk } from '../../packages/stack/wait.ts';
import { send as sendDemo } from '../../scripts/demo/send.ts';
import { spendDemoCredits } from '../../scripts/demo/spends.ts';
import { readKeySet } from '../../scripts/governor/credits.ts';
import { PROBES } from '../../scripts/governor/probes.ts';
import { fetchJson } from '../../shared/core/accounts/identity/fetch-bounded.ts';
import type { Webhook } from '../../shared/core/events/webhooks/endpoints/model.ts';
import { endpointOf, takePermits } from '../../shared/core/events/webhooks/sending/endpoint.ts';
import { sendMessage } from '../../shared/core/events/webhooks/sending/send-attempt.ts';
import type { Config } from '../../shared/platform/basics/config.ts';
import { sendMail, verifyMailServer } from '../../shared/platform/mail/send-mail.ts';
import { createCheckoutSession } from '../../shared/wings/purchases/stripe-api.ts';
import { s3Store } from '../../shared/wings/push/destinations/stores/s3.ts';
import { makeTenant } from './factories.ts';
import type { TestContext } from './harness.ts';
import { ISSUER_PATH } from './hostile-server.ts';
import { makeWebhook } from './webhooks.ts';

/** A request that the product sends to somebody else. */
export interface Outward {
  /** The file that sends it. */
  file: string;
  /** From its begin to the last byte of the answer. Milliseconds. */
  deadlineMs: number;
  /** The longest answer. */
  mostBytes: number;
  /** Tries of one request, if more than one. */
  tries?: number;
  /** Makes in the store what it needs. */
  prepare?(ctx: TestContext, url: string): Promise<void>;
  /** Resolves or rejects when it is over. */
  send(ctx: TestContext, url: string): Promise<unknown>;
}

const KB = 1_024;
const MB = 1_048_576;
const at = (ctx: TestContext, config: Partial<Config>): TestContext => ({
  ...ctx,
  config: { ...ctx.config, ...config },
});
const mailingTo = (ctx: TestContext, url: string) => at(ctx, { smtpUrl: url.replace('http', 'smtp') });
const target = (url: string) => ({ api: url, apiKey: 'key' });
const noPause = async () => undefined;
const event = {
  id: 'evt_1',
  type: 'session.started',
  org_id: 'org_1',
  ts: '2026-01-01T00:00:00.000Z',
  data: {},
};

/** Every request that the product sends to somebody else, with its deadline and its limit. */
export const OUTWARD: Readonly<Record<string, Outward>> = {
  'keys and metadata of the identity provider': {
    file: 'shared/core/accounts/identity/fetch-bounded.ts',
    deadlineMs: 3_000,
    mostBytes: 256 * KB,
    send: (_ctx, url) => fetchJson(url),
  },
  'metadata for a sign-in': {
    file: 'api/people/issuer.ts',
    deadlineMs: 5_000,
    mostBytes: 256 * KB,
    send: (ctx, url) => issuerOf(at(ctx, { oidcIssuer: url, oidcClientId: 'dashboard' })),
  },
  'the code of a sign-in': {
    file: 'api/people/issuer.ts',
    deadlineMs: 5_000,
    mostBytes: 256 * KB,
    send: redeem,
  },
  'a checkout at Stripe': {
    file: 'shared/wings/purchases/stripe-api.ts',
    deadlineMs: 10_000,
    mostBytes: MB,
    send: (ctx, url) =>
      createCheckoutSession(at(ctx, { stripeApiBase: url }), 'sk_test', {
        parameters: {},
        idempotencyKey: 'k',
      }),
  },
  'a delivery, to a webhook or a channel': {
    file: 'shared/core/events/webhooks/sending/post.ts',
    deadlineMs: 10_000,
    mostBytes: 16 * KB,
    prepare: prepareWebhook,
    send: deliver,
  },
  'a request to a bucket': {
    file: 'shared/wings/push/destinations/stores/s3-request.ts',
    deadlineMs: 30_000,
    mostBytes: MB,
    tries: 5,
    send: (_ctx, url) => bucket(url).list('p/'),
  },
  'an object of a bucket': {
    file: 'shared/wings/push/destinations/stores/s3-request.ts',
    deadlineMs: 30_000,
    mostBytes: 4 * MB,
    tries: 5,
    send: (_ctx, url) => bucket(url).read('p/manifest.json'),
  },
  'a file for a bucket': {
    file: 'shared/wings/push/destinations/stores/s3-request.ts',
    // A minute, and a second for every 50 KB.
    deadlineMs: 60_000 + 2_000,
    mostBytes: MB,
    tries: 5,
    send: (_ctx, url) => bucket(url).putFile('p/part', fileOf(100_000), 'text/csv'),
  },
  'an answer to governor check': {
    file: 'packages/governor/src/api/ask.ts',
    deadlineMs: 3_000,
    mostBytes: MB,
    send: (_ctx, url) => checkCall(target(url), { failClosed: true }),
  },
  'an answer to governor check --doctor': {
    file: 'packages/governor/src/doctor/probe.ts',
    deadlineMs: 10_000,
    mostBytes: MB,
    send: (_ctx, url) =>
      probe(
        { event: 'PreToolUse', file: 'settings.json', asks: { url, headers: {} }, obstacle: null },
        { home: '/', cwd: '/', env: {} },
      ),
  },
  'an answer to governor mcp': {
    file: 'packages/governor/src/mcp.ts',
    deadlineMs: 30_000,
    mostBytes: 16 * MB,
    send: (_ctx, url) =>
      relay(
        Readable.from(['{"jsonrpc":"2.0","id":1,"method":"ping"}\n']),
        requestTo(target(url), '/mcp'),
        () => undefined,
      ),
  },
  'an answer to governor raise': {
    file: 'packages/governor/src/api/ask.ts',
    deadlineMs: 10_000,
    mostBytes: MB,
    tries: 3,
    send: (_ctx, url) => requestRaise(target(url), { budgetId: 'bud_1', amount: 1 }, noPause),
  },
  'an answer to governor cost, prices, import, sync and pr': {
    file: 'packages/governor/src/api/ask.ts',
    deadlineMs: 60_000,
    mostBytes: 16 * MB,
    tries: 10,
    send: (_ctx, url) => ask(target(url), '/api/v1/signals', '{}', noPause, z.unknown()),
  },
  'an answer to governor context': {
    file: 'packages/governor/src/api/ask.ts',
    deadlineMs: 30_000,
    mostBytes: MB,
    send: tellContext,
  },
  'an answer to governor status': {
    file: 'scripts/governor/probes.ts',
    deadlineMs: 2_500,
    mostBytes: MB,
    send: async (ctx, url) => PROBES.api?.({ config: ctx.config, api: url, opening: Promise.resolve(ctx) }),
  },
  'the keys for governor receipts verify': {
    file: 'scripts/governor/credits.ts',
    deadlineMs: 10_000,
    mostBytes: MB,
    send: (_ctx, url) => readKeySet(url),
  },
  'a look whether a process answers': {
    file: 'packages/stack/wait.ts',
    deadlineMs: 1_000,
    mostBytes: MB,
    send: (_ctx, url) => answersOk(url),
  },
  'a signal of the demo': {
    file: 'scripts/demo/send.ts',
    deadlineMs: 30_000,
    mostBytes: 16 * MB,
    send: (_ctx, url) =>
      sendDemo({ ...target(url), signal: new AbortController().signal }, 'POST', 'signals', {}),
  },
  'a spend of the demo': {
    file: 'scripts/demo/spends.ts',
    deadlineMs: 30_000,
    mostBytes: 16 * MB,
    send: (_ctx, url) => spendDemoCredits(url, ORGANIZATION, new AbortController().signal),
  },
};

/** The same to a server that takes mail. */
export const OUTWARD_MAIL: Readonly<Record<string, Outward>> = {
  'a mail': {
    file: 'shared/platform/mail/send-mail.ts',
    deadlineMs: 30_000,
    mostBytes: 64 * KB,
    send: (ctx, url) => sendMail(mailingTo(ctx, url), { to: ['ada@example.com'], subject: 'x', text: 'x' }),
  },
  'a look whether mail is taken': {
    file: 'shared/platform/mail/send-mail.ts',
    deadlineMs: 30_000,
    mostBytes: 64 * KB,
    send: (ctx, url) => verifyMailServer(mailingTo(ctx, url)),
  },
};

const member = {
  user_id: 'u',
  email: 'u@acme.example',
  name: 'U',
  role: 'member' as const,
  teams: [],
  session_token: null,
  mcp_token: null,
  device: { device_id: 'd', device_token: 't' },
};
const ORGANIZATION = { org_id: 'org_1', members: Array.from({ length: 12 }, () => member) };

async function redeem(ctx: TestContext, url: string): Promise<unknown> {
  const oidcIssuer = `${url}${ISSUER_PATH}`;
  const issuer = await issuerOf(at(ctx, { oidcIssuer, oidcClientId: 'dashboard' }));
  return oidc.authorizationCodeGrant(issuer, new URL(`${url}/callback?code=c&state=s`), {
    expectedState: 's',
  });
}

const webhooks = new Map<string, Webhook>();

async function prepareWebhook(ctx: TestContext, url: string): Promise<void> {
  const { orgId } = await makeTenant(ctx);
  webhooks.set(url, await makeWebhook(ctx, orgId, url));
}

async function deliver(ctx: TestContext, url: string): Promise<unknown> {
  const webhook = webhooks.get(url);
  if (!webhook) throw new Error('There is no webhook.');
  const [taken] = takePermits(ctx, endpointOf(ctx, webhook._id), 1);
  const permit = await taken;
  if (!permit) throw new Error('There is no permit.');
  const message = { eventId: event.id, envelope: JSON.stringify(event), attempt: 1, atMs: 0 };
  return sendMessage(ctx, permit, webhook, message).finally(() => permit.finish());
}

function bucket(url: string) {
  const place = { endpoint: url, bucket: 'b', region: 'r', path_style: true, access_key_id: 'k' };
  return s3Store(place, { secretAccessKey: 's', timeScale: 100_000 });
}

function fileOf(bytes: number) {
  const path = join(mkdtempSync(join(tmpdir(), 'outward-')), 'part');
  writeFileSync(path, 'x'.repeat(bytes));
  return { path, bytes, sha256: 'UNSIGNED-PAYLOAD' };
}

async function tellContext(_ctx: TestContext, url: string): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'outward-'));
  await changeState(folder, 0, (state) =>
    state.waiting.push({ client_session_id: 's', ts: new Date(0).toISOString(), repository: null }),
  );
  return sendWaiting(target(url), folder, { nowMs: 0, patienceMs: 30_000 });
}
