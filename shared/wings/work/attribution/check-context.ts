import type { z } from 'zod';
import { dateAt } from '../../../platform/basics/clock.ts';
import { SIGNAL_AGE_MS } from '../../../platform/basics/contract.ts';
import { faultsOf, IN_PLAIN_WORDS } from '../../../platform/basics/faults.ts';
import type { Context } from '../../../platform/context/context.ts';
import { type ContextInput, type ContextResult, contextInput } from './context-input.ts';
import type { ContextRow } from './model.ts';
import { clientSessionKey, contextId, placeOf, plainName } from './names.ts';

/** Wrong fields of a context that an answer names. */
const MAX_FAULTS = 5;

type Rejection = Extract<ContextResult, { status: 'rejected' }>;

/** The organization of a key, and the one user whose contexts it may tell. */
interface Teller {
  orgId: string;
  boundUserId: string | null;
}

/** Checks one posted context: the row that it would be, with its names in plain text, or why it is rejected. */
export function checkContext(ctx: Context, posted: unknown, teller: Teller): ContextRow | Rejection {
  const parsed = contextInput.safeParse(posted, IN_PLAIN_WORDS);
  if (!parsed.success) return rejectContext('invalid_context', detailOf(parsed.error));
  const { user_id, ts } = parsed.data;
  const { boundUserId } = teller;
  if (boundUserId !== null && user_id !== undefined && user_id !== boundUserId)
    return rejectContext('foreign_user', 'user_id: this key may tell of its own user only');
  const nowMs = ctx.clock.now();
  if (ts > nowMs + SIGNAL_AGE_MS.ahead) return rejectContext('ts_ahead', 'ts: is more than 5 minutes ahead');
  if (ts < nowMs - SIGNAL_AGE_MS.behind) return rejectContext('ts_behind', 'ts: is more than 35 days back');
  return rowOf(ctx, teller.orgId, { ...parsed.data, user_id: user_id ?? boundUserId ?? undefined });
}

/** A rejected context: a stable code, and why in words. */
export function rejectContext(code: string, detail: string): Rejection {
  return { status: 'rejected', code, detail };
}

function detailOf(error: z.ZodError): string {
  const faults = faultsOf(error, MAX_FAULTS);
  return faults.map(({ path, detail }) => `${path.join('.') || 'the context'}: ${detail}`).join('; ');
}

function rowOf(ctx: Context, org_id: string, context: ContextInput): ContextRow {
  const { client_session_id, ts, user_id, repository, branch, commit, worktree, renamed_from, task } =
    context;
  const name = (text: string) => plainName(ctx, org_id, text);
  return {
    // The members in one order, whatever the order in which they were posted.
    _id: contextId(ctx, org_id, JSON.stringify(context, Object.keys(context).sort())),
    org_id,
    client_session: clientSessionKey(ctx, org_id, client_session_id),
    client_session_id,
    ts: dateAt(ts),
    ...(user_id === undefined ? {} : { user_id }),
    ...(repository === undefined
      ? {}
      : { place: repository === null ? null : placeOf(ctx, org_id, repository, branch) }),
    ...(commit === undefined ? {} : { commit }),
    ...(worktree === undefined ? {} : { worktree: name(worktree) }),
    ...(renamed_from === undefined ? {} : { renamed_from: name(renamed_from) }),
    ...(task === undefined ? {} : { task: task === null ? null : name(task) }),
  };
}
