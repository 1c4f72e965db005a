import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { applyRepricing } from '../../shared/wings/prices/repricing/apply-parts.ts';
import { beginApplying, getRepricing } from '../../shared/wings/prices/repricing/begin-applying.ts';
import type { RepricingInput } from '../../shared/wings/prices/repricing/input.ts';
import { type Repricing, repricingPartRows } from '../../shared/wings/prices/repricing/model.ts';
import { previewRepricing } from '../../shared/wings/prices/repricing/preview.ts';
import type { TestContext } from './harness.ts';
import { standingStillAfter } from './interleave.ts';

/** Calls of one part, so that a few calls are many parts. */
const CALLS_OF_A_PART = 2;

/**
 * Gives recorded calls new prices in small parts. The worker is killed once, in the transaction of the part `killAt`, from 0 on;
 * `between` runs then, and another worker does the rest. Returns the preview and what was applied.
 */
export async function repriceInParts(
  ctx: TestContext,
  orgId: string,
  input: RepricingInput,
  { killAt, between }: { killAt: number; between: () => Promise<unknown> },
): Promise<{ preview: Repricing; applied: Repricing }> {
  const preview = await previewRepricing({ ...ctx, few: CALLS_OF_A_PART }, orgId, input);
  await beginApplying(ctx, orgId, preview._id);
  const kill = async () => {
    throw new Error('killed');
  };
  const killed = standingStillAfter(ctx, repricingPartRows, kill, killAt + 1);
  await applyRepricing(killed, preview._id).catch((error: Error) => {
    if (error.message !== 'killed') throw error;
  });
  await between();
  while ((await applyRepricing(ctx, preview._id)) !== undefined);
  return { preview, applied: await getRepricing(ctx, orgId, preview._id) };
}

/** The costs of calls that are not voided, nano-USD, and of their sessions by the rows of these. */
export async function readCosts(ctx: TestContext, org_id: string) {
  const signals = await signalRows(ctx)
    .find({ org_id, voided: { $exists: false } })
    .toArray();
  const sessions = await sessionRows(ctx).find({ org_id }).toArray();
  const sum = (costs: readonly (number | null)[]) =>
    costs.reduce((total, cost) => total + BigInt(cost ?? 0), 0n);
  return {
    signals,
    calls: sum(signals.map(({ cost_nusd }) => cost_nusd)),
    sessions: sum(sessions.map(({ cost_nusd }) => cost_nusd)),
    unpriced: signals.filter(({ cost_nusd }) => cost_nusd === null).length,
    unpricedOfSessions: sessions.reduce((total, { unpriced_signals }) => total + unpriced_signals, 0),
  };
}
