import { AsyncLocalStorage } from 'node:async_hooks';

const actors = new AsyncLocalStorage<string>();

/** Runs `work` as an act of this account or key: what it writes to the audit log names the actor. */
export function actingAs<Result>(actor: string, work: () => Result): Result {
  return actors.run(actor, work);
}

/** The account (`usr_…`) or the id of the API key that acts now, or null where no request is served. */
export function currentActor(): string | null {
  return actors.getStore() ?? null;
}
