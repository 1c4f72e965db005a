import { randomBytes } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import { auditWrite } from '../../../core/accounts/audit/record-audit.ts';
import { beginCreation } from '../../../core/accounts/idempotency/creation.ts';
import { confirmActor } from '../../../core/accounts/keys/confirm-actor.ts';
import { madeBy } from '../../../core/accounts/keys/model.ts';
import { guardOrganizationRules } from '../../../core/accounts/organizations/versions.ts';
import { encryptSecret } from '../../../core/events/webhooks/endpoints/encrypt-secret.ts';
import type { MadeThing, Person } from '../../../core/hooks/wing.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import { CODE_HOSTS_PER_ORGANIZATION } from '../../../platform/basics/contract.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import { newId } from '../../../platform/basics/ids.ts';
import { commitPlan, joinPlans, type Plan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { findOwn } from '../../../platform/mongo/find-own.ts';
import { deleteRows, insertRow } from '../../../platform/mongo/writes.ts';
import { type CodeHost, type CodeHostProvider, codeHostRows } from './model.ts';
import type { CodeHostInput } from './view.ts';

/**
 * Adds a code host and returns its secret for the only time. Throws `conflict` when the organization has as many as it may have,
 * and as `confirmActor` when its maker may no longer add one.
 */
export async function addCodeHost(
  ctx: Context,
  orgId: string,
  { provider, name }: CodeHostInput,
): Promise<{ host: CodeHost; secret: string }> {
  const id = newId('src');
  const secret = newSecret(provider);
  const sealed = encryptSecret(ctx.config, id, secret);
  const host = await commitPlan(ctx, async (transaction) => {
    await beginCreation(ctx, 'src', transaction);
    const { maker, writes: touched } = await confirmActor(ctx, { orgId, role: 'admin' }, transaction);
    await refuseMore(ctx, orgId, transaction);
    const created_at = dateAt(ctx.clock.now());
    const row: CodeHost = {
      _id: id,
      org_id: orgId,
      provider,
      name: name ?? null,
      secret: sealed,
      made_by: maker,
      created_at,
      last_event_at: null,
    };
    const writes = [
      ...touched,
      insertRow(codeHostRows, row),
      // Two that add the last one at the same time conflict here.
      guardOrganizationRules(orgId, 0),
      auditWrite(ctx, {
        action: 'code_host.create',
        org_id: orgId,
        details: detailsOf(row),
      }),
    ];
    return { writes, result: row };
  });
  return { host, secret };
}

async function refuseMore(ctx: Context, orgId: string, transaction: ClientSession): Promise<void> {
  const existing = await codeHostRows(ctx).countDocuments({ org_id: orgId }, { session: transaction });
  if (existing < CODE_HOSTS_PER_ORGANIZATION) return;
  throw new DomainError(
    'conflict',
    `An organization has at most ${CODE_HOSTS_PER_ORGANIZATION} code hosts. Delete one that sends nothing.`,
  );
}

/** GitLab takes a key for signatures only in the form of Standard Webhooks. */
function newSecret(provider: CodeHostProvider): string {
  const bytes = randomBytes(32);
  return provider === 'gitlab' ? `whsec_${bytes.toString('base64')}` : bytes.toString('base64url');
}

export async function listCodeHosts(ctx: Context, orgId: string): Promise<CodeHost[]> {
  return codeHostRows(ctx).find({ org_id: orgId }).sort({ created_at: 1 }).toArray();
}

export const getCodeHost = findOwn(codeHostRows, 'code host');

/** Deletes a code host: its events are refused from then on, and the pull requests that it reported stay. Throws `not_found`. */
export async function deleteCodeHost(ctx: Context, orgId: string, hostId: string): Promise<void> {
  await commitPlan(ctx, async (transaction) => {
    const { writes: touched } = await confirmActor(ctx, { orgId, role: 'admin' }, transaction);
    const host = await getCodeHost(ctx, orgId, hostId, transaction);
    return { ...joinPlans({ writes: touched }, planDeletion(ctx, host)), result: undefined };
  });
}

function planDeletion(ctx: Context, host: CodeHost): Plan {
  const { _id, org_id } = host;
  const audit = auditWrite(ctx, { action: 'code_host.delete', org_id, details: detailsOf(host) });
  return { writes: [deleteRows(codeHostRows, { _id }), audit], wakeUps: [] };
}

/** The code hosts whose secret a person saw, for the removal or demotion of the person. */
export async function findMadeCodeHosts(
  ctx: Context,
  person: Person,
  transaction: ClientSession,
): Promise<MadeThing[]> {
  const rows = await codeHostRows(ctx).find(madeBy(person), { session: transaction }).toArray();
  return rows.map((row) => ({
    shown: { id: row._id, provider: row.provider, name: row.name },
    end: () => planDeletion(ctx, row),
  }));
}

function detailsOf({ _id, provider, name }: CodeHost): Record<string, string> {
  return { code_host_id: _id, provider, ...(name === null ? {} : { name }) };
}
