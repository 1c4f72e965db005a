import { z } from 'zod';
import { noteAsked } from '../../shared/core/limits/enforcement/check/asked.ts';
import { checkBudgets } from '../../shared/core/limits/enforcement/check/check.ts';
import { estimateOf } from '../../shared/core/limits/enforcement/check/estimate.ts';
import { noteRefusal } from '../../shared/core/limits/enforcement/check/refused.ts';
import { checkAnswer, viewVerdict } from '../../shared/core/limits/enforcement/check/view.ts';
import { releaseReservation } from '../../shared/core/limits/enforcement/reserve/release.ts';
import { reserveInBudgets } from '../../shared/core/limits/enforcement/reserve/reserve.ts';
import { isoTime } from '../../shared/platform/basics/clock.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { text } from '../../shared/platform/basics/text.ts';
import { callerOf, ESTIMATE_USD } from '../schemas/call.ts';
import { idempotencyKey } from '../schemas/params.ts';
import { countThatFits, plainAnswer } from './tool/plain.ts';
import { refuseOtherUser, tool, userId } from './tool/tool.ts';

const call = {
  user_id: userId.describe("Who makes the call; default: the credential's own user"),
  project_id: text(256).optional(),
  model: text(256).optional(),
};
const client_session_id = text(256).optional().describe('The session of your client');
const estimate = z
  .union([z.number().min(0), z.string().regex(/^\d{1,7}(\.\d{1,9})?$/, 'must be a plain decimal')])
  .transform(Number)
  .refine((usd) => usd <= ESTIMATE_USD, `must be at most ${ESTIMATE_USD}`)
  .describe('US dollars: a number, or decimal text');

const budget = checkAnswer.shape.budgets.element;
const verdict = checkAnswer.extend({
  budgets: z.array(
    budget.extend({
      threshold_now: z.string().describe("In the unit of the budget's metric"),
      remaining: z.string(),
    }),
  ),
  has_more: z.boolean().describe('More budgets are there'),
});

/** A verdict as a tool gives it: amounts as decimal text, as many budgets as fit. */
function verdictAnswer(answer: z.output<typeof checkAnswer>): object {
  const shown = plainAnswer({
    ...answer,
    budgets: answer.budgets.map((each) => ({
      ...each,
      threshold_now: decimal(each.threshold_now),
      remaining: decimal(each.remaining),
    })),
  }) as { budgets: unknown[] };
  const budgets = shown.budgets.slice(0, countThatFits({ ...shown, budgets: [] }, shown.budgets));
  return { ...shown, budgets, has_more: budgets.length < shown.budgets.length };
}

/** A number without an exponent. Amounts have up to nine decimals. */
function decimal(value: number): string {
  return value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 9 });
}

export const getBudget = tool({
  name: 'get_budget',
  title: 'Read what is left',
  description: 'The budgets that a call would count in: what is left of each, and until when.',
  scope: 'budgets:check',
  isReader: true,
  input: z.strictObject({ user_id: call.user_id }),
  output: verdict,
  run: async (ctx, principal, asked) => {
    refuseOtherUser(principal, asked.user_id);
    return verdictAnswer(viewVerdict(await checkBudgets(ctx, callerOf(principal, asked), null), principal));
  },
});

export const checkSpend = tool({
  name: 'check_spend',
  title: 'Check whether a call fits',
  description: 'Whether a call of this estimated cost may be made now. Holds nothing.',
  scope: 'budgets:check',
  isReader: true,
  input: z.strictObject({ estimate_usd: estimate, ...call, client_session_id }),
  output: verdict,
  run: async (ctx, principal, { estimate_usd, ...asked }) => {
    refuseOtherUser(principal, asked.user_id);
    noteAsked(ctx, principal.orgId, 'check');
    const caller = callerOf(principal, asked);
    const estimateNusd = await estimateOf(ctx, caller, { estimate_usd });
    const judged = await checkBudgets(ctx, caller, estimateNusd);
    noteRefusal(ctx, caller, judged, { way: 'mcp', estimateNusd, clientSession: asked.client_session_id });
    return verdictAnswer(viewVerdict(judged, principal));
  },
});

export const reserveSpend = tool({
  name: 'reserve_spend',
  title: 'Hold the cost of a call',
  description:
    'Holds an estimated cost in every hard budget of cost that the call counts in, all or none, until a signal with the ' +
    'reservation_id settles it, release_spend ends it, or ttl_s have passed. The same idempotency_key holds it once.',
  scope: 'budgets:check',
  isReader: false,
  input: z.strictObject({
    estimate_usd: estimate,
    ...call,
    client_session_id,
    ttl_s: z.int().min(1).max(3_600).default(300),
    idempotency_key: z.string().min(1).max(128).describe('A new one per call, such as a UUID'),
  }),
  output: z.strictObject({ reservation_id: z.string(), expires_at: z.string() }),
  run: async (ctx, principal, { estimate_usd, ttl_s, idempotency_key, ...asked }) => {
    refuseOtherUser(principal, asked.user_id);
    noteAsked(ctx, principal.orgId, 'reserve');
    const caller = callerOf(principal, asked);
    const estimateNusd = (await estimateOf(ctx, caller, { estimate_usd })) ?? 0;
    const key = idempotencyKey(idempotency_key) ?? '';
    const reservation = await reserveInBudgets(ctx, caller, {
      estimateNusd,
      ttlS: ttl_s,
      by: { keyId: principal.keyId, isBound: principal.userId !== null },
      key: { sender: principal.keyId, key, sent: { estimate_usd } },
    });
    if (reservation.id !== null)
      return { reservation_id: reservation.id, expires_at: isoTime(reservation.endsMs) };
    const { verdict } = reservation;
    noteRefusal(ctx, caller, verdict, { way: 'mcp', estimateNusd, clientSession: asked.client_session_id });
    const { reason } = viewVerdict(verdict, principal);
    throw new DomainError('conflict', reason ?? 'A budget refuses this call.');
  },
});

export const releaseSpend = tool({
  name: 'release_spend',
  title: 'End a reservation',
  description: 'Ends a reservation whose call is not made: what it held is free again within a second.',
  scope: 'budgets:check',
  isReader: false,
  input: z.strictObject({ reservation_id: z.string().min(1).max(128) }),
  output: z.strictObject({ released: z.literal(true) }),
  run: async (ctx, { orgId, userId: own }, { reservation_id }) => {
    if (await releaseReservation(ctx, orgId, reservation_id, own)) return { released: true };
    throw new DomainError(
      'not_found',
      'There is no such open reservation: it has ended, or no hard budget had to hold it. Nothing is left to do.',
    );
  },
});
