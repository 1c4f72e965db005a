import { nameField, placeField } from '../../../core/calls/signals/model.ts';
import type { Name, Place } from '../../../core/calls/signals/place.ts';
import { collection } from '../../../platform/mongo/collection.ts';
import { erased, nullable, optional } from '../../../platform/mongo/fields.ts';
import { keptForDays } from '../../../platform/mongo/retention.ts';
import type { Told } from './decide-work.ts';

/** A context: the place, the task or both of a client session from a moment on, as a client told it. */
export interface ContextRow extends Told {
  /** `contextId(...)` of all that it says. */
  _id: string;
  org_id: string;
  /** `clientSessionKey(...)`. */
  client_session: string;
  client_session_id: string;
  commit?: string;
  worktree?: Name;
  renamed_from?: Name;
}

export const contextRows = collection<ContextRow>('contexts', {
  about: 'The repository, the branch or the task of a client session from a moment on.',
  fields: {
    _id: String,
    org_id: String,
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

/**
 * A work, to which calls belong: a place with the stretch of its branch, a task, or both. A row never changes but for the text of its
 * names, and is kept for ever.
 */
export interface WorkRow {
  /** `workId(...)`. */
  _id: string;
  org_id: string;
  repository?: string;
  branch?: Name;
  /** `branchKey(...)`, where it has a branch. */
  head?: string;
  /** The boundary of the branch that the stretch begins with, epoch ms; 0 before the first. */
  since: number;
  task?: Name;
}

export const workRows = collection<WorkRow>('works', {
  about: 'A branch, a task or both, to which calls belong.',
  fields: {
    _id: String,
    org_id: String,
    repository: optional(String),
    branch: optional(nameField),
    head: optional(String),
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

/** A moment at which the name of a branch begins to mean something else: its pull request ends, or it is renamed. */
export interface BoundaryRow {
  /** `boundaryId(...)`. */
  _id: string;
  org_id: string;
  /** `branchKey(...)`. */
  branch: string;
  at: Date;
  /** The key of the branch that it is from then on; absent where it was not renamed. */
  renamed_to?: string;
}

export const boundaryRows = collection<BoundaryRow>('boundaries', {
  about: 'A moment from which the name of a branch means something else.',
  fields: {
    _id: String,
    org_id: String,
    branch: String,
    at: Date,
    renamed_to: optional(String),
  },
  indexes: [{ key: { branch: 1, at: 1 } }, { key: { renamed_to: 1 } }],
});

/** The parts of a work, as calls are decided by. */
export function partsOf({ repository, branch, task }: WorkRow): { place?: Place; task?: Name } {
  const place = repository === undefined ? undefined : { repository, ...(branch ? { branch } : {}) };
  return { ...(place ? { place } : {}), ...(task ? { task } : {}) };
}

/** A session that has calls of a work. The row comes with the first of them and goes with the last. */
export interface SessionWorkRow {
  /** `pairOf(...)`. */
  _id: string;
  org_id: string;
  session_id: string;
  work: string;
}

export const sessionWorkRows = collection<SessionWorkRow>('session_works', {
  about: 'A session that has calls of a work.',
  fields: {
    _id: String,
    org_id: String,
    session_id: String,
    work: String,
  },
  shardKey: { org_id: 1, _id: 1 },
  indexes: [{ key: { work: 1 } }, { key: { session_id: 1 } }],
});

/** The id of a session's row of a work. */
export function pairOf(sessionId: string, work: string): string {
  return `${sessionId} ${work}`;
}

/** A call is at most 35 days old when its work may change, and a context is in force for 35: two days for clocks that differ. */
const CONTEXT_KEPT_DAYS = 72;

export const contextRetention = keptForDays('contexts', contextRows, 'ts', CONTEXT_KEPT_DAYS);
