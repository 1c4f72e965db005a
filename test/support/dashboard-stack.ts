import { issueSessionToken } from '../../scripts/idp/session-token.ts';
import type { Identity } from '../../shared/core/accounts/identity/verify-access-token.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import { addMember } from '../../shared/people/members.ts';
import { SCOPES } from '../../shared/platform/basics/contract.ts';
import { type Stack, startStack } from './drills/stack.ts';
import { makeSignal } from './factories.ts';
import { call } from './harness.ts';
import { beginBrowserSession } from './people.ts';
import { startSignIn } from './sign-in.ts';

export type PersonName = 'Grace' | 'Tom';

/** An organization with an admin (Grace, user `grace`) and a member (Tom, user `tom`). */
export interface Organization {
  orgId: string;
  /** An API key of every scope, bound to nobody. */
  key: string;
  /** An access token of a person, by the user. */
  tokenOf(userId: string): Promise<string>;
  /** The cookie of a new session of a person, as a sign-in leaves it (`NAME=VALUE`). */
  sessionOf(name: PersonName): Promise<string>;
  /** Posts signals, of now unless they say otherwise. */
  report(...overrides: Record<string, unknown>[]): Promise<void>;
}

export interface DashboardStack extends Stack, Organization {
  /** The same stack with an organization of its own, whose people have the same names but cannot sign in by hand. */
  another(): Promise<DashboardStack>;
}

const PEOPLE = [
  { sub: 'grace', name: 'Grace Lindqvist', email: 'grace@acme.example', organization: 'Acme', role: 'admin' },
  { sub: 'tom', name: 'Tom Herrera', email: 'tom@acme.example', organization: 'Acme', role: 'member' },
] as const;

/** Real processes, a real identity provider, and an organization. */
export async function startDashboard(env: Record<string, string> = {}): Promise<DashboardStack> {
  const { issuer, folder: dataDir, env: ofIssuer, stop } = await startSignIn(() => PEOPLE);
  const stack = await startStack({ env: { ...ofIssuer, TIME_SCALE: '3000', ...env }, fast: true });
  let organizations = 0;
  const found = async (): Promise<Organization> => {
    organizations += 1;
    const suffix = organizations === 1 ? '' : `-${organizations}`;
    return foundOrganization(stack, { dataDir, issuer, suffix });
  };
  const first: DashboardStack = {
    ...stack,
    ...(await found()),
    another: async () => ({ ...first, ...(await found()) }),
    stop: async () => {
      await stack.stop();
      stop();
    },
  };
  return first;
}

async function foundOrganization(
  { ctx, url }: Stack,
  { dataDir, issuer, suffix }: { dataDir: string; issuer: string; suffix: string },
): Promise<Organization> {
  const { _id: orgId } = await createOrganization(ctx, { name: 'Acme', plan: 'team' });
  const signedIn = new Map<string, { accountId: string; identity: Identity }>();
  for (const { sub, name, email, role } of PEOPLE) {
    const identity = { iss: issuer, sub: sub + suffix };
    const person = { org_id: orgId, user_id: sub, name, email, role, idp: identity };
    const { _id } = await addMember(ctx, { ...person, teams: ['core'] });
    signedIn.set(sub, { accountId: _id, identity });
  }
  const { key } = await createApiKey(ctx, { org_id: orgId, scopes: [...SCOPES] });
  return {
    orgId,
    key,
    tokenOf: (userId) => issueSessionToken({ dataDir, sub: userId + suffix, lifetimeS: 3_600 }),
    sessionOf: async (name) => {
      const who = signedIn.get(name.toLowerCase());
      if (!who) throw new Error(`${name} is no member`);
      return (await beginBrowserSession(ctx, who)).cookie;
    },
    report: async (...overrides) => {
      const signals = overrides.map((each) => makeSignal({ ts: Date.now(), ...each }));
      const { body } = await call(`${url}/api/v1/signals`, { key, body: { signals } });
      const refused = body.results.find(({ status }: { status: string }) => status !== 'accepted');
      if (refused) throw new Error(`A signal was not taken: ${JSON.stringify(refused)}`);
    },
  };
}
