import type { mongo } from 'mongoose';
import type { Failure } from '../failures.ts';
import type { Statement } from '../wire.ts';
import { checkFields } from './fields.ts';
import { checkIndexes, checkLists, type KnownIndexes, learnIndexes } from './indexes.ts';
import { checkReads } from './reads.ts';
import { checkSizes } from './sizes.ts';
import { checkTransaction } from './transactions.ts';
import { checkUpdates } from './updates.ts';

/** Everything that mongod refuses and the embedded store lets pass. */
export interface Rules {
  /** The first rule that a command breaks; null when mongod carries it out. */
  check(command: Statement): Failure | null;
  /** Follows a command that has changed indexes. */
  learn(command: Statement): void;
  /** The indexes of a namespace; null where none was learned. */
  indexesOf(namespace: string): mongo.IndexDescription[] | null;
}

export function createRules(): Rules {
  const known: KnownIndexes = new Map();
  return {
    check: (command) =>
      checkFields(command) ??
      checkTransaction(command) ??
      checkSizes(command) ??
      checkReads(command) ??
      checkUpdates(command) ??
      checkIndexes(command, known) ??
      checkLists(command, known),
    learn: (command) => learnIndexes(command, known),
    indexesOf: (namespace) => {
      const indexes = known.get(namespace);
      return indexes ? [...indexes.values()] : null;
    },
  };
}
