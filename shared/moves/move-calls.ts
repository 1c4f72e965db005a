import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientSession } from 'mongoose';
import { type Facts, forgetChanged, storedFacts } from '../attribution/read-facts.ts';
import { cacheRules, type Rules, readRules } from '../budgets/rules.ts';
import { guardOrganizationRules, raiseOrganizationContexts } from '../organizations/versions.ts';
import { commitPlan, joinPlans, NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import type { DueJob } from '../platform/due/model.ts';
import { clearDue, readDue } from '../platform/due/plan-due.ts';
import { thirdShard } from '../platform/mongo/counter-shards.ts';
import { type Cause, dueBranch, dueSession } from './find-all-moves.ts';
import { type FoundMoves, findBranchMoves, findSessionMoves, MOVED_AT_ONCE } from './find-moves.ts';
import { type DueBranchMove, type DueSessionMove, moveBranchCallsJob, moveSessionCallsJob } from './jobs.ts';
import { callsMoved } from './metrics.ts';
import { planMoves } from './plan-moves.ts';

/** The pause between two transactions of a move, in which others have their turn. Milliseconds. */
const PAUSE_MS = 50;

/** Moves the calls of a client session that contexts have left to workers, 500 per transaction, each by its facts. */
export async function moveSessionCalls(ctx: Context, client_session: string): Promise<void> {
  const find = async (facts: Facts, due: DueSessionMove, transaction: ClientSession) => {
    const span = { fromMs: due.from.getTime(), untilMs: due.until.getTime() };
    const move = { client_session, span, after: due.after };
    const found = await findSessionMoves(ctx, facts, move, MOVED_AT_ONCE, transaction);
    const rest = found.rest && dueSession(ctx, facts.orgId, client_session, span, found.rest);
    return { found, rest };
  };
  await moveInSteps<DueSessionMove>(
    ctx,
    { job: moveSessionCallsJob, key: client_session, cause: 'context' },
    find,
  );
}

/** Moves the calls of a branch that boundaries have left to workers, likewise. */
export async function moveBranchCalls(ctx: Context, branch: string): Promise<void> {
  const find = async (facts: Facts, due: DueBranchMove, transaction: ClientSession) => {
    const { repository, branch_hash } = due;
    const move = { repository, branch_hash, fromMs: due.from.getTime() };
    const found = await findBranchMoves(ctx, facts, move, MOVED_AT_ONCE, transaction);
    // The calls that have moved are no longer found: there is no place to go on from.
    const rest = found.rest && dueBranch(ctx, facts.orgId, branch, move);
    return { found, rest };
  };
  await moveInSteps<DueBranchMove>(ctx, { job: moveBranchCallsJob, key: branch, cause: 'boundary' }, find);
}

interface Subject {
  job: DueJob;
  key: string;
  cause: Cause;
}

type Find<Details> = (
  facts: Facts,
  due: Details,
  transaction: ClientSession,
) => Promise<{ found: FoundMoves; rest: Plan | null }>;

/** A worker that dies between two steps is followed by one that goes on where it was. */
async function moveInSteps<Details extends object>(
  ctx: Context,
  { job, key, cause }: Subject,
  find: Find<Details>,
): Promise<void> {
  for (;;) {
    const step = await commitPlan(
      ctx,
      async (transaction) => {
        const due = await readDue<Details>(ctx, job, key, transaction);
        if (!due) return { ...NO_PLAN, result: null };
        const shard = thirdShard();
        const rules = await readRules(ctx, due.org_id, shard, transaction);
        const facts = storedFacts(ctx, { orgId: due.org_id, contexts: rules.contexts }, transaction);
        const { found, rest } = await find(facts, due, transaction);
        const { writes, emptied } = await planMoves(ctx, rules.organization, found, transaction);
        // A batch that knows a row which goes here runs again.
        const guard =
          emptied.length > 0
            ? raiseOrganizationContexts(due.org_id)
            : [guardOrganizationRules(due.org_id, shard)];
        const end = rest ?? { writes: [clearDue(job, key)], wakeUps: [] };
        const plan = joinPlans({ writes: [...guard, ...writes], wakeUps: [] }, end);
        return { ...plan, result: { rules, emptied, moved: found.moved.length, isMore: rest !== null } };
      },
      { onDuplicateKey: 'retry' },
    );
    if (step === null) return;
    remember(ctx, step.rules, step.emptied);
    callsMoved(ctx).inc({ cause }, step.moved);
    if (!step.isMore) return;
    await sleep(PAUSE_MS);
  }
}

function remember(ctx: Context, rules: Rules, emptied: readonly string[]): void {
  const contexts = rules.contexts + (emptied.length > 0 ? 1 : 0);
  forgetChanged(
    ctx,
    { orgId: rules.organization._id, contexts },
    { sessions: [], branches: [], pairs: emptied },
  );
  cacheRules(ctx, { ...rules, contexts });
}
