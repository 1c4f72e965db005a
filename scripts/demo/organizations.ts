import { decodeJwt } from 'jose';
import { linkIdentity } from '../../shared/core/accounts/identity/link-identity.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import { memberRows, organizationRows } from '../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { addMember } from '../../shared/people/members.ts';
import { mcpAudience } from '../../shared/platform/basics/config.ts';
import { SCOPES } from '../../shared/platform/basics/contract.ts';
import { isCode } from '../../shared/platform/basics/errors.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { issueSessionToken } from '../idp/session-token.ts';
import { IDP_AUDIENCE, IDP_CLIENT_ID, issuerOf, readIdpState } from '../idp/state.ts';
import { ensureDemoDevice } from './devices.ts';
import { type Demo, type DemoOrganization, readDemo, type ShownOrganization, writeDemo } from './file.ts';

/**
 * Creates the two demo organizations with their members and a key of every scope, once: their ids are kept in
 * `demo.json` before anything is created, so an interrupted start goes on where it stopped, and a later start, which
 * finds them, changes nothing. Created anew when the database does not know them (another one, or emptied): then their
 * traffic is to be played again.
 */
export async function ensureDemoOrganizations(ctx: Context, dataDir: string): Promise<ShownOrganization[]> {
  const demo = readDemo(dataDir) ?? draftDemo();
  writeDemo(dataDir, demo);
  for (const organization of demo.orgs) {
    const exists = await organizationExists(ctx, organization.org_id);
    if (exists && organization.api_key !== null) continue;
    if (!exists) {
      demo.traffic = null;
      await createOrganization(ctx, organization);
    }
    for (const member of organization.members) await addMemberOnce(ctx, organization.org_id, member);
    const { key } = await createApiKey(ctx, {
      org_id: organization.org_id,
      scopes: [...SCOPES],
      name: 'demo',
    });
    organization.api_key = key;
    writeDemo(dataDir, demo);
  }
  for (const organization of demo.orgs) {
    for (const member of organization.members) {
      await ensureCredentials(ctx, dataDir, organization.org_id, member);
      writeDemo(dataDir, demo);
    }
  }
  return await Promise.all(demo.orgs.map((organization) => showOrganization(ctx, organization)));
}

const SESSION_LIFETIME_S = 43_200;
const SESSION_LEFT_S = 7_200;

/** A session of the embedded identity provider, and one linked device, for each demo member. */
async function ensureCredentials(
  ctx: Context,
  dataDir: string,
  orgId: string,
  member: DemoOrganization['members'][number],
): Promise<void> {
  const account = await memberRows(ctx).findOne({ org_id: orgId, user_id: member.user_id });
  if (!account || account.removed_at !== null) {
    member.session_token = null;
    member.mcp_token = null;
    member.device = null;
    return;
  }
  const idp = ctx.config.oidcClientId === IDP_CLIENT_ID ? readIdpState(dataDir) : null;
  if (idp && ctx.config.oidcIssuer === issuerOf(idp)) {
    const identity = { iss: issuerOf(idp), sub: member.user_id };
    if (account.idp?.iss !== identity.iss) await linkIdentity(ctx, orgId, member.user_id, identity);
    const { iss, sub } = identity;
    const nowMs = ctx.clock.now();
    if (!lastsOn(member.session_token, { iss, aud: IDP_AUDIENCE }, nowMs))
      member.session_token = await issueSessionToken({ dataDir, sub, lifetimeS: SESSION_LIFETIME_S });
    const mcpEndpoint = mcpAudience(ctx.config);
    if (!lastsOn(member.mcp_token, { iss, aud: mcpEndpoint }, nowMs))
      member.mcp_token = await issueSessionToken({
        dataDir,
        sub,
        lifetimeS: SESSION_LIFETIME_S,
        mcpEndpoint,
      });
  }
  member.device = await ensureDemoDevice(ctx, account, member.device);
}

function lastsOn(token: string | null, wanted: { iss: string; aud: string }, nowMs: number): boolean {
  if (token === null) return false;
  const { iss, aud, exp = 0 } = decodeJwt(token);
  return iss === wanted.iss && aud === wanted.aud && exp - nowMs / 1_000 > SESSION_LEFT_S;
}

async function showOrganization(ctx: Context, organization: DemoOrganization): Promise<ShownOrganization> {
  const { org_id, api_key, members } = organization;
  const { plan } = await readOrganization(ctx, org_id);
  const shown = members.map(({ user_id, email, role, session_token, mcp_token, device }) => ({
    user_id,
    email,
    role,
    session_token,
    mcp_token,
    devices: device ? [device] : [],
  }));
  return { org_id, plan, api_key, members: shown };
}

async function organizationExists(ctx: Context, orgId: string): Promise<boolean> {
  return (await organizationRows(ctx).findOne({ _id: orgId }, { projection: { _id: 1 } })) !== null;
}

async function addMemberOnce(
  ctx: Context,
  orgId: string,
  member: DemoOrganization['members'][number],
): Promise<void> {
  try {
    await addMember(ctx, { org_id: orgId, ...member });
  } catch (error) {
    if (!isCode(error, 'conflict')) throw error;
  }
}

function draftDemo(): Demo {
  const acme = draftOrganization('Acme', 'team', 'acme.example', [
    ['Grace Lindqvist', 'admin', 'platform'],
    ['Tomás Herrera', 'member', 'platform'],
    ['Aisha Rahman', 'member', 'platform'],
    ['Jonas Weber', 'member', 'product'],
    ['Mei Tanaka', 'member', 'product'],
    ['Olivia Bennett', 'member', 'data'],
    ['Samuel Okafor', 'member', 'platform'],
    ['Priya Nair', 'member', 'platform'],
    ['Lucas Martin', 'member', 'product'],
    ['Hanna Virtanen', 'member', 'product'],
    ['Diego Torres', 'member', 'product'],
    ['Ingrid Solberg', 'member', 'data'],
    ['Noor Haddad', 'member', 'data'],
    ['Ewan MacLeod', 'member', 'data'],
  ]);
  const solo = draftOrganization('Birch Labs', 'free', 'birch.example', [
    ['Noah Birch', 'admin', 'founders'],
  ]);
  return { orgs: [acme, solo], traffic: null };
}

function draftOrganization(
  name: string,
  plan: DemoOrganization['plan'],
  domain: string,
  people: [name: string, role: 'admin' | 'member', team: string][],
): DemoOrganization {
  const members = people.map(([person, role, team]) => ({
    user_id: newId('usr'),
    email: `${emailName(person)}@${domain}`,
    name: person,
    role,
    teams: [team],
    session_token: null,
    mcp_token: null,
    device: null,
  }));
  return { org_id: newId('org'), name, plan, api_key: null, members };
}

function emailName(person: string): string {
  return person.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll(' ', '.');
}
