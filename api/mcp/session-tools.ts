import { z } from 'zod';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { narrowToReader } from '../../shared/core/accounts/organizations/reader.ts';
import { findWorked } from '../../shared/core/calls/sessions/dimension.ts';
import { explainCost } from '../../shared/core/calls/sessions/explain-cost.ts';
import { listSessions } from '../../shared/core/calls/sessions/list-sessions.ts';
import { readSession, streamSignals } from '../../shared/core/calls/sessions/read-session.ts';
import { sessionView, viewSession } from '../../shared/core/calls/sessions/view.ts';
import type { Signal } from '../../shared/core/calls/signals/model.ts';
import { signalView, viewSignal } from '../../shared/core/calls/signals/view.ts';
import { countSessions } from '../../shared/core/calls/usage/count-sessions.ts';
import { CALL_PARTS } from '../../shared/core/pricing/price.ts';
import { answerPage } from '../schemas/page.ts';
import { listRange } from '../schemas/time.ts';
import { workFilters } from '../schemas/usage-query.ts';
import { limit, page, pageThatFits } from './tool/page.ts';
import { countThatFits, plainAnswer } from './tool/plain.ts';
import { cursor, filters, money, parsed, range, refuseOtherUser, tool } from './tool/tool.ts';

const session = sessionView.extend({ cost_usd: money });

export const listSessionsTool = tool({
  name: 'list_sessions',
  title: 'List sessions',
  description:
    'Sessions, newest first: periods of activity of one user, project and tool, with cost and tokens.',
  scope: 'usage:read',
  isReader: true,
  input: z.strictObject({ ...range, ...filters, ...workFilters, limit, cursor }),
  output: z.strictObject({ data: z.array(session), ...page }),
  run: async (ctx, principal, { limit: most, cursor: after, from, to, ...asked }) => {
    const { repository, branch, pull_request, task, ...equal } = asked;
    refuseOtherUser(principal, equal.user_id);
    const named = { repository, branch, pull_request, task };
    const worked = await findWorked(ctx, principal.orgId, named);
    const filter = { ...equal, ...(await listRange(ctx, principal.orgId, { from, to })) };
    const visible = { ...narrowToReader(principal, filter), ...worked };
    const count = async () => countSessions(ctx, await readOrganization(ctx, principal.orgId), visible);
    return pageThatFits(most, (size) =>
      answerPage(
        ctx,
        ['mcp sessions', principal.orgId, principal.userId, filter, named],
        { limit: size, cursor: after, order: 'desc' },
        (page) => {
          const asked = { ...page, sort: 'started_at' as const, total: page.total ?? count };
          return listSessions(ctx, principal.orgId, visible, asked);
        },
        viewSession,
      ),
    );
  },
});

/** A signal as a model sees it: without free text of others, such as metadata, error messages and reasons. */
const call = signalView
  .pick({
    id: true,
    type: true,
    ts: true,
    model: true,
    provider: true,
    tokens_in: true,
    tokens_out: true,
    cache_read_tokens: true,
    cache_write_tokens: true,
    cost_source: true,
    latency_ms: true,
    tool_name: true,
  })
  .extend({
    cost_usd: money.nullable(),
    error_code: z.string().optional(),
    verdict: z.string().optional().describe("A policy gate's"),
    action: z.string().optional(),
  });

function viewCall(signal: Signal): Record<string, unknown> {
  const { error, intervention, ...shown } = viewSignal(signal, new Map());
  return {
    ...shown,
    ...(error ? { error_code: error.code } : {}),
    ...(intervention ? { verdict: intervention.verdict, action: intervention.action } : {}),
  };
}

const MOST_SIGNALS = 50;

export const getSessionTool = tool({
  name: 'get_session',
  title: 'Read a session',
  description: 'One session and its first calls in time order, without any content of prompts or answers.',
  scope: 'usage:read',
  isReader: true,
  input: z.strictObject({
    session_id: z.string().min(1).max(128),
    signals: z.int().min(0).max(MOST_SIGNALS).default(20).describe('Calls to include'),
  }),
  output: session.extend({ signals: z.array(call), has_more: z.boolean().describe('More calls are there') }),
  run: async (ctx, principal, { session_id, signals: most }) => {
    const found = await readSession(ctx, principal, session_id);
    const first: unknown[] = [];
    let isCut = false;
    for await (const signal of streamSignals(ctx, found)) {
      isCut = first.length >= most;
      if (isCut) break;
      first.push(parsed(z.object(call.shape), plainAnswer(viewCall(signal))));
    }
    const head = { ...(plainAnswer(viewSession(found)) as object), signals: [], has_more: false };
    const signals = first.slice(0, countThatFits(head, first));
    return { ...head, signals, has_more: isCut || signals.length < first.length };
  },
});

export const explainCostTool = tool({
  name: 'explain_cost',
  title: 'Explain a cost',
  description:
    'What a session, or one call of it, cost: tokens, list price (of a million tokens, or a thousand requests) and cost by class ' +
    'of tokens. The parts and unsplit_usd, of calls without a list price, sum to cost_usd.',
  scope: 'usage:read',
  isReader: true,
  input: z.strictObject({
    session_id: z.string().min(1).max(128),
    signal_id: z.string().min(1).max(128).optional().describe('Only this call'),
  }),
  output: z.strictObject({
    cost_usd: money,
    unsplit_usd: money,
    calls: z
      .strictObject({ reported: z.int(), computed: z.int(), unknown: z.int(), rule: z.int().optional() })
      .describe('By cost source'),
    parts: z.array(
      z.strictObject({
        class: z.enum(CALL_PARTS),
        quantity: z.int(),
        unit_price_usd: money.nullable().describe('Null where calls differ'),
        cost_usd: money,
      }),
    ),
  }),
  run: async (ctx, principal, { session_id, signal_id }) =>
    explainCost(ctx, await readSession(ctx, principal, session_id), signal_id),
});
