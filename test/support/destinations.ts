import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DeadlineError } from '../../shared/platform/basics/within.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { destinationInput } from '../../shared/wings/push/destinations/input.ts';
import { createDestination } from '../../shared/wings/push/destinations/manage-destinations.ts';
import type { Destination } from '../../shared/wings/push/destinations/model.ts';
import { runDestination } from '../../shared/wings/push/destinations/runs/run-destination.ts';
import { openStore } from '../../shared/wings/push/destinations/stores/open-store.ts';
import type { ObjectStore } from '../../shared/wings/push/destinations/stores/store.ts';

/** An empty folder for exports. */
export const newFolder = () => mkdtempSync(join(tmpdir(), 'exports-'));

/** The body that adds a folder. */
export const FOLDER = {
  name: 'Finance',
  kind: 'folder',
  prefix: 'out',
  levels: [{ level: 'focus', format: 'csv' }],
};

/** Adds a destination as the api does. */
export async function makeDestination(
  ctx: Context,
  orgId: string,
  body: Record<string, unknown> = {},
): Promise<Destination> {
  return createDestination(ctx, orgId, destinationInput.parse({ ...FOLDER, ...body }));
}

/** The files below a folder, by path, as text. */
export async function filesIn(folder: string): Promise<Record<string, string>> {
  const found = existsSync(folder) ? await readdir(folder, { recursive: true, withFileTypes: true }) : [];
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = files
    .sort()
    .map(async (path) => [path.slice(folder.length + 1), await readFile(path, 'latin1')]);
  return Object.fromEntries(await Promise.all(read)) as Record<string, string>;
}

/** Throws unless every file that a manifest names is there with its hash and length. Returns the manifests by path. */
export function checkManifests(files: Record<string, string>): Record<string, Manifest> {
  const manifests = Object.entries(files).filter(([path]) => path.endsWith('/manifest.json'));
  for (const [path, text] of manifests)
    for (const { name, sha256, bytes } of (JSON.parse(text) as Manifest).files) {
      const file = Buffer.from(files[join(dirname(path), name)] ?? '', 'latin1');
      const found = createHash('sha256').update(file).digest('hex');
      if (found !== sha256 || file.length !== bytes) throw new Error(`${name} of ${path} is not what it was`);
    }
  return Object.fromEntries(manifests.map(([path, text]) => [path, JSON.parse(text) as Manifest]));
}

export interface Manifest {
  files: { name: string; rows: number; bytes: number; sha256: string }[];
  rows: number;
  sums: Record<string, string>;
  charge_date: string;
  billing_period?: string;
  state: string;
  [field: string]: unknown;
}

/** An error as of a store of ours that is away: a run ends with it as if its process had been killed. */
export class Killed extends DeadlineError {}

/** Runs a destination and kills it at the `at`th act on its place: before the act, or after it. Returns false when it ended before. */
export async function runAndKill(
  ctx: Context,
  id: string,
  at: number,
  when: 'before' | 'after',
): Promise<boolean> {
  let acts = 0;
  const act = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    acts += 1;
    const isKilled = acts === at;
    if (isKilled && when === 'before') throw new Killed();
    const result = await work();
    if (isKilled) throw new Killed();
    return result;
  };
  const failing = (store: ObjectStore): ObjectStore => ({
    refusesWrites: store.refusesWrites,
    read: (key) => act(() => store.read(key)),
    putFile: (...all) => act(() => store.putFile(...all)),
    putText: (...all) => act(() => store.putText(...all)),
    list: (prefix) => act(() => store.list(prefix)),
    remove: (key) => act(() => store.remove(key)),
    removeUnfinished: (...all) => act(() => store.removeUnfinished(...all)),
  });
  try {
    await runDestination(ctx, id, (context, destination) => failing(openStore(context, destination)));
    return false;
  } catch (error) {
    if (error instanceof Killed) return true;
    throw error;
  }
}
