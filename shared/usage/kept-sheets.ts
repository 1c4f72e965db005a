import type { Context } from '../platform/context/context.ts';
import { perContext } from '../platform/context/per-context.ts';
import type { OpenSheet } from './model.ts';

/** Of one process. */
const KEPT_BYTES = 64 * 2 ** 20;

interface KeptSheet {
  version: number;
  sheet: OpenSheet;
  bytes: number;
}

interface KeptSheets {
  /** By key, the last used last. */
  byKey: Map<string, KeptSheet>;
  bytes: number;
}

const keptOf = perContext((): KeptSheets => ({ byKey: new Map(), bytes: 0 }));

/** A sheet that was read before, if it is still the one of this version: then its rollups are what they were. */
export function keptSheet(ctx: Context, key: string, version: number): OpenSheet | null {
  const known = keptOf(ctx).byKey.get(key);
  if (known?.version !== version) return null;
  keepSheet(ctx, key, known);
  return known.sheet;
}

/** Keeps it for the next question; those that were not used for longest go. */
export function keepSheet(ctx: Context, key: string, one: KeptSheet): void {
  const kept = keptOf(ctx);
  drop(kept, key);
  kept.byKey.set(key, one);
  kept.bytes += one.bytes;
  for (const oldest of kept.byKey.keys()) {
    if (kept.bytes <= KEPT_BYTES) return;
    drop(kept, oldest);
  }
}

function drop(kept: KeptSheets, key: string): void {
  kept.bytes -= kept.byKey.get(key)?.bytes ?? 0;
  kept.byKey.delete(key);
}
