import type { AuditAction } from '../core/accounts/audit/actions.ts';
import { auditWrite, currentActor } from '../core/accounts/audit/record-audit.ts';
import { type Organization, organizationRows } from '../core/accounts/organizations/model.ts';
import { readOrganization, timezoneAt } from '../core/accounts/organizations/read-organization.ts';
import { uniqueEmails } from '../core/accounts/organizations/roster.ts';
import {
  type OrganizationChange,
  type Settings,
  settingsOf,
} from '../core/accounts/organizations/settings.ts';
import { raiseOrganizationVersion } from '../core/accounts/organizations/versions.ts';
import { moveSessionEndsJob } from '../core/calls/sessions/jobs.ts';
import { applyPlanToAll } from '../core/credits/meter/apply-plan.ts';
import { wingsOf } from '../core/hooks/wing.ts';
import { CLOCK_LAG_MS } from '../platform/basics/clock.ts';
import { type KPopulation, SIGNAL_AGE_MS, type Tier } from '../platform/basics/contract.ts';
import { given } from '../platform/basics/given.ts';
import { commitPlan, joinPlans, NO_PLAN } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { planMove } from '../platform/due/move-due.ts';
import { setDue } from '../platform/due/plan-due.ts';
import { updateRow } from '../platform/mongo/writes.ts';
import { hashNamesJob } from './jobs.ts';

/**
 * Changes settings of an organization, as `organizationChange` takes them, or its plan and the people who count towards k, and
 * returns it. Throws `not_found`.
 */
export async function changeOrganization(
  ctx: Context,
  orgId: string,
  change: OrganizationChange & { plan?: Tier | undefined; k_population?: KPopulation | undefined },
): Promise<Organization> {
  await commitPlan(ctx, async (transaction) => {
    const organization = await readOrganization(ctx, orgId, transaction);
    const { timezone, ...plain } = change;
    const timezones =
      timezone === undefined ? {} : { timezones: withTimezone(organization, timezone, ctx.clock.now()) };
    const named = plain.admin_emails && adminEmails(plain.admin_emails);
    const settings = settingsOf(ctx);
    const stored = storedBy(settings, organization, change);
    const fields = { ...given({ ...plain, ...named }), ...stored, ...timezones } as Partial<Organization>;
    const changed = updateRow(organizationRows, { _id: orgId }, { $set: fields });
    const move =
      change.session_timeout === undefined ? NO_PLAN : planMove(moveSessionEndsJob, orgId, ctx.clock.now());
    const wings = wingsOf(ctx).map(({ organization: hook }) => hook?.change?.(ctx, orgId, change) ?? NO_PLAN);
    const hashing = change.hash_names
      ? setDue(hashNamesJob, { key: orgId, orgId, dueMs: ctx.clock.now() })
      : NO_PLAN;
    const audit = auditOf(change, settings, stored).map((entry) =>
      auditWrite(ctx, { ...entry, org_id: orgId }),
    );
    const writes = [changed, ...raiseOrganizationVersion(orgId), ...audit];
    return { ...joinPlans({ writes }, move, ...wings, hashing), result: undefined };
  });
  if (change.plan !== undefined) await applyPlanToAll(ctx, orgId);
  return readOrganization(ctx, orgId);
}

/** The values that settings of wings store for a change, where they store another than it gives. */
function storedBy(
  settings: Settings,
  organization: Organization,
  change: OrganizationChange,
): Readonly<Record<string, object>> {
  const names = new Set(Object.keys(given(change)));
  const stored = Object.entries(settings).flatMap(([name, { store }]) =>
    store && names.has(name) ? [[name, store(organization, change)] as const] : [],
  );
  return Object.fromEntries(stored);
}

/** The entries of the audit log: a setting with an action has one of its own. */
function auditOf(
  { admin_emails, ...plain }: OrganizationChange,
  settings: Settings,
  stored: Readonly<Record<string, object>>,
): { action: AuditAction; details: Record<string, unknown> }[] {
  const changed = Object.entries(given(plain));
  const shared = changed.filter(([name]) => settings[name]?.action === undefined);
  // No e-mail: the log outlives the member whose it is.
  const told = {
    ...Object.fromEntries(shared),
    ...(admin_emails === undefined ? {} : { changed: ['admin_emails'] }),
  };
  const apart = changed.flatMap(([name]) => {
    const action = settings[name]?.action;
    return action ? [{ action, details: { ...stored[name] } }] : [];
  });
  return [
    ...(Object.keys(told).length > 0 ? [{ action: 'organization.change' as const, details: told }] : []),
    ...apart,
  ];
}

/** The list of addresses for alerts. Where an operator gives it, mail may go to all of them at once. */
function adminEmails(emails: readonly string[]): Pick<Organization, 'admin_emails' | 'vouched_emails'> {
  const admin_emails = uniqueEmails(emails);
  return currentActor() === null ? { admin_emails, vouched_emails: admin_emails } : { admin_emails };
}

/**
 * The history with `timezone` in force from the next midnight of the present one on. A counted signal keeps its day, so that
 * midnight ends the day of the newest signal that may have been counted. The timezone that is in force by then is no change.
 */
function withTimezone(
  organization: Organization,
  timezone: string,
  nowMs: number,
): Organization['timezones'] {
  const newestMs = nowMs + CLOCK_LAG_MS + SIGNAL_AGE_MS.ahead;
  const today = Temporal.Instant.fromEpochMilliseconds(newestMs).toZonedDateTimeISO(
    timezoneAt(organization, newestMs),
  );
  const from = new Date(today.startOfDay().add({ days: 1 }).startOfDay().epochMilliseconds);
  const kept = organization.timezones.filter((entry) => entry.from.getTime() < from.getTime());
  return kept.at(-1)?.timezone === timezone ? kept : [...kept, { from, timezone }];
}
