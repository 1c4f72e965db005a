import { afterAll, afterEach, beforeEach } from 'vitest';
import { type AuditEntry, auditRows } from '../../shared/core/accounts/audit/model.ts';
import { createApiKey, type NewApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import type { Member } from '../../shared/core/accounts/organizations/model.ts';
import type { Webhook } from '../../shared/core/events/webhooks/endpoints/model.ts';
import { createBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import type { BudgetInput } from '../../shared/core/limits/budgets/rules/input.ts';
import type { Budget } from '../../shared/core/limits/budgets/rules/model.ts';
import { addMember } from '../../shared/people/members.ts';
import type { Role, Scope } from '../../shared/platform/basics/contract.ts';
import { type OwnRedis, openCreditContext, startOwnRedis } from './credits.ts';
import { BOUND_SCOPES, makeSignal, makeTenant } from './factories.ts';
import {
  type Answer,
  createTestClock,
  openTestContext,
  startApi,
  type TestApi,
  type TestClock,
  type TestContext,
  type TestOptions,
  testEnv,
} from './harness.ts';
import { startIssuer, type TestIssuer } from './idp.ts';
import { makePerson, type Person } from './people.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { startSmtp } from './smtp.ts';
import { startStripe, type TestStripe } from './stripe.ts';
import { recordAll } from './usage.ts';
import { makeWebhook } from './webhooks.ts';

type Smtp = Awaited<ReturnType<typeof startSmtp>>;

/** The parts that a fixture has where its options ask for them. */
interface Parts {
  /** Begins at this time (epoch ms, or a text), or now. Without it the machine's clock counts. */
  clock: TestClock;
  /** An identity provider that the api trusts. */
  idp: TestIssuer;
  /** A mail server that the api uses. */
  smtp: Smtp;
  /** A Stripe at which credits are sold. */
  stripe: TestStripe;
  /** A Redis of this file's own, with all shards of credits open. */
  redis: OwnRedis;
  /** A second api on the same stores, as another process. */
  other: TestApi;
  /** A receiver of webhooks: with `perTest` a new one for each test. */
  receiver: Receiver;
  /** An admin of the organization. */
  admin: Person;
}

type TenantOptions = NonNullable<Parameters<typeof makeTenant>[1]>;

interface FixtureOptions extends Pick<TestOptions, 'env' | 'wings'> {
  clock?: number | string | true;
  idp?: true;
  smtp?: true;
  stripe?: true;
  redis?: true;
  other?: true;
  receiver?: true;
  /** Asks for `idp` too. */
  admin?: true;
  /** The settings of the organization that the fixture has. */
  tenant?: TenantOptions;
  /**
   * Gives each test an organization of its own, for which its fields are read from the fixture within the test. Each begins at
   * the time that the clock was given, and with no mail.
   */
  perTest?: true;
}

/** An organization, a key of it that holds every scope, and what is made in it. */
export interface Tenant {
  orgId: string;
  key: string;
  keyId: string;
  /** Adds a member with this user id. */
  member: (userId: string, options?: { role?: Role; teams?: string[]; name?: string }) => Promise<Member>;
  /** A key that is bound to this user, or to none, with these scopes or all. */
  keyOf: (userId: string | null | undefined, scopes?: Scope[], more?: Partial<NewApiKey>) => Promise<string>;
  /** Records signals by the product's own write path. All are accepted. */
  record: (...signals: Parameters<typeof recordAll>[2][number][]) => Promise<void>;
  /** A daily budget in UTC of all costs, 10 USD, but for these fields. */
  budget: (fields?: Partial<BudgetInput>) => Promise<Budget>;
  /** A webhook for every kind of event. */
  webhook: (url: string, events?: Parameters<typeof makeWebhook>[3]) => Promise<Webhook>;
  /** The entries of the audit log of this action, or all of them. */
  audited: (action?: string | RegExp) => Promise<AuditEntry[]>;
}

interface Sent {
  method?: string;
  /** Instead of the key of the organization: another one, or a person with a session of now. */
  key?: string | Person;
  headers?: Record<string, string>;
  /** Instead of the api of the fixture. */
  at?: Pick<TestApi, 'call'>;
}

interface StoresFixture extends Tenant {
  ctx: TestContext;
  /** The environment of another process on the same stores. */
  env: Record<string, string>;
  /** One more organization. */
  tenant: (options?: TenantOptions) => Promise<Tenant>;
}

interface ApiFixture extends StoresFixture {
  api: TestApi;
  /** Sends a request of the organization, or with another key, and returns the answer. */
  send: (path: string, body?: unknown, options?: Sent) => Promise<Answer>;
  /** The same as PATCH, and as DELETE. */
  patch: (path: string, body: unknown, options?: Sent) => Promise<Answer>;
  remove: (path: string, options?: Sent) => Promise<Answer>;
  /** The body of an answer of the organization, which must be a success. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  ask: (path: string, body?: unknown, options?: Sent) => Promise<any>;
  /** Posts signals over HTTP, now and of `ada` unless they say otherwise. All are accepted. Returns the session of the first. */
  spend: (...signals: Record<string, unknown>[]) => Promise<string>;
  /** The value of a metric of the api, by its name and its labels as they are written: 0 where there is none. */
  metric: (name: string) => Promise<number>;
  /** A person with a session of the identity provider, of the fixture's organization. */
  person: (userId?: string, role?: Role) => Promise<Person>;
}

type With<O> = Pick<Parts, Extract<keyof O, keyof Parts>>;

/** Real stores with an organization in them. All end with the file. */
export async function storesFixture<const O extends FixtureOptions>(
  options: O = {} as O,
): Promise<StoresFixture & With<O>> {
  const { parts } = await open(options);
  return parts as unknown as StoresFixture & With<O>;
}

/** An api on real stores with an organization in them, and what else the options name. All ends with the file. */
export async function fixture<const O extends FixtureOptions>(
  options: O = {} as O,
): Promise<ApiFixture & With<O>> {
  const { parts, env } = await open(options);
  const { ctx, clock, idp } = parts;
  const api = await startApi({ ctx });
  const other = options.other && (await startApi({ env, sharing: ctx, ...(clock ? { clock } : {}) }));
  afterAll(async () => {
    await other?.close();
    await api.close();
  });
  const tokenOf = (key: string | Person) => {
    if (typeof key === 'string') return key;
    return idp ? idp.mint(key.sub, { nowMs: ctx.clock.now() }) : key.session;
  };
  const send: ApiFixture['send'] = async (path, body, options = {}) => {
    const { method, headers = {}, key = parts.key, at = api } = options;
    const sent = { ...(body === undefined ? {} : { body }), ...(method ? { method } : {}) };
    return at.call(path, { key: await tokenOf(key), headers, ...sent });
  };
  const patch: ApiFixture['patch'] = (path, body, more) => send(path, body, { ...more, method: 'PATCH' });
  const remove: ApiFixture['remove'] = (path, more) => send(path, undefined, { ...more, method: 'DELETE' });
  const ask: ApiFixture['ask'] = async (path, body, call) => {
    const answer = await send(path, body, call);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const spend: ApiFixture['spend'] = async (...signals) => {
    const made = signals.map((fields) => makeSignal({ ts: ctx.clock.now(), ...fields }));
    const { results } = await ask('/api/v1/signals', { signals: made });
    const refused = results.find(({ status }: { status: string }) => status !== 'accepted');
    if (refused) throw new Error(`Not accepted: ${JSON.stringify(refused)}`);
    return results[0]?.session_id;
  };
  const metric: ApiFixture['metric'] = async (name) => {
    const { text } = await api.call('/metrics', { key: ctx.config.operatorToken });
    const line = text.split('\n').find((one) => one.startsWith(`${name} `));
    return Number(line?.slice(name.length) ?? 0);
  };
  const person: ApiFixture['person'] = (userId, role = 'member') => {
    if (!idp) throw new Error('A person needs an identity provider: fixture({ idp: true }).');
    return makePerson(ctx, idp, { orgId: parts.orgId, role, ...(userId ? { userId } : {}) });
  };
  return Object.assign(parts, {
    api,
    other,
    send,
    patch,
    remove,
    ask,
    spend,
    metric,
    person,
  }) as unknown as ApiFixture & With<O>;
}

/** Opens everything that an api needs. The tenant's fields change with each test where it has one of its own. */
async function open(options: FixtureOptions) {
  const { clock: start, tenant: own = {}, wings } = options;
  const at = typeof start === 'string' ? Date.parse(start) : start;
  const clock = at === undefined ? undefined : createTestClock(at === true ? undefined : at);
  const [idp, smtp, stripe, redis, receiver] = await Promise.all([
    options.idp && startIssuer(),
    options.smtp && startSmtp(),
    options.stripe && startStripe(),
    options.redis && startOwnRedis(),
    options.receiver && startReceiver(),
  ]);
  const mails = smtp ? { SMTP_URL: smtp.url, BASE_URL: 'https://governor.example' } : {};
  const env = { ...idp?.env, ...stripe?.env, ...mails, ...options.env };
  const settings = { env, ...(clock ? { clock } : {}), ...(wings ? { wings } : {}) };
  const ctx = await (redis
    ? openCreditContext({ ...settings, redisUrl: redis.url })
    : openTestContext(settings));
  // Hooks of one file run in reverse: this one comes after those of the api.
  afterAll(async () => {
    await ctx.close();
    await Promise.all([idp?.stop(), smtp?.close(), stripe?.close(), redis?.stop(), receiver?.close()]);
  });
  const tenant = async (of: TenantOptions = {}) => tenantOf(ctx, await makeTenant(ctx, { ...own, ...of }));
  const name = new URL(ctx.config.mongodbUrl).pathname.slice(1);
  const processEnv = testEnv(name, { env, ...(redis ? { redisUrl: redis.url } : {}) });
  const adminOf = async ({ orgId }: Tenant) =>
    idp && options.admin ? { admin: await makePerson(ctx, idp, { orgId, role: 'admin' }) } : {};
  const made = await tenant();
  const admin = await adminOf(made);
  const parts = {
    ctx,
    clock,
    env: processEnv,
    idp,
    smtp,
    stripe,
    redis,
    receiver,
    tenant,
    ...made,
    ...admin,
  };
  if (options.perTest) {
    beforeEach(async () => {
      if (at !== undefined && at !== true) clock?.set(at);
      if (smtp) smtp.mails.length = 0;
      const own = await tenant();
      const mine = options.receiver && { receiver: await startReceiver() };
      Object.assign(parts, own, await adminOf(own), mine);
    });
    afterEach(() => parts.receiver !== receiver && parts.receiver?.close());
  }
  return { parts, env };
}

function tenantOf(ctx: TestContext, made: Awaited<ReturnType<typeof makeTenant>>): Tenant {
  const { orgId } = made;
  return {
    ...made,
    member: (user_id, { role = 'member', ...more } = {}) =>
      addMember(ctx, { org_id: orgId, user_id, email: `${user_id}@example.org`, role, ...more }),
    keyOf: async (user_id, scopes = [...BOUND_SCOPES], more = {}) =>
      (await createApiKey(ctx, { org_id: orgId, scopes, ...(user_id ? { user_id } : {}), ...more })).key,
    record: (...signals) => recordAll(ctx, orgId, signals),
    budget: (fields = {}) => createBudget(ctx, orgId, { ...BUDGET, ...fields }),
    webhook: (url, events) => makeWebhook(ctx, orgId, url, events),
    audited: (action) =>
      auditRows(ctx)
        .find({ org_id: orgId, ...(action === undefined ? {} : { action }) })
        .toArray(),
  };
}

/** Another process on the same stores, which ends with the file. */
export async function processBeside(ctx: TestContext): Promise<TestContext> {
  const beside = await openTestContext({ clock: ctx.clock, sharing: ctx });
  afterAll(() => beside.close());
  return beside;
}

/** The budget of a test that gives no other fields. */
export const BUDGET = {
  name: 'B',
  scope: 'org',
  metric: 'cost_usd',
  threshold: 10,
  window: 'daily',
  timezone: 'UTC',
} as const satisfies BudgetInput;
