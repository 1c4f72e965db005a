import { z } from 'zod';
import { unixSeconds } from '../../../platform/basics/clock.ts';
import { ROLES } from '../../../platform/basics/contract.ts';
import { emailText } from '../../../platform/basics/email.ts';
import { nameText, SOME_CHANGE, text } from '../../../platform/basics/text.ts';
import type { Member } from './model.ts';

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
  .refine(...SOME_CHANGE);

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

export const listedMemberView = memberView.extend({
  last_signal_at: z
    .int()
    .nullable()
    .describe("Unix seconds: the time of the newest signal of the member's user; null: none yet"),
});
