import { expect, it } from 'vitest';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { hashNames } from '../../shared/people/hash-names.ts';
import { hashNamesJob } from '../../shared/people/jobs.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import type { CollectionDeclaration } from '../../shared/platform/mongo/collection.ts';
import { heldRows } from '../../shared/wings/held/model.ts';
import { contextRows, workRows } from '../../shared/wings/work/attribution/model.ts';
import { pullRequestRows } from '../../shared/wings/work/pull-requests/model.ts';
import { makeSignal } from '../support/factories.ts';
import { fixture, processBeside } from '../support/fixture.ts';
import { standingStillAfter } from '../support/interleave.ts';

const NOW = Date.parse('2026-11-24T12:00:00Z');
const SHOP = 'github.com/acme/shop';
const MARK = 'MARKED-4e1d';
const { ctx, orgId, ask } = await fixture({ clock: NOW });
const other = await processBeside(ctx);

const KEPT = { works: workRows, contexts: contextRows, held: heldRows, 'pull requests': pullRequestRows };

/** How many rows of an organization have a plain name, by collection. */
async function plain(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [name, rows] of Object.entries(KEPT)) {
    const all = await rows(ctx)
      .find({ org_id: orgId } as never)
      .toArray();
    counts[name] = all.filter((row) => JSON.stringify(row).includes(MARK)).length;
  }
  return counts;
}

/** The cost of each branch by the hash or the name that it is shown by: how many there are, and their sum. */
async function costs(): Promise<{ branches: number; sum: number; total: number }> {
  const { groups, totals } = await ask('/api/v1/usage?group_by=branch');
  const sum = groups.reduce((all: number, { tokens_in }: { tokens_in: number }) => all + tokens_in, 0);
  const named = groups.filter(({ key }: { key: { branch: string | null } }) => key.branch);
  return { branches: named.length, sum, total: totals.tokens_in };
}

it('names become hashes by a worker that is killed anywhere and goes on, and no sum changes meanwhile', async () => {
  // More rows than one transaction changes.
  const numbers = Array.from({ length: 250 }, (_, index) => index);
  const signals = numbers.map((index) =>
    makeSignal({ ts: NOW - 60_000, repository: SHOP, branch: `${MARK}-${index}`, task: MARK }),
  );
  const held = makeSignal({ ts: NOW, tokens_in: 30_000_000, repository: SHOP, branch: MARK });
  await ask('/api/v1/signals', { signals: [...signals, held] });
  const contexts = numbers.map((index) => ({
    client_session_id: `s-${index}`,
    ts: new Date(NOW - 120_000).toISOString(),
    repository: SHOP,
    branch: `${MARK}-${index}`,
    worktree: MARK,
    renamed_from: `${MARK}-old-${index}`,
  }));
  await ask('/api/v1/contexts', { contexts });
  await ask('/api/v1/pull-requests', {
    repository: SHOP,
    number: 1,
    branch: `${MARK}-1`,
    base_branch: MARK,
    title: MARK,
    state: 'open',
    opened_at: new Date(NOW - 3_600_000).toISOString(),
  });
  const before = await costs();
  expect(before).toMatchObject({ branches: 250 });
  expect(await plain()).toEqual({ works: 250, contexts: 250, held: 1, 'pull requests': 1 });
  await changeOrganization(ctx, orgId, { hash_names: true });

  const killed = () => Promise.reject(new Error('killed'));
  const due = { kind: hashNamesJob.kind, key: orgId };
  /** Kills a worker at a read of a collection; what is plain then. */
  const killAt = async (rows: CollectionDeclaration, time: number) => {
    const dying = standingStillAfter(ctx, rows, killed, time);
    await expect(hashNames(dying, orgId)).rejects.toThrow('killed');
    expect(await dueRows(ctx).countDocuments(due)).toBe(1);
    expect(await costs()).toEqual(before);
    return plain();
  };
  const whole = { works: 250, contexts: 250, held: 1, 'pull requests': 1 };
  expect(await killAt(workRows, 1)).toEqual(whole);
  expect(await killAt(workRows, 2)).toEqual(whole);
  expect(await killAt(workRows, 3)).toEqual({ ...whole, works: 50 });
  expect(await killAt(contextRows, 1)).toEqual({ ...whole, works: 0 });
  expect(await killAt(contextRows, 3)).toEqual({ ...whole, works: 0, contexts: 50 });
  expect(await killAt(pullRequestRows, 2)).toEqual({ ...whole, works: 0, contexts: 0 });
  expect(await killAt(heldRows, 2)).toEqual({ works: 0, contexts: 0, held: 1, 'pull requests': 0 });
  await hashNames(other, orgId);
  expect(await plain()).toEqual({ works: 0, contexts: 0, held: 0, 'pull requests': 0 });
  expect(await dueRows(ctx).countDocuments(due)).toBe(0);
  expect(await costs()).toEqual(before);
  const branch = `pull_request=${encodeURIComponent(`${SHOP}#1`)}`;
  for (const filter of [`branch=${MARK}-1`, branch]) {
    const { totals } = await ask(`/api/v1/usage?${filter}`);
    expect(totals.signals).toBe(1);
  }
});
