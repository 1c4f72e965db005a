import { AsyncLocalStorage } from 'node:async_hooks';
import { type ClientSession, mongo } from 'mongoose';
import type { Db } from '../../shared/platform/mongo/connect.ts';

/** Collections whose rows the work of a transaction reads or writes outside of it on purpose, with the reason. */
const MEANT: Readonly<Record<string, string>> = {
  organization_versions: 'a change that waits is seen before it commits (docs/adr/0264)',
};

/** The session of the transaction whose work is running. */
const working = new AsyncLocalStorage<ClientSession>();

type Work = (session: ClientSession) => Promise<unknown>;

const sessions = mongo.ClientSession.prototype as unknown as Record<
  'withTransaction',
  (this: ClientSession, work: Work, options?: object) => Promise<unknown>
>;
const original = sessions.withTransaction;
sessions.withTransaction = function (work, options) {
  return original.call(this, (session) => working.run(session, () => work(session)), options);
};

/** Runs what another process does while the work of a transaction stands still. */
export function besideIt<T>(work: () => T): T {
  return working.exit(work);
}

/**
 * Notes each command that the work of a transaction sends without its session: it reads what the transaction does not, or writes
 * what stays when that fails. The answer throws when there was one.
 */
export function watchTransactions({ connection }: Db): () => void {
  const beside = new Set<string>();
  connection.getClient().on('commandStarted', ({ commandName: name, command: body }) => {
    if (!working.getStore()?.inTransaction() || body.autocommit === false) return;
    const collection = String(body[name]);
    if (!(collection in MEANT)) beside.add(`${name} ${collection}`);
  });
  return () => {
    if (beside.size > 0) throw new Error(`Commands beside their transaction: ${[...beside].join(', ')}`);
  };
}
