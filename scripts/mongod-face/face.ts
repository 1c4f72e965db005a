import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { asMongod, ownAnswerOf } from './answers.ts';
import { createDrops, type Drops } from './drops.ts';
import {
  answerOf,
  type Failure,
  INTERRUPTED,
  isTransient,
  labelsOf,
  NO_SUCH_TRANSACTION,
  WRITE_CONFLICT,
} from './failures.ts';
import { createFaults, type Fault, type FaultOptions } from './faults.ts';
import { createRules, type Rules } from './rules/index.ts';
import { changesIndexes } from './rules/indexes.ts';
import {
  abortTransaction,
  endSessions,
  endTransaction,
  errorIn,
  expiredOf,
  forgetAll,
  noTransactions,
  type Transaction,
  type Transactions,
  takeRows,
  transactionOf,
} from './transactions.ts';
import {
  type Command,
  type Fields,
  readAnswer,
  readCommand,
  readFrames,
  readResponseTo,
  writeAnswer,
  writeCommand,
} from './wire.ts';
import { isWrite, listOf, rowsOf } from './writes.ts';

export interface MongodFace {
  port: number;
  stop(): Promise<void>;
}

export interface FaceOptions extends FaultOptions {
  /** The port of the embedded store on this machine. */
  target: number;
  /** A free one when absent. */
  port?: number;
  /** Milliseconds that only grow, by which a transaction grows old. The machine's when absent. */
  now?: () => number;
}

/** A command that the store has not answered. */
interface Asked {
  command: Command;
  transaction: Transaction | null;
  fault: Fault | null;
}

interface Connection {
  client: Socket;
  store: Socket;
  asked: Map<number, Asked>;
  /** Messages behind one that pauses: a connection is served in order. Null while none pauses. */
  behindPause: Buffer[] | null;
}

/** Answers that are longer report no failure, but those of writes. */
const LONGEST_FAILURE = 16_384;
/** A request of our own; drivers count up from 0. */
const OWN_REQUEST = -1;

/** Everything that the connections of one face share. */
interface Face {
  port: number;
  transactions: Transactions;
  rules: Rules;
  drops: Drops;
  chooseFault: (command: Command) => Fault | null;
}

/** Starts a server that behaves as a mongod 8, a replica set of one, and keeps its data in the embedded store (docs/stores.md). */
export async function startMongodFace({
  target,
  port = 0,
  now = () => performance.now(),
  ...faultOptions
}: FaceOptions): Promise<MongodFace> {
  const transactions = noTransactions(now);
  const face: Face = {
    port,
    transactions,
    rules: createRules(),
    drops: createDrops(transactions),
    chooseFault: createFaults(faultOptions),
  };
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.once('close', () => clients.delete(client));
    join(face, client, connect(target, '127.0.0.1'));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  face.port = (server.address() as AddressInfo).port;
  return {
    port: face.port,
    stop: async () => {
      server.close();
      for (const client of clients) client.destroy();
      await once(server, 'close');
    },
  };
}

function join(face: Face, client: Socket, store: Socket): void {
  const connection: Connection = { client, store, asked: new Map(), behindPause: null };
  const end = () => {
    for (const { transaction } of connection.asked.values()) if (transaction) transaction.running -= 1;
    connection.asked.clear();
    client.destroy();
    store.destroy();
  };
  // A store that hangs up was killed, and its transactions with it.
  const forget = () => {
    if (!client.destroyed) forgetAll(face.transactions);
  };
  store.on('error', forget).on('close', forget);
  for (const socket of [client, store]) {
    socket.setNoDelay(true);
    socket.on('error', end);
    socket.on('close', end);
  }
  client.on(
    'data',
    readFrames((frame) => forward(face, connection, frame)),
  );
  store.on(
    'data',
    readFrames((frame) => giveBack(face, connection, frame)),
  );
}

function forward(face: Face, connection: Connection, frame: Buffer): void {
  if (connection.behindPause) {
    connection.behindPause.push(frame);
    return;
  }
  const command = readCommand(frame);
  if (!command) {
    connection.store.write(frame);
    return;
  }
  for (const expired of expiredOf(face.transactions)) abortBoth(face, connection, expired);
  const transaction = transactionOf(face.transactions, command);
  const fault = face.chooseFault(command);
  const failure = refusalOf(face, command, transaction, fault);
  if (failure && transaction) abortBoth(face, connection, transaction);
  const answer = failure ? answerOf(failure) : ownAnswerOf(command, face.rules);
  if (answer) {
    if (command.isAnswered) connection.client.write(writeAnswer(command, answer));
    return;
  }
  if (command.name === 'killSessions' || command.name === 'endSessions')
    endSessions(face.transactions, listOf(command.body[command.name]));
  if (command.isAnswered) connection.asked.set(command.requestId, { command, transaction, fault });
  if (transaction) transaction.running += 1;
  if (command.name === 'dropDatabase')
    face.drops.add(String(command.body.$db), () => connection.store.write(frame));
  else if (fault?.kind === 'pause') pause(face, connection, frame, fault.ms);
  else connection.store.write(frame);
}

/** Holds up one message and all that come after it on its connection. */
function pause(face: Face, connection: Connection, frame: Buffer, ms: number): void {
  const behind: Buffer[] = [];
  connection.behindPause = behind;
  setTimeout(() => {
    connection.store.write(frame);
    connection.behindPause = null;
    for (const next of behind) forward(face, connection, next);
  }, ms);
}

function refusalOf(
  face: Face,
  command: Command,
  transaction: Transaction | null,
  fault: Fault | null,
): Failure | null {
  if (transaction?.isAborted && command.name !== 'abortTransaction') return NO_SUCH_TRANSACTION;
  const failure = face.rules.check(command);
  if (failure) return failure;
  // https://www.mongodb.com/docs/manual/core/transactions/: "Running parallel operations is not supported within a single transaction."
  // mongod leaves open what happens; a refusal shows it.
  if (transaction && transaction.running > 0 && command.name !== 'abortTransaction')
    return { code: 117, message: 'A command of this transaction still runs.' };
  if (fault?.kind === 'fail') return fault.failure;
  const mayWrite =
    !transaction || !isWrite(command) || takeRows(face.transactions, transaction, rowsOf(command));
  return mayWrite ? null : WRITE_CONFLICT;
}

/** Ends a transaction here and in the store, which would keep its rows until the driver ended it. */
function abortBoth(face: Face, connection: Connection, transaction: Transaction): void {
  if (transaction.isAborted) return;
  abortTransaction(face.transactions, transaction);
  abortInStore(connection, transaction);
}

function abortInStore({ store }: Connection, { lsid, txnNumber }: Transaction): void {
  const abort = { abortTransaction: 1, lsid, txnNumber, autocommit: false, $db: 'admin' };
  store.write(writeCommand(OWN_REQUEST, abort));
}

function giveBack(face: Face, connection: Connection, frame: Buffer): void {
  const to = readResponseTo(frame);
  if (to === OWN_REQUEST) return;
  const asked = connection.asked.get(to);
  connection.asked.delete(to);
  if (!asked) {
    connection.client.write(frame);
    return;
  }
  const { command, transaction, fault } = asked;
  if (transaction) transaction.running -= 1;
  if (changesIndexes(command) && readAnswer(frame).ok === 1) face.rules.learn(command);
  const changed = transaction
    ? settle(face, connection, command, transaction, frame)
    : asMongod(face.port, command, frame);
  face.drops.sendUnused();
  if (fault?.kind === 'lose') connection.client.destroy();
  else connection.client.write(changed ? writeAnswer(command, changed) : frame);
}

/** Follows a transaction by the answer to one of its commands. Returns another answer where mongod gives one. */
function settle(
  face: Face,
  connection: Connection,
  command: Command,
  transaction: Transaction,
  frame: Buffer,
): Fields | null {
  if (command.name === 'commitTransaction' || command.name === 'abortTransaction') {
    endTransaction(face.transactions, transaction);
    return transaction.isAborted && command.name === 'abortTransaction'
      ? answerOf(NO_SUCH_TRANSACTION)
      : null;
  }
  if (transaction.isInterrupted) {
    // The store does not end a transaction of which a command runs.
    abortInStore(connection, transaction);
    return answerOf(INTERRUPTED);
  }
  if (!isWrite(command) && frame.length > LONGEST_FAILURE) return null;
  const error = errorIn(command, readAnswer(frame));
  if (!error) return null;
  abortBoth(face, connection, transaction);
  // A transient error is never one of a single write: https://www.mongodb.com/docs/manual/core/transactions-in-applications/.
  return isTransient(error.code) ? answerOf({ ...error, code: error.code, ...labelsOf(command) }) : null;
}
