import type { Role, Tier } from '../platform/basics/contract.ts';

/** Who is signed in to the dashboard, as `GET /dashboard/session` answers it. */
export interface Me {
  user_id: string;
  name: string | null;
  email: string | null;
  role: Role;
  org: { id: string; name: string; plan: Tier; timezone: string; k_anonymity: number };
}

/** Why somebody who has signed in at the identity provider is not let in. `invited`: may join, when willing. */
export type VisitorReason = 'unverified' | 'unknown' | 'invited';

/** What the problem `not_a_member` says beside its reason. */
export interface Visitor {
  email: string | null;
  reason: VisitorReason;
  /** Whom to ask: an address or a sentence, where the deployment names one. */
  contact: string | null;
  /** To choose from: one per organization. `id` is what the answer names. */
  invitations: { id: string; organization: string; role: Role; invited_by: string }[];
}
