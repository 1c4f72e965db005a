import { z } from 'zod';
import { budgetHooks } from '../../shared/core/limits/budgets/rules/hook.ts';
import { noteAsked } from '../../shared/core/limits/enforcement/check/asked.ts';
import { checkBudgets } from '../../shared/core/limits/enforcement/check/check.ts';
import { noteRefusal } from '../../shared/core/limits/enforcement/check/refused.ts';
import { reasonOf } from '../../shared/core/limits/enforcement/check/words.ts';
import { baseUrl } from '../../shared/platform/basics/config.ts';
import { HOOK_BODY_BYTES } from '../../shared/platform/basics/contract.ts';
import { textOrEmpty } from '../../shared/platform/basics/text.ts';
import { route } from '../basics/route.ts';
import { callerOf } from '../schemas/call.ts';

/** Only the event and its session are read of what Claude Code sends; prompts and tool inputs are skipped as bytes. */
const hookInput = z.object({
  hook_event_name: textOrEmpty(128).describe('The event; `UserPromptSubmit` and `PreToolUse` may be blocked'),
  session_id: textOrEmpty(256).optional().catch(undefined).describe('The session, for the list of refusals'),
});

/** One object for all three answers: generators of clients fail at a choice that an empty object is part of. */
const hookAnswer = z.strictObject({
  decision: z.literal('block').optional(),
  reason: z.string().optional(),
  hookSpecificOutput: z
    .strictObject({
      hookEventName: z.literal('PreToolUse'),
      permissionDecision: z.literal('deny'),
      permissionDecisionReason: z.string(),
    })
    .optional(),
});

export const hookClaudeCode = route({
  method: 'post',
  path: '/hooks/claude-code',
  summary: 'Answer an HTTP hook of Claude Code',
  description:
    "Blocks a prompt or a tool when a `hard` budget refuses: those of the key's user, or of the organization alone when the " +
    'key is bound to no user. Prompts and tool inputs are not read; a Content-Encoding is refused. Every other answer than ' +
    '200 lets the call pass (https://code.claude.com/docs/en/hooks).',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'budgets:check', fromMemory: true },
  priority: 'consume',
  bodyBytes: HOOK_BODY_BYTES,
  readsOnly: ['hook_event_name', 'session_id'],
  body: hookInput,
  success: {
    status: 200,
    description:
      'An empty object; `decision` and `reason` of a blocked prompt; `hookSpecificOutput` of a denied tool',
    body: hookAnswer,
  },
  handle: async ({ principal, body }, ctx) => {
    noteAsked(ctx, principal.orgId, 'hook');
    const caller = callerOf(principal, { adapter: 'claude-code' });
    const verdict = await checkBudgets(ctx, caller, null);
    const { refusedBy } = verdict;
    const { hook_event_name: event, session_id } = body;
    if (refusedBy === null || (event !== 'UserPromptSubmit' && event !== 'PreToolUse')) return {};
    noteRefusal(ctx, caller, verdict, {
      way: 'hook',
      estimateNusd: null,
      clientSession: session_id || undefined,
    });
    const { _id } = refusedBy.budget;
    const ask = budgetHooks(ctx).flatMap((hook) => hook.askWords?.(_id, baseUrl(ctx.config)) ?? []);
    const reason = [reasonOf(refusedBy, principal), ...ask].join('\n');
    if (event === 'UserPromptSubmit') return { decision: 'block' as const, reason };
    return {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse' as const,
        permissionDecision: 'deny' as const,
        permissionDecisionReason: reason,
      },
    };
  },
});
