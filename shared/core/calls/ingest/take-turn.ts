import { SIGNALS_PER_REQUEST } from '../../../platform/basics/contract.ts';
import type { Batching } from '../../../platform/context/batcher.ts';
import type { Context } from '../../../platform/context/context.ts';

/** Something of an organization that has its turn: what is carried out by the same `run` goes together. */
export interface Turn<Item, Result> {
  item: Item;
  weight: number;
  /** One transaction. Returns one result per item, in order. */
  run: (ctx: Context, orgId: string, items: readonly Item[]) => Promise<readonly Result[]>;
}

/** About the time that reading sixteen requests takes, so that clients that were answered join the next batch. */
const LINGER_MS = 12;

/**
 * Carries out what an organization's clients tell: one transaction at a time, and what arrives meanwhile joins the next ones. So
 * signals and contexts, which all write the same row, do not meet in one process.
 */
export function takeTurn<Item, Result>(
  ctx: Context,
  orgId: string,
  turn: Turn<Item, Result>,
): Promise<Result> {
  type Any = Turn<unknown, unknown>;
  const batching: Batching<Any, unknown> = {
    maxWeight: SIGNALS_PER_REQUEST,
    weigh: ({ weight }) => weight,
    lingerMs: LINGER_MS,
    run: async (turns) => {
      const results = new Map<Any, unknown>();
      for (const [run, together] of Map.groupBy(turns, (each) => each.run)) {
        const done = await run(
          ctx,
          orgId,
          together.map(({ item }) => item),
        );
        for (const [index, each] of together.entries()) results.set(each, done[index]);
      }
      return turns.map((each) => results.get(each));
    },
  };
  return ctx.batcher.submit(`signals ${orgId}`, turn as Any, batching) as Promise<Result>;
}
