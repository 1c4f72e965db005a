import { z } from 'zod';
import { unixSeconds } from '../../../platform/basics/clock.ts';
import {
  FOCUS_CLOSE_DAY,
  HOLD_ABOVE,
  K_ANONYMITY_FLOOR,
  PLANS,
  ROLES,
  SESSION_TIMEOUT_RANGE_S,
} from '../../../platform/basics/contract.ts';
import { emailText } from '../../../platform/basics/email.ts';
import { nameText, text, timezone } from '../../../platform/basics/text.ts';
import type { Member, Organization } from './model.ts';
import { holdAboveOf, timezoneAt } from './read-organization.ts';

export const teamNames = z
  .array(nameText(128))
  .max(100)
  .describe('Exactly these; new ones exist from then on');

export const memberInput = z.strictObject({
  email: emailText.describe('The person who signs in with this verified e-mail is asked to join'),
  role: z.enum(ROLES),
  name: nameText(256).optional(),
  user_id: text(256).optional().describe("As signals name the person; default: the account's id"),
  teams: teamNames.optional(),
});

export const memberChange = memberInput
  .pick({ role: true, teams: true, name: true, email: true })
  .partial()
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'must change something');

export type MemberInput = z.output<typeof memberInput>;
export type MemberChange = z.output<typeof memberChange>;

export const memberView = z.strictObject({
  user_id: z.string(),
  email: z.string().nullable(),
  name: z.string().nullable(),
  role: z.enum(ROLES),
  teams: z.array(z.string()),
  linked: z.boolean().describe('True when the person has joined'),
  declined: z
    .boolean()
    .describe('True when the person has turned the invitation down; saving `email` again renews it'),
  created_at: z.int().describe('Unix seconds'),
});

export function viewMember(member: Member): z.output<typeof memberView> {
  const { user_id, email: address, name, role, teams: own, idp, declined_at, created_at } = member;
  return {
    user_id,
    email: address,
    name,
    role,
    teams: own,
    linked: idp !== undefined,
    declined: declined_at !== undefined,
    created_at: unixSeconds(created_at),
  };
}

/** A member as the list answers it. */
export const listedMemberView = memberView.extend({
  last_signal_at: z
    .int()
    .nullable()
    .describe("Unix seconds: the time of the newest signal of the member's user; null: none yet"),
});

const holdAboveChange = z
  .strictObject({
    tokens: z
      .int()
      .min(HOLD_ABOVE.tokens.min)
      .max(HOLD_ABOVE.tokens.max)
      .nullable()
      .describe('Tokens of one signal, input and output together; null: no limit'),
    cost_usd: z
      .number()
      .min(HOLD_ABOVE.cost_usd.min)
      .max(HOLD_ABOVE.cost_usd.max)
      .nullable()
      .describe('Cost of one signal in US dollars; null: no limit'),
  })
  .partial()
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'must change something')
  .describe('A signal above either is held until an admin decides; from the next signal on');

export const holdAboveView = z
  .strictObject({ tokens: z.int().nullable(), cost_usd: z.number().nullable() })
  .describe('Limits of one signal; one above either is held');

export const organizationChange = z
  .strictObject({
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
    hold_above: holdAboveChange,
    hash_names: z
      .boolean()
      .describe(
        'Names of branches, tasks and worktrees are kept and shown as hashes, titles of pull requests not at all',
      ),
    focus_close_day: z
      .int()
      .min(FOCUS_CLOSE_DAY.min)
      .max(FOCUS_CLOSE_DAY.max)
      .describe('The day of the next month, UTC, at which a month of exported FOCUS files closes'),
  })
  .partial()
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'must change something');

export type OrganizationChange = z.output<typeof organizationChange>;

export const organizationView = z.strictObject({
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
  hold_above: holdAboveView,
  hash_names: z.boolean(),
  focus_close_day: z
    .int()
    .describe('The day of the next month at which a month of exported FOCUS files closes'),
});

export function viewOrganization(
  organization: Organization,
  nowMs: number,
): z.output<typeof organizationView> {
  const { _id: id, name, plan, session_timeout, k_anonymity, admin_emails, teams: all } = organization;
  const next = organization.timezones.find(({ from }) => from.getTime() > nowMs);
  return {
    id,
    name,
    plan,
    timezone: timezoneAt(organization, nowMs),
    next_timezone: next ? { timezone: next.timezone, from: unixSeconds(next.from) } : null,
    session_timeout,
    k_anonymity,
    admin_emails,
    teams: all,
    hold_above: holdAboveOf(organization),
    hash_names: organization.hash_names === true,
    focus_close_day: organization.focus_close_day ?? FOCUS_CLOSE_DAY.default,
  };
}
