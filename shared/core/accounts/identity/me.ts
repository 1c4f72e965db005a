import type { Role, Tier } from '../../../platform/basics/contract.ts';

/** The person who is signed in to the dashboard, as `GET /dashboard/session` answers it. */
export interface Me {
  user_id: string;
  name: string | null;
  email: string | null;
  role: Role;
  org: {
    id: string;
    name: string;
    plan: Tier;
    timezone: string;
    k_anonymity: number;
    /** Seconds of a window of credits. */
    window_s: number;
  };
  /** False where the service has no mail server. */
  sends_mail: boolean;
  /** Null while people can sign in. */
  sign_in_problem: SignInProblem | null;
}

/** Why nobody can sign in now; the problem `unauthorized` has it too. */
export interface SignInProblem {
  detail: string;
  /** The person to ask, where the deployment names one. */
  contact: string | null;
}

/** The reason why somebody who has signed in at the identity provider is not let in. `invited`: may join, if they agree. */
export type VisitorReason = 'unverified' | 'unknown' | 'invited';

/** The fields of the problem `not_a_member`. */
export interface Visitor {
  email: string | null;
  reason: VisitorReason;
  /** The person to ask: an address or a sentence, where the deployment names one. */
  contact: string | null;
  /** To choose from: one per organization. `id` is what the answer names. */
  invitations: { id: string; organization: string; role: Role; invited_by: string }[];
}
