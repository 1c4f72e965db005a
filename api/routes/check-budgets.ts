import { noteAsked } from '../../shared/core/limits/enforcement/check/asked.ts';
import { checkBudgets as check } from '../../shared/core/limits/enforcement/check/check.ts';
import { estimateOf } from '../../shared/core/limits/enforcement/check/estimate.ts';
import { noteRefusal } from '../../shared/core/limits/enforcement/check/refused.ts';
import { checkAnswer, viewVerdict } from '../../shared/core/limits/enforcement/check/view.ts';
import { route } from '../basics/route.ts';
import { callerOf, checkInput } from '../schemas/call.ts';

export const checkBudgets = route({
  method: 'post',
  changesNothing: true,
  path: '/api/v1/budgets/check',
  summary: 'Ask whether a call fits into its budgets',
  description:
    'Answered from memory, from amounts that are at most a second old. A `hard` budget refuses when usage, open ' +
    'reservations and the estimate together are above its threshold, or without an estimate when usage has reached it. ' +
    'While usage cannot be read, `on_error` of each hard budget decides.',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'budgets:check', fromMemory: true },
  priority: 'consume',
  bodyBytes: 8_192,
  body: checkInput,
  success: { status: 200, description: 'The verdict: the call may be made, or not', body: checkAnswer },
  handle: async ({ principal, body }, ctx) => {
    noteAsked(ctx, principal.orgId, 'check');
    const caller = callerOf(principal, body);
    const estimateNusd = await estimateOf(ctx, caller, body);
    const verdict = await check(ctx, caller, estimateNusd);
    noteRefusal(ctx, caller, verdict, { way: 'check', estimateNusd, clientSession: body.client_session_id });
    return viewVerdict(verdict, principal);
  },
});
