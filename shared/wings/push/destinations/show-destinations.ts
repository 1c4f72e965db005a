import type { z } from 'zod';
import type { Context } from '../../../platform/context/context.ts';
import { dueId, dueRows } from '../../../platform/due/model.ts';
import { runDestinationJob } from './jobs.ts';
import { getDestination, listDestinations } from './manage-destinations.ts';
import { type Destination, exportRunRows } from './model.ts';
import { type destinationView, viewDestination } from './view.ts';

type View = z.output<typeof destinationView>;

/** Shows one destination. Throws `not_found`. */
export async function showDestination(ctx: Context, orgId: string, id: string): Promise<View> {
  const [view] = await show(ctx, [await getDestination(ctx, orgId, id)]);
  if (!view) throw new Error('one destination makes one view');
  return view;
}

/** Shows the destinations of an organization, oldest first. */
export async function showDestinations(ctx: Context, orgId: string): Promise<View[]> {
  return show(ctx, await listDestinations(ctx, orgId));
}

/** Adds the last run and the time of the next one. */
async function show(ctx: Context, destinations: readonly Destination[]): Promise<View[]> {
  const runIds = destinations.flatMap(({ last_run_id }) => last_run_id ?? []);
  const dueIds = destinations.map(({ _id }) => dueId(runDestinationJob, _id));
  const runs = await exportRunRows(ctx)
    .find({ _id: { $in: runIds } })
    .toArray();
  const due = await dueRows(ctx)
    .find({ _id: { $in: dueIds } })
    .toArray();
  return destinations.map((destination) => {
    const lastRun = runs.find(({ _id }) => _id === destination.last_run_id) ?? null;
    const nextRunAt = due.find(({ key }) => key === destination._id)?.due_at ?? null;
    return viewDestination({ destination, lastRun, nextRunAt }, ctx.clock.now());
  });
}
