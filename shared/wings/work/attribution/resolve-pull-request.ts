/** A pull request as far as it decides. Times in epoch ms. */
export interface Head {
  number: number;
  openedMs: number;
  /** Null while it is open. */
  closedMs: number | null;
}

/** A branch got another name at a moment (epoch ms): the key of the branch that it is since. */
export interface Rename {
  atMs: number;
  to: string;
}

/** The pull requests and the renames of branches, by the key of the branch. */
export interface BranchFacts<Request extends Head> {
  /** Those whose head is the branch, by (`openedMs`, `number`). */
  heads: ReadonlyMap<string, readonly Request[]>;
  /** Ascending. */
  renames: ReadonlyMap<string, readonly Rename[]>;
}

/** How many renames are followed. */
const MOST_STEPS = 10;

/**
 * The pull request that work on a branch at `atMs` belongs to: the first of the branch, opened before it was renamed, that had not
 * ended. If none has it and the branch was renamed, the one that has the new name at that moment. Pure.
 */
export function resolvePullRequest<Request extends Head>(
  branch: string,
  atMs: number,
  facts: BranchFacts<Request>,
): Request | null {
  let at = { branch, ms: atMs };
  for (let step = 0; step <= MOST_STEPS; step += 1) {
    const rename = facts.renames.get(at.branch)?.find(({ atMs: renamedMs }) => renamedMs > at.ms);
    const found = facts.heads
      .get(at.branch)
      ?.find(
        ({ openedMs, closedMs }) =>
          openedMs < (rename?.atMs ?? Number.POSITIVE_INFINITY) && (closedMs === null || closedMs > at.ms),
      );
    if (found) return found;
    if (!rename) return null;
    at = { branch: rename.to, ms: rename.atMs };
  }
  return null;
}
