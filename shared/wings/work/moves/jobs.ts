import { dueJob } from '../../../platform/due/model.ts';

/** Moves the calls of a client session, after contexts that came late. The key of its due rows is that of the client session. */
export const moveSessionCallsJob = dueJob('move-session-calls');

/** The calls of a client session that are still to be looked at: from a moment on (after the call of this key), and until one. */
export interface DueSessionMove {
  from: Date;
  after: string;
  until: Date;
}

/** Moves the calls of a branch, after boundaries that came late. The key of its due rows is that of the branch. */
export const moveBranchCallsJob = dueJob('move-branch-calls');

/** The branch whose calls are still to be looked at, and the earliest of the boundaries that came late. */
export interface DueBranchMove {
  repository: string;
  branch_hash: string;
  from: Date;
}
