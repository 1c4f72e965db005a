import type { Command } from 'commander';
import { dateAt } from '../../shared/platform/basics/clock.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import type { Run } from './basics/run.ts';

/** Rows of one kind that are listed. */
const LISTED = 50;

/** `due`: the timers that are rows of MongoDB until seconds before their time. */
export function addDueCommand(program: Command, run: Run): void {
  program
    .command('due [kind]')
    .description(
      `Show what workers will do and when, by kind; with a kind its first ${LISTED}, such as the sessions that will end`,
    )
    .action((kind: string | undefined) =>
      run(async (ctx) => (kind === undefined ? countDue(ctx) : listDue(ctx, kind))),
    );
}

async function countDue(ctx: Context): Promise<{ due: object[] }> {
  const isLate = { $lte: ['$due_at', dateAt(ctx.clock.now())] };
  const isFailing = { $gt: ['$failures', 0] };
  const due = await dueRows(ctx)
    .aggregate([
      {
        $group: {
          _id: '$kind',
          rows: { $sum: 1 },
          late: { $sum: { $cond: [isLate, 1, 0] } },
          failing: { $sum: { $cond: [isFailing, 1, 0] } },
          next_at: { $min: '$due_at' },
          last_at: { $max: '$due_at' },
        },
      },
      { $sort: { _id: 1 } },
      { $project: { _id: 0, kind: '$_id', rows: 1, late: 1, failing: 1, next_at: 1, last_at: 1 } },
    ])
    .toArray();
  return { due };
}

async function listDue(ctx: Context, kind: string): Promise<{ due: object[] }> {
  const rows = await dueRows(ctx).find({ kind }).sort({ due_at: 1 }).limit(LISTED).toArray();
  return {
    due: rows.map(({ due_at, org_id, key, failures = 0 }) => ({ due_at, org_id, key, failures })),
  };
}
