import { isInUse, type Transactions } from './transactions.ts';

/** Drops of databases, which wait for the transactions that use these. */
export interface Drops {
  /** Sends a drop once nobody uses its database. */
  add(database: string, send: () => void): void;
  /** Sends those for which nobody is in the way any more. */
  sendUnused(): void;
}

/**
 * A drop needs a lock that open transactions have (https://www.mongodb.com/docs/manual/faq/concurrency/). The embedded store takes
 * it and then waits for them, and they wait for the lock: neither would ever end.
 */
export function createDrops(transactions: Transactions): Drops {
  const waiting = new Set<{ database: string; send: () => void }>();
  const sendUnused = () => {
    for (const drop of waiting) {
      if (isInUse(transactions, drop.database)) continue;
      waiting.delete(drop);
      drop.send();
    }
  };
  return {
    add: (database, send) => {
      waiting.add({ database, send });
      sendUnused();
    },
    sendUnused,
  };
}
