import { nameField, placeField } from '../../../core/calls/signals/model.ts';
import type { Name, Place } from '../../../core/calls/signals/place.ts';
import { collection, type RowOf } from '../../../platform/mongo/collection.ts';
import { erased, nullable, optional } from '../../../platform/mongo/fields.ts';
import { keptForDays } from '../../../platform/mongo/retention.ts';

export const contextRows = collection('contexts', {
  about: 'The repository, the branch or the task of a client session from a moment on.',
  fields: {
    /** `contextId(...)` of all that it says. */
    _id: String,
    org_id: String,
    /** `clientSessionKey(...)`. */
    client_session: erased(String),
    client_session_id: erased(String),
    commit: optional(erased(String)),
    worktree: optional(erased(nameField)),
    renamed_from: optional(erased(nameField)),
    ts: Date,
    user_id: optional(erased(String)),
    place: optional(nullable(erased(placeField))),
    task: optional(nullable(erased(nameField))),
  },
  indexes: [
    { key: { client_session: 1, ts: 1, _id: 1 } },
    { key: { ts: 1 } },
    { key: { org_id: 1, user_id: 1 } },
  ],
});

/** A context, as a client told it. */
export interface ContextRow extends RowOf<typeof contextRows> {}

export const workRows = collection('works', {
  about: 'A branch, a task or both, to which calls belong.',
  fields: {
    /** `workId(...)`. */
    _id: String,
    org_id: String,
    repository: optional(String),
    branch: optional(nameField),
    /** `branchKey(...)`, where it has a branch. */
    head: optional(String),
    /** The boundary of the branch that the stretch begins with, epoch ms; 0 before the first. */
    since: Number,
    task: optional(nameField),
  },
  indexes: [
    { key: { org_id: 1, repository: 1 } },
    // The works of a branch, for its pull requests.
    { key: { org_id: 1, head: 1 } },
    { key: { org_id: 1, 'branch.hash': 1 } },
    { key: { org_id: 1, 'task.hash': 1 } },
  ],
});

/**
 * A work, to which calls belong: a place with the stretch of its branch, a task, or both. A row never changes but for the text of its
 * names, and is kept for ever.
 */
export interface WorkRow extends RowOf<typeof workRows> {}

export const boundaryRows = collection('boundaries', {
  about: 'A moment from which the name of a branch means something else.',
  fields: {
    /** `boundaryId(...)`. */
    _id: String,
    org_id: String,
    /** `branchKey(...)`. */
    branch: String,
    at: Date,
    /** The key of the branch that it is from then on; absent where it was not renamed. */
    renamed_to: optional(String),
  },
  indexes: [{ key: { branch: 1, at: 1 } }, { key: { renamed_to: 1 } }],
});

/** A moment at which the name of a branch begins to mean something else: its pull request ends, or it is renamed. */
export interface BoundaryRow extends RowOf<typeof boundaryRows> {}

export function partsOf({ repository, branch, task }: WorkRow): { place?: Place; task?: Name } {
  const place = repository === undefined ? undefined : { repository, ...(branch ? { branch } : {}) };
  return { ...(place ? { place } : {}), ...(task ? { task } : {}) };
}

/** A session that has calls of a work. The row comes with the first of them and goes with the last. */
export const sessionWorkRows = collection('session_works', {
  about: 'A session that has calls of a work.',
  fields: {
    /** `pairOf(...)`. */
    _id: String,
    org_id: String,
    session_id: String,
    work: String,
  },
  shardKey: { org_id: 1, _id: 1 },
  indexes: [{ key: { work: 1 } }, { key: { session_id: 1 } }],
});

export function pairOf(sessionId: string, work: string): string {
  return `${sessionId} ${work}`;
}

/** A call is at most 35 days old when its work may change, and a context is in force for 35: two days for clocks that differ. */
const CONTEXT_KEPT_DAYS = 72;

export const contextRetention = keptForDays('contexts', contextRows, 'ts', CONTEXT_KEPT_DAYS);
