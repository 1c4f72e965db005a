import { createHmac, randomUUID } from 'node:crypto';
import { cookieSettings } from '../../api/people/settings.ts';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import { bindFences, readFences } from '../../shared/core/credits/ledger/fence.ts';
import { readShardStates } from '../../shared/core/credits/meter/shards.ts';
import { addMember } from '../../shared/people/members.ts';
import type { Role, Tier } from '../../shared/platform/basics/contract.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { shardKeys, shardOf } from '../../shared/platform/redis/keys.ts';
import type { Answer, TestApi } from './harness.ts';
import type { TestIssuer } from './idp.ts';

type Caller = Pick<TestApi, 'call'>;

export interface Person {
  accountId: string;
  orgId: string;
  userId: string;
  sub: string;
  /** An access token, good for ten minutes of the context's clock. */
  session: string;
}

let made = 0;

/** A member with an identity, of a new organization unless one is given. Its shard of credits is open. */
export async function makePerson(
  ctx: Context,
  idp: TestIssuer,
  options: { orgId?: string; userId?: string; plan?: Tier; role?: Role } = {},
): Promise<Person> {
  made += 1;
  const sub = `person-${made}`;
  const email = `${sub}@example.org`;
  const { plan = 'team', role = 'member' } = options;
  const orgId = options.orgId ?? (await createOrganization(ctx, { name: 'Test', plan }))._id;
  const named = options.userId === undefined ? {} : { user_id: options.userId };
  const member = await addMember(ctx, {
    org_id: orgId,
    ...named,
    email,
    role,
    idp: { iss: idp.issuer, sub },
  });
  await openShard(ctx, member._id);
  const session = await idp.mint(sub, { nowMs: ctx.clock.now() });
  return { accountId: member._id, orgId, userId: member.user_id, sub, session };
}

/** A session of the dashboard as a sign-in of now leaves it, and the cookie that names it. */
export async function beginBrowserSession(
  ctx: Context,
  who: { accountId: string; identity: { iss: string; sub: string } },
): Promise<{ key: string; cookie: string }> {
  const id = randomUUID();
  const key = `dashboard:session:${id}`;
  const content = { cookie: { path: '/' }, ...who, loggedInAt: ctx.clock.now() };
  await ctx.redis.producer.set(key, JSON.stringify(content), 'EX', 600);
  const signature = createHmac('sha256', ctx.config.sessionSecret).update(id).digest('base64');
  const signed = encodeURIComponent(`s:${id}.${signature.replace(/=+$/, '')}`);
  return { key, cookie: `${cookieSettings(ctx.config).name}=${signed}` };
}

/** As a worker does once a shard is reconciled: these accounts are new, so there is nothing to reconcile. */
async function openShard(ctx: Context, accountId: string): Promise<void> {
  const shard = shardOf(accountId);
  const [look] = await readShardStates(ctx, [shard]);
  const identity = look?.identity ?? '';
  await bindFences(ctx, new Map([[shard, identity]]), await readFences(ctx, [shard]));
  await ctx.redis.meter.set(shardKeys(shard).epoch, identity);
}

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';

export async function startLink(
  api: Caller,
  body: unknown = {},
): Promise<Record<'device_code' | 'user_code' | `verification_uri${'' | '_complete'}`, string>> {
  const { body: codes } = await api.call('/v1/device_authorization', { body });
  return codes;
}

export async function approve(api: Caller, person: Person, userCode: unknown): Promise<Answer> {
  const path = '/v1/device_authorization/approve';
  return api.call(path, { key: person.session, body: { user_code: userCode } });
}

export async function poll(api: Caller, deviceCode: string): Promise<Answer> {
  return api.call('/v1/token', { body: { grant_type: GRANT_TYPE, device_code: deviceCode } });
}

/** The whole of RFC 8628. */
export async function linkDevice(
  api: Caller,
  person: Person,
  body: unknown = {},
): Promise<{ device_id: string; access_token: string }> {
  const codes = await startLink(api, body);
  const approved = await approve(api, person, codes.user_code);
  if (approved.status !== 204) throw new Error(`approval: ${approved.status} ${approved.text}`);
  const answer = await poll(api, codes.device_code);
  if (answer.status !== 200) throw new Error(`token: ${answer.status} ${answer.text}`);
  return answer.body;
}

export async function revoke(api: Caller, person: Person, deviceId: unknown): Promise<Answer> {
  return api.call('/v1/devices/revoke', { key: person.session, body: { device_id: deviceId } });
}
