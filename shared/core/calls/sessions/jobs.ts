import { dueJob } from '../../../platform/due/model.ts';

/**
 * Checks an open session whose silence may have lasted. Its due row is inserted by the transaction that opens the session
 * and deleted by the one that ends it. The row's key is the session key, so its primary key lets only one session of a key be
 * open (docs/adr/0002).
 */
export const endSessionJob = dueJob('end-session');

/** Moves the due times of an organization's open sessions after its timeout has changed. The key is the organization. */
export const moveSessionEndsJob = dueJob('move-session-ends');

/** The details of the due row of an open session. */
export interface OpenSession {
  session_id: string;
}
