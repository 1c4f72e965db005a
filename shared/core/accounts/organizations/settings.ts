import { z } from 'zod';
import { unixSeconds } from '../../../platform/basics/clock.ts';
import { K_ANONYMITY_FLOOR, PLANS, SESSION_TIMEOUT_RANGE_S } from '../../../platform/basics/contract.ts';
import { emailText } from '../../../platform/basics/email.ts';
import { nameText, SOME_CHANGE, timezone } from '../../../platform/basics/text.ts';
import { type Context, partsOf } from '../../../platform/context/context.ts';
import type { AuditAction } from '../audit/actions.ts';
import type { Organization } from './model.ts';
import { timezoneAt } from './read-organization.ts';

/** A setting of an organization that a wing declares: a field of the organization's view, and of a change of it. */
export interface Setting {
  readonly view: z.ZodType;
  readonly change: z.ZodType;
  /** The field of the core that follows it; absent: none does. */
  readonly before?: string;
  /** The value as it is shown: the default where it was never set. */
  readonly show: (organization: Organization) => unknown;
  /** The value that is stored for a change; absent: that of the change. */
  readonly store?: (organization: Organization, change: OrganizationChange) => object;
  /** The action of its line in the audit log, which has what is stored; absent: the change is in the line of the other settings. */
  readonly action?: AuditAction;
}

/** Settings by the names of their fields. */
export type Settings = Readonly<Record<string, Setting>>;

export function settingsOf(ctx: Pick<Context, 'wings'>): Settings {
  return Object.assign({}, ...partsOf<Settings>(ctx, 'settings'));
}

export function withSettings<Value>(
  core: Readonly<Record<string, Value>>,
  settings: Settings,
  shownOf: (setting: Setting) => Value,
): Record<string, Value> {
  const own = Object.entries(settings);
  const ahead = (field: string | undefined) =>
    own.filter(([, { before }]) => before === field).map(([name, each]) => [name, shownOf(each)] as const);
  const fields = Object.entries(core).flatMap(([name, value]) => [...ahead(name), [name, value] as const]);
  return Object.fromEntries([...fields, ...ahead(undefined)]);
}

const CHANGE = {
  name: nameText(256),
  timezone: timezone.describe('Holds from tomorrow'),
  session_timeout: z
    .int()
    .min(SESSION_TIMEOUT_RANGE_S.min)
    .max(SESSION_TIMEOUT_RANGE_S.max)
    .describe('Seconds of silence that end a session'),
  k_anonymity: z.int().min(K_ANONYMITY_FLOOR).max(1_000_000),
  admin_emails: z
    .array(emailText)
    .max(100)
    .describe('Addresses that get a mail about a failing webhook, once they are confirmed'),
  hash_names: z
    .boolean()
    .describe(
      'Names of branches, tasks and worktrees are kept and shown as hashes, titles of pull requests not at all',
    ),
};
type Change = z.output<z.ZodObject<typeof CHANGE>>;

/** A change of settings. A wing adds its own here, where it declares them. */
export interface OrganizationChange extends AllOptional<Change> {}
type AllOptional<T> = { [Name in keyof T]?: T[Name] | undefined };

/** The input of a change: the settings of the core, those of wings, and these fields. */
export function organizationChangeOf(
  settings: Settings,
  more: z.ZodRawShape = {},
): z.ZodType<OrganizationChange> {
  const fields = withSettings<z.core.SomeType>(CHANGE, settings, ({ change }) => change);
  return z
    .strictObject({ ...fields, ...more })
    .partial()
    .refine(...SOME_CHANGE);
}

const VIEW = {
  id: z.string(),
  name: z.string(),
  plan: z.enum(PLANS),
  timezone: z.string(),
  next_timezone: z
    .strictObject({ timezone: z.string(), from: z.int().describe('Unix seconds') })
    .nullable()
    .describe('A change that does not hold yet'),
  session_timeout: z.int(),
  k_anonymity: z.int(),
  admin_emails: z.array(z.string()),
  teams: z.array(z.string()),
  hash_names: z.boolean(),
};

/** An organization as it is shown. A wing adds its settings here, where it declares them. */
export interface OrganizationView extends z.output<z.ZodObject<typeof VIEW>> {}

export function organizationViewOf(settings: Settings): z.ZodType<OrganizationView> {
  const fields = withSettings<z.core.SomeType>(VIEW, settings, ({ view }) => view);
  return z.strictObject(fields) as z.ZodType as z.ZodType<OrganizationView>;
}

export function viewOrganization(
  organization: Organization,
  settings: Settings,
  nowMs: number,
): OrganizationView {
  const { _id: id, name, plan, session_timeout, k_anonymity, admin_emails, teams: all } = organization;
  const next = organization.timezones.find(({ from }) => from.getTime() > nowMs);
  const core = {
    id,
    name,
    plan,
    timezone: timezoneAt(organization, nowMs),
    next_timezone: next ? { timezone: next.timezone, from: unixSeconds(next.from) } : null,
    session_timeout,
    k_anonymity,
    admin_emails,
    teams: all,
    hash_names: organization.hash_names === true,
  };
  return withSettings<unknown>(core, settings, ({ show }) =>
    show(organization),
  ) as unknown as OrganizationView;
}
