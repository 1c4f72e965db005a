import type { ClientSession } from 'mongoose';
import { z } from 'zod';
import { type Context, partsOf } from '../../../platform/context/context.ts';
import { WORK_FIELDS, type WorkField, type WorkNames } from '../signals/place.ts';
import type { SessionMatch } from './match-sessions.ts';
import type { Session } from './model.ts';

/** The part of a wing in the works to which calls belong. The core keeps and sums their ids; the wing knows what they are. */
export interface DimensionHook {
  /** The ids of the works that have these values; undefined where none is asked for. */
  find(ctx: Context, orgId: string, filter: WorkFilter): Promise<string[] | undefined>;
  names(ctx: Context, orgId: string, asked: AskedNames, transaction: ClientSession): Promise<WorkNames>;
  /** The filter of the sessions that had a call in one of these works. */
  sessions(ctx: Context, orgId: string, works: readonly string[]): Promise<WorkedMatch>;
  /** The last contexts of these client sessions until the end of a session of theirs, in order. */
  contexts(
    ctx: Context,
    session: Session,
    clientSessions: readonly string[],
    transaction: ClientSession,
  ): Promise<ContextView[]>;
}

/** A filter by the fields of a work: plain names, or the hashes of names. */
export type WorkFilter = Partial<Record<WorkField, string | undefined>>;

export interface AskedNames {
  /** An empty id is none. */
  ids: ReadonlySet<string>;
  /** The fields that are needed: all where it is absent. The others may be null, and take no read. */
  fields?: readonly WorkField[];
}

export type WorkedMatch = Pick<SessionMatch, 'ids' | 'having'>;

export const contextView = z.strictObject({
  client_session_id: z.string(),
  ts: z.string(),
  user_id: z.string().optional(),
  repository: z.string().nullable().optional(),
  branch: z.string().optional(),
  commit: z.string().optional(),
  worktree: z.string().optional(),
  renamed_from: z.string().optional(),
  task: z.string().nullable().optional(),
});
export type ContextView = z.output<typeof contextView>;

/** A service whose calls belong to no work. */
const NO_WORKS: DimensionHook = {
  find: async (_ctx, _orgId, filter) =>
    WORK_FIELDS.some((name) => filter[name] !== undefined) ? [] : undefined,
  names: async () => new Map(),
  sessions: async () => ({ ids: [] }),
  contexts: async () => [],
};

/** The wing that knows the works of calls, in this process. */
export function dimensionOf(ctx: Context): DimensionHook {
  return partsOf<DimensionHook>(ctx, 'dimension')[0] ?? NO_WORKS;
}

/** The filter of the sessions that had a call in a work with these values; none where no value is asked for. */
export async function findWorked(ctx: Context, orgId: string, filter: WorkFilter): Promise<WorkedMatch> {
  const dimension = dimensionOf(ctx);
  const works = await dimension.find(ctx, orgId, filter);
  return works === undefined ? {} : dimension.sessions(ctx, orgId, works);
}
