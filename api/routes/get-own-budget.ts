import { z } from 'zod';
import { checkBudgets } from '../../shared/core/limits/enforcement/check/check.ts';
import { checkAnswer, viewVerdict } from '../../shared/core/limits/enforcement/check/view.ts';
import { statusLine } from '../../shared/core/limits/enforcement/check/words.ts';
import { reply, route } from '../basics/route.ts';
import { callerOf } from '../schemas/call.ts';

const TEXT = 'text/plain; charset=utf-8';

export const getOwnBudget = route({
  method: 'get',
  path: '/api/v1/me/budget',
  summary: "Read the state of the key's own budgets",
  description:
    "The answer of a check without an estimate, for the key's user, or for the organization when the key is bound to no " +
    'user. With `format=line` one line of text for a status line: what is left in the budget that has least, or that a budget ' +
    'refuses.',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'budgets:check', fromMemory: true },
  priority: 'consume',
  query: z.strictObject({ format: z.enum(['line']).optional().describe('`line`: one line of text') }),
  success: {
    status: 200,
    description: 'Their state',
    body: checkAnswer,
    contentTypes: ['text/plain'],
  },
  handle: async ({ principal, query }, ctx) => {
    const verdict = await checkBudgets(ctx, callerOf(principal), null);
    if (query.format !== 'line') return viewVerdict(verdict, principal);
    return reply(`${statusLine(verdict, principal)}\n`, { 'Content-Type': TEXT });
  },
});
