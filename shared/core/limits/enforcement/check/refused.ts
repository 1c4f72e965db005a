import { type Context, partsOf } from '../../../../platform/context/context.ts';
import type { AskWay } from '../state/model.ts';
import type { Cause, Verdict } from './judge.ts';

/** The ways in which a call is refused. An MCP tool has one of its own, whatever it asks. */
export const REFUSAL_WAYS = ['check', 'reserve', 'hook', 'gate', 'mcp'] as const satisfies readonly (
  | AskWay
  | 'mcp'
)[];
export type RefusalWay = (typeof REFUSAL_WAYS)[number];

/** A call that a budget has refused. */
export interface Refusal {
  orgId: string;
  /** Null: nobody's. */
  userId: string | null;
  budgetId: string;
  way: RefusalWay;
  cause: Cause;
  /** Null where the caller named none. */
  adapter: string | null;
  /** Nano-USD; null where the caller named none. */
  estimateNusd: number | null;
  clientSession: string | null;
}

/** The part of a wing in the decisions about calls. */
export interface EnforcementHook {
  /** Notes a call that was refused. Waits for nothing, since the answer waits for it. */
  refused?(ctx: Context, refusal: Refusal): void;
}

/** Lets the wings of this process note the refusal of a call, if the verdict is one. */
export function noteRefusal(
  ctx: Context,
  caller: { orgId: string; userId: string | null; call?: { adapter?: string | undefined } },
  { refusedBy }: Verdict,
  { way, estimateNusd, clientSession }: Asked,
): void {
  if (refusedBy === null) return;
  const refusal: Refusal = {
    orgId: caller.orgId,
    userId: caller.userId,
    budgetId: refusedBy.budget._id,
    way,
    cause: refusedBy.cause,
    adapter: caller.call?.adapter ?? null,
    estimateNusd,
    clientSession: clientSession ?? null,
  };
  for (const hook of partsOf<EnforcementHook>(ctx, 'enforcement')) hook.refused?.(ctx, refusal);
}

interface Asked {
  way: RefusalWay;
  estimateNusd: number | null;
  clientSession: string | undefined;
}
