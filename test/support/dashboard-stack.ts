import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startIdp } from '../../scripts/idp/provider.ts';
import { issueSessionToken } from '../../scripts/idp/session-token.ts';
import { ensureIdpState, idpEnvironment, issuerOf } from '../../scripts/idp/state.ts';
import type { Identity } from '../../shared/core/accounts/identity/verify-access-token.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import { addMember } from '../../shared/people/members.ts';
import { SCOPES } from '../../shared/platform/basics/contract.ts';
import { type Stack, startStack } from './drills/stack.ts';
import { makeSignal } from './factories.ts';
import { beginBrowserSession } from './people.ts';

export type PersonName = 'Grace' | 'Tom';

export interface DashboardStack extends Stack {
  orgId: string;
  /** An API key of every scope, bound to nobody. */
  key: string;
  /** An access token of a person, by the subject. */
  tokenOf(sub: string): Promise<string>;
  /** The cookie of a new session of a person, as a sign-in leaves it: its name and value. */
  sessionOf(name: PersonName): Promise<{ name: string; value: string }>;
  /** Posts signals, of now unless they say otherwise. */
  report(...overrides: Record<string, unknown>[]): Promise<void>;
}

const PEOPLE = [
  { sub: 'grace', name: 'Grace Lindqvist', email: 'grace@acme.example', organization: 'Acme', role: 'admin' },
  { sub: 'tom', name: 'Tom Herrera', email: 'tom@acme.example', organization: 'Acme', role: 'member' },
] as const;

/** Real processes, a real identity provider, and an organization with an admin (Grace) and a member (Tom, user `tom`). */
export async function startDashboard(env: Record<string, string> = {}): Promise<DashboardStack> {
  const dataDir = mkdtempSync(join(tmpdir(), 'usage-governor-dashboard-'));
  const state = await ensureIdpState(dataDir);
  const idp = await startIdp(state, () => PEOPLE);
  const settings = { ...idpEnvironment(state), TIME_SCALE: '3000', ...env };
  const stack = await startStack({ env: settings, fast: true });
  const { ctx, url } = stack;
  const { _id: orgId } = await createOrganization(ctx, { name: 'Acme', plan: 'team' });
  const signedIn = new Map<string, { accountId: string; identity: Identity }>();
  for (const { sub, name, email, role } of PEOPLE) {
    const identity = { iss: issuerOf(state), sub };
    const person = { org_id: orgId, user_id: sub, name, email, role, idp: identity };
    const { _id } = await addMember(ctx, { ...person, teams: ['core'] });
    signedIn.set(sub, { accountId: _id, identity });
  }
  const { key } = await createApiKey(ctx, { org_id: orgId, scopes: [...SCOPES] });
  return {
    ...stack,
    orgId,
    key,
    tokenOf: (sub) => issueSessionToken({ dataDir, sub, lifetimeS: 3_600 }),
    sessionOf: async (name) => {
      const who = signedIn.get(name.toLowerCase());
      if (!who) throw new Error(`${name} is no member`);
      const [cookie = '', value = ''] = (await beginBrowserSession(ctx, who)).cookie.split('=');
      return { name: cookie, value };
    },
    report: async (...overrides) => {
      const signals = overrides.map((each) => makeSignal({ ts: Date.now(), ...each }));
      const answer = await fetch(`${url}/api/v1/signals`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ signals }),
      });
      const { results } = (await answer.json()) as { results: { status: string; detail?: string }[] };
      const refused = results.find(({ status }) => status !== 'accepted');
      if (refused) throw new Error(`A signal was not taken: ${JSON.stringify(refused)}`);
    },
    stop: async () => {
      idp.closeAllConnections();
      idp.close();
      await stack.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
