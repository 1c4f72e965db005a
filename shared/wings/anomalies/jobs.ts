import { dueJob } from '../../platform/due/model.ts';

/** Looks for anomalies in a session that has changed. The key of its due row is the session's id. */
export const checkSessionJob = dueJob('check-session');
