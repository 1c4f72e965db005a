import { z } from 'zod';
import { auditView, viewAudit } from '../core/accounts/audit/list-audit.ts';
import type { AuditEntry } from '../core/accounts/audit/model.ts';
import { deviceRows } from '../core/accounts/devices/model.ts';
import { apiKeyRows } from '../core/accounts/keys/model.ts';
import { memberRows } from '../core/accounts/organizations/model.ts';
import { webhookRows } from '../core/events/webhooks/endpoints/model.ts';
import { budgetRows } from '../core/limits/budgets/rules/model.ts';
import type { Context } from '../platform/context/context.ts';

/** The kinds of objects that entries are about, each with the fields of `details` that hold the object's id. */
const TARGETS = {
  user: ['user_id'],
  key: ['key_id'],
  webhook: ['webhook_id'],
  code_host: ['code_host_id'],
  destination: ['destination_id'],
  budget: ['budget_id'],
  device: ['device_id'],
  session: ['session_id', 'session'],
  price_rule: ['price_rule_id'],
} as const;
type Kind = keyof typeof TARGETS;
const KINDS = Object.keys(TARGETS) as [Kind, ...Kind[]];

/** The kind of object that actions of a noun are about. */
const KIND_OF: Readonly<Record<string, Kind>> = {
  member: 'user',
  credits: 'user',
  key: 'key',
  webhook: 'webhook',
  code_host: 'code_host',
  destination: 'destination',
  budget: 'budget',
  device: 'device',
  signals: 'session',
  raise: 'budget',
  'price-rule': 'price_rule',
};

export const namedAuditView = auditView.extend({
  actor_name: z
    .string()
    .nullable()
    .describe('The name or e-mail of a person, the name of a key; null for a process, and for who has left'),
  target: z
    .strictObject({
      kind: z.enum(KINDS),
      id: z.string(),
      name: z.string().nullable().describe('Its name now; null once it is gone, or where it has none'),
    })
    .nullable()
    .describe('The thing that was changed; null where it is the organization itself'),
  person_name: z
    .string()
    .nullable()
    .describe(
      'The name or e-mail of the person whose thing it is; null for who has left, and where details name nobody else',
    ),
});
export type NamedEntry = z.input<typeof namedAuditView>;

interface Target {
  kind: Kind;
  id: string;
}

/** Entries of an organization's audit log with the names that actors and targets have now. */
export async function nameEntries(
  ctx: Context,
  orgId: string,
  entries: readonly AuditEntry[],
): Promise<NamedEntry[]> {
  const targets = entries.map(targetOf);
  const named = await readNames(ctx, orgId, [
    ...entries.flatMap(({ actor }) => actorOf(actor) ?? []),
    ...targets.flatMap((target) => target ?? []),
    ...entries.flatMap((entry) => personOf(entry) ?? []),
  ]);
  return entries.map((entry, index) => {
    const target = targets[index] ?? null;
    const actor = actorOf(entry.actor);
    const person = personOf(entry);
    return {
      ...viewAudit(entry),
      actor_name: (actor && named.get(keyOf(actor))) ?? null,
      target: target && { ...target, name: named.get(keyOf(target)) ?? nameIn(entry) },
      person_name: (person && named.get(keyOf(person))) ?? null,
    };
  });
}

/** The nouns whose entries hold the name, or of a code host at least its provider: by that it is known once it is gone. */
const NAMED_IN_DETAILS = new Set(['budget', 'code_host', 'destination', 'price-rule']);

function nameIn({ action, details }: AuditEntry): string | null {
  const [noun] = action.split('.');
  if (!NAMED_IN_DETAILS.has(noun ?? '')) return null;
  const name = details.name ?? details.provider;
  return typeof name === 'string' ? name : null;
}

function targetOf({ action, details }: AuditEntry): Target | null {
  const kind = KIND_OF[action.split('.')[0] ?? ''];
  if (kind === undefined) return null;
  const id = TARGETS[kind].map((field) => details[field]).find((value) => typeof value === 'string');
  return typeof id === 'string' ? { kind, id } : null;
}

type Named = { kind: Kind | 'account'; id: string };

/** The person whose device it is, or whose part of a budget. */
function personOf({ action, details: { account_id, user_id } }: AuditEntry): Named | null {
  if (typeof account_id === 'string') return { kind: 'account', id: account_id };
  const isOther = KIND_OF[action.split('.')[0] ?? ''] !== 'user';
  return isOther && typeof user_id === 'string' ? { kind: 'user', id: user_id } : null;
}

function actorOf(actor: string): Named | null {
  if (actor.startsWith('usr_')) return { kind: 'account', id: actor };
  return PROCESSES.has(actor) ? null : { kind: 'key', id: actor };
}

const PROCESSES = new Set(['cli', 'api', 'worker', 'test']);

function keyOf({ kind, id }: Named): string {
  return `${kind} ${id}`;
}

async function readNames(
  ctx: Context,
  orgId: string,
  wanted: readonly Named[],
): Promise<Map<string, string | null>> {
  const idsOf = (kind: Named['kind']) => [
    ...new Set(wanted.filter((each) => each.kind === kind).map(({ id }) => id)),
  ];
  const names = new Map<string, string | null>();
  const add = (kind: Named['kind'], id: string, name: string | null) => names.set(keyOf({ kind, id }), name);
  const own = <Row extends { org_id: string }>(rows: Row[]) => rows.filter(({ org_id }) => org_id === orgId);
  const byId = (kind: Named['kind']) => ({ _id: { $in: idsOf(kind) } });
  const users = { org_id: orgId, user_id: { $in: idsOf('user') } };
  for (const { _id, name, email } of own(await memberRows(ctx).find(byId('account')).toArray()))
    add('account', _id, name ?? email);
  for (const { user_id, name, email } of idsOf('user').length > 0
    ? await memberRows(ctx).find(users).toArray()
    : [])
    add('user', user_id, name ?? email);
  for (const { _id, name } of own(await apiKeyRows(ctx).find(byId('key')).toArray())) add('key', _id, name);
  for (const { _id, name } of own(await budgetRows(ctx).find(byId('budget')).toArray()))
    add('budget', _id, name);
  for (const { _id, name } of own(await deviceRows(ctx).find(byId('device')).toArray()))
    add('device', _id, name);
  for (const { _id, name, url } of own(await webhookRows(ctx).find(byId('webhook')).toArray()))
    add('webhook', _id, name ?? url);
  return names;
}
