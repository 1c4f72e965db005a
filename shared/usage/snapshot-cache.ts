import type { Context } from '../platform/context/context.ts';
import { perContext } from '../platform/context/per-context.ts';
import type { Table } from './table.ts';

/** Of one process. Bounded by bytes and not by number, as one snapshot may be a thousand times as large as another. */
const KEPT_BYTES = 64 * 2 ** 20;

interface Kept {
  version: number;
  table: Table;
  bytes: number;
}

interface Cache {
  /** By table and key of the snapshot, the last used last. */
  byKey: Map<string, Kept>;
  bytes: number;
}

const cacheOf = perContext((): Cache => ({ byKey: new Map(), bytes: 0 }));

/** A table of a snapshot that was read before, if it is of this version. */
export function keptTable(ctx: Context, key: string, version: number): Table | null {
  const known = cacheOf(ctx).byKey.get(key);
  if (known?.version !== version) return null;
  keepTable(ctx, key, known);
  return known.table;
}

/** Keeps a table for the next question; those that were not used for longest go. */
export function keepTable(ctx: Context, key: string, one: Kept): void {
  const cache = cacheOf(ctx);
  drop(cache, key);
  cache.byKey.set(key, one);
  cache.bytes += one.bytes;
  for (const oldest of cache.byKey.keys()) {
    if (cache.bytes <= KEPT_BYTES) return;
    drop(cache, oldest);
  }
}

function drop(cache: Cache, key: string): void {
  cache.bytes -= cache.byKey.get(key)?.bytes ?? 0;
  cache.byKey.delete(key);
}
