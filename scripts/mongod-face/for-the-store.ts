import { addressIn, omit, pick } from '../../shared/platform/mongo/embedded-filters.ts';
import { COLLECTIONS } from '../../shared/tables/collections.ts';
import { type Command, type Fields, readCommand, writeCommand } from './wire.ts';
import { listOf } from './writes.ts';

/** The fields of the shard key of each collection: beside an `_id` they say nothing more. */
const SHARD_KEYS = new Map(
  COLLECTIONS.map(({ collectionName, shardKey }) => [collectionName, Object.keys(shardKey ?? {})]),
);
/** The store takes no larger document, and a command that is written anew is one. */
const LARGEST_BYTES = 12_000_000;

/**
 * A `bulkWrite` whose filters name rows by their `_id` alone; the frame itself for every other command. With the shard key beside it
 * the embedded store looks at the whole collection for each row, and 2,000 calls take minutes. The product leaves it away there, too
 * (`shared/platform/mongo/writes.ts`).
 */
export function forTheStore({ name, requestId, bytes = 0 }: Command, frame: Buffer): Buffer {
  if (name !== 'bulkWrite' || bytes > LARGEST_BYTES) return frame;
  const exact = readCommand(frame, true)?.body ?? {};
  const namespaces = listOf(exact.nsInfo).map(({ ns }) => String(ns));
  const ops = listOf(exact.ops).map((op) => byIdAlone(op, namespaces));
  return writeCommand(requestId, { ...exact, ops });
}

function byIdAlone(op: Fields, namespaces: readonly string[]): Fields {
  const namespace = namespaces[Number(op.update ?? op.delete ?? -1)] ?? '';
  const collection = namespace.slice(namespace.indexOf('.') + 1);
  const given = (op.filter ?? {}) as Fields;
  const address = addressIn(given, SHARD_KEYS.get(collection) ?? []);
  if (address.length === 0 || Array.isArray(op.updateMods)) return op;
  const filter = omit(given, address);
  // A row that takes the place of another one has these fields itself.
  const hasOperators = Object.keys(op.updateMods ?? {}).some((key) => key.startsWith('$'));
  if (op.upsert !== true || !hasOperators) return { ...op, filter };
  const { $setOnInsert, ...update } = op.updateMods as Fields;
  const inserted = { ...pick(given, address), ...($setOnInsert as Fields) };
  return { ...op, filter, updateMods: { ...update, $setOnInsert: inserted } };
}
