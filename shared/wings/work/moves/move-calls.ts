import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientSession } from 'mongoose';
import {
  guardOrganizationRules,
  raiseOrganizationContexts,
} from '../../../core/accounts/organizations/versions.ts';
import { cacheRules, type Rules, readRules } from '../../../core/limits/budgets/rules/rules.ts';
import { commitPlan, joinPlans, type Plan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { few } from '../../../platform/context/few.ts';
import { perContext } from '../../../platform/context/per-context.ts';
import type { DueJob } from '../../../platform/due/model.ts';
import { clearDue, readDue } from '../../../platform/due/plan-due.ts';
import { thirdShard } from '../../../platform/mongo/counter-shards.ts';
import { type Facts, forgetChanged, storedFacts } from '../attribution/read-facts.ts';
import { type Cause, dueBranch, dueSession } from './find-all-moves.ts';
import {
  type FoundMoves,
  findBranchMoves,
  findSessionMoves,
  LOOKED_AT_ONCE,
  MOVED_AT_ONCE,
} from './find-moves.ts';
import { type DueBranchMove, type DueSessionMove, moveBranchCallsJob, moveSessionCallsJob } from './jobs.ts';
import { callsMoved } from './metrics.ts';
import { planMoves } from './plan-moves.ts';

/** The pause between two transactions of a move, in which others have their turn. Milliseconds. */
const PAUSE_MS = 50;
/** The calls of one transaction. */
const atOnce = (ctx: Context) => ({ most: few(ctx, MOVED_AT_ONCE), look: few(ctx, LOOKED_AT_ONCE) });
/** The transactions of one run; then the job goes to the end of the queue. */
const STEPS_PER_RUN = 10;
/** After it a job looks again whether another one of its organization is still under way. Milliseconds. */
const TURN_MS = 1_000;

/** The organizations whose calls this process moves. */
const moving = perContext(() => new Set<string>());

/** When a job that has not moved all of its calls is to go on. */
type GoesOn = { notBeforeMs: number } | undefined;

/** Moves the calls of a client session that contexts have left to workers, 500 per transaction, each by its facts. */
export async function moveSessionCalls(ctx: Context, client_session: string): Promise<GoesOn> {
  const find = async (facts: Facts, due: DueSessionMove, transaction: ClientSession) => {
    const span = { fromMs: due.from.getTime(), untilMs: due.until.getTime() };
    const move = { client_session, span, after: due.after };
    const found = await findSessionMoves(ctx, facts, move, atOnce(ctx), transaction);
    const rest = found.rest && dueSession(ctx, facts.orgId, client_session, span, found.rest);
    return { found, rest };
  };
  return moveInTurn<DueSessionMove>(
    ctx,
    { job: moveSessionCallsJob, key: client_session, cause: 'context' },
    find,
  );
}

/** Moves the calls of a branch that boundaries have left to workers, likewise. */
export async function moveBranchCalls(ctx: Context, branch: string): Promise<GoesOn> {
  const find = async (facts: Facts, due: DueBranchMove, transaction: ClientSession) => {
    const { repository, branch_hash } = due;
    const move = { repository, branch_hash, fromMs: due.from.getTime() };
    const found = await findBranchMoves(ctx, facts, move, atOnce(ctx), transaction);
    // The calls that have moved are no longer found: there is no place to go on from.
    const rest = found.rest && dueBranch(ctx, facts.orgId, branch, move);
    return { found, rest };
  };
  return moveInTurn<DueBranchMove>(ctx, { job: moveBranchCallsJob, key: branch, cause: 'boundary' }, find);
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

/** Moves calls unless this process moves others of their organization: the place is for those of another one then. */
async function moveInTurn<Details extends object>(
  ctx: Context,
  subject: Subject,
  find: Find<Details>,
): Promise<GoesOn> {
  let own: string | null = null;
  const isTurnOf = (orgId: string) => {
    if (own === null && !moving(ctx).has(orgId)) own = orgId;
    if (own !== null) moving(ctx).add(own);
    return own !== null;
  };
  try {
    return await moveInSteps(ctx, { ...subject, isTurnOf }, find);
  } finally {
    if (own !== null) moving(ctx).delete(own);
  }
}

/** One transaction of a move. */
interface Step {
  rules: Rules;
  emptied: readonly string[];
  moved: number;
  isMore: boolean;
}

/** A worker that dies between two steps is followed by one that goes on where it was. */
async function moveInSteps<Details extends object>(
  ctx: Context,
  { job, key, cause, isTurnOf }: Subject & { isTurnOf: (orgId: string) => boolean },
  find: Find<Details>,
): Promise<GoesOn> {
  for (let steps = 1; ; steps += 1) {
    const step = await commitPlan<Step | 'later' | null>(
      ctx,
      async (transaction) => {
        const due = await readDue<Details>(ctx, job, key, transaction);
        if (!due) return { result: null };
        if (!isTurnOf(due.org_id)) return { result: 'later' };
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
        const plan = joinPlans({ writes: [...guard, ...writes] }, end);
        return { ...plan, result: { rules, emptied, moved: found.moved.length, isMore: rest !== null } };
      },
      { onDuplicateKey: 'retry' },
    );
    if (step === null) return undefined;
    if (step === 'later') return { notBeforeMs: ctx.clock.now() + TURN_MS };
    remember(ctx, step.rules, step.emptied);
    callsMoved(ctx).inc({ cause }, step.moved);
    if (!step.isMore) return undefined;
    if (steps === STEPS_PER_RUN) return { notBeforeMs: ctx.clock.now() };
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
