import { z } from 'zod';
import { type Failure, labelsOf, WRITE_CONFLICT } from './failures.ts';
import type { Command } from './wire.ts';
import { isWrite } from './writes.ts';

const every = z.coerce.number().int().positive().optional();

/** Faults that the face makes by itself. Each `…Every` names how many commands go well for each that does not. */
const faults = z.strictObject({
  /** Writes in transactions that meet a conflict. */
  conflictEvery: every,
  /**
   * Commands that meet an election: `stepDownCode` is how they fail
   * (https://www.mongodb.com/docs/manual/reference/method/rs.stepDown/; `NotPrimaryError` in error_codes.yml of failures.ts).
   */
  stepDownEvery: every,
  stepDownCode: z.coerce
    .number()
    .pipe(z.union([z.literal(10107), z.literal(11602), z.literal(189)]))
    .default(10107),
  /** Commits that are carried out, whose answer never comes. */
  loseCommitEvery: every,
  /** Commands that wait `pauseMs` before they are carried out. */
  pauseEvery: every,
  pauseMs: z.coerce.number().int().positive().default(100),
});
export type FaultOptions = z.input<typeof faults>;

/** The fault that one command meets; null for none. */
export type Fault = { kind: 'fail'; failure: Failure } | { kind: 'lose' } | { kind: 'pause'; ms: number };

/** `MONGOD_FACE_CONFLICT_EVERY` and the like, as options. Throws when one of that prefix has no meaning, or no such value. */
export function faultsOfEnv(env: NodeJS.ProcessEnv): FaultOptions {
  const variables = Object.keys(env).filter((name) => name.startsWith(PREFIX) && env[name] !== '');
  const given = variables.map((name) => [optionOf(name), env[name]]);
  const read = faults.safeParse(Object.fromEntries(given));
  if (read.success) return read.data;
  throw new Error(`${variables.join(', ')}: ${z.prettifyError(read.error)}`);
}

const PREFIX = 'MONGOD_FACE_';

/** `conflictEvery` of `MONGOD_FACE_CONFLICT_EVERY`. */
function optionOf(variable: string): string {
  const words = variable.slice(PREFIX.length).toLowerCase();
  return words.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Decides which command meets which fault, counting from the start of the face. */
export function createFaults(options: FaultOptions): (command: Command) => Fault | null {
  const chosen = faults.parse(options);
  const counts = new Map<string, number>();
  const isTurn = (name: string, everyNth: number | undefined): boolean => {
    if (everyNth === undefined) return false;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count % everyNth === 0;
  };
  return (command) => {
    if (command.body.lsid === undefined || command.name === 'abortTransaction') return null;
    const isInTransaction = command.body.autocommit === false;
    const isCommit = command.name === 'commitTransaction';
    if (isInTransaction && isWrite(command) && isTurn('conflict', chosen.conflictEvery))
      return { kind: 'fail', failure: WRITE_CONFLICT };
    if (isTurn('stepDown', chosen.stepDownEvery)) {
      const failure = { code: chosen.stepDownCode, message: 'not primary', ...labelsOf(command) };
      return { kind: 'fail', failure };
    }
    if (isCommit && isTurn('loseCommit', chosen.loseCommitEvery)) return { kind: 'lose' };
    return isTurn('pause', chosen.pauseEvery) ? { kind: 'pause', ms: chosen.pauseMs } : null;
  };
}
