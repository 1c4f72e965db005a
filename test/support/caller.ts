import { fileURLToPath } from 'node:url';
import { getCallSites } from 'node:util';
import { mongo } from 'mongoose';

/** The comment of commands that no code of the product sends: how a test reads, nobody judges. */
export const OF_A_TEST = 'of a test';

/** Where each operation of a collection has its options. */
const OPTIONS_AT: Readonly<Record<string, number>> = {
  find: 1,
  aggregate: 1,
  distinct: 2,
  updateOne: 2,
  updateMany: 2,
  replaceOne: 2,
  deleteOne: 1,
  deleteMany: 1,
  findOneAndUpdate: 2,
  findOneAndReplace: 2,
  findOneAndDelete: 1,
  bulkWrite: 1,
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OF_THE_PRODUCT = /^(api|workers|shared|scripts)\//;
/** Every call passes these. */
const PASSED =
  /^(node_modules\/|test\/support\/caller\.ts|shared\/platform\/mongo\/(collection|embedded-filters)\.ts)/;
/** Deeper than the driver goes between one operation and another that it calls. */
const DEPTH = 24;

/** The contexts of this process whose commands are judged. Without any nothing is marked: a mark costs the stack of its call. */
export const JUDGED = new Set<object>();

interface Operation {
  (this: unknown, ...args: unknown[]): unknown;
  isMarking?: true;
}

/** Marks the commands that tests send by collections, while some context is judged. Safe to repeat. */
export function markCommandsOfTests(): void {
  const operations = mongo.Collection.prototype as unknown as Record<string, Operation>;
  for (const [name, at] of Object.entries(OPTIONS_AT)) {
    const operation = operations[name];
    if (!operation || operation.isMarking) continue;
    const marking: Operation = function (...args) {
      if (JUDGED.size > 0 && !isCalledByProduct()) args[at] = { ...(args[at] as object), comment: OF_A_TEST };
      return operation.apply(this, args);
    };
    operations[name] = Object.assign(marking, { isMarking: true as const });
  }
}

function isCalledByProduct(): boolean {
  for (const { scriptName } of getCallSites(DEPTH, { sourceMap: false })) {
    const file = scriptName.replace(/^file:\/\//, '');
    if (!file.startsWith(ROOT)) continue;
    const own = file.slice(ROOT.length);
    if (!PASSED.test(own)) return OF_THE_PRODUCT.test(own);
  }
  return false;
}
