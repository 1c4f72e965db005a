import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import {
  answerOf,
  type Failure,
  isTransient,
  NO_SUCH_TRANSACTION,
  TRANSIENT,
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
}

const VERSION = '8.0.15';
/** Answers that are longer report no failure, but those of writes. */
const LONGEST_FAILURE = 16_384;
/** A request of our own; drivers count up from 0. */
const OWN_REQUEST = -1;

/** Everything that the connections of one face share. */
interface Face {
  port: number;
  transactions: Transactions;
  rules: Rules;
  chooseFault: (command: Command) => Fault | null;
}

/** Starts a server that behaves as a mongod 8, a replica set of one, and keeps its data in the embedded store (docs/stores.md). */
export async function startMongodFace({
  target,
  port = 0,
  ...faultOptions
}: FaceOptions): Promise<MongodFace> {
  const face: Face = {
    port,
    transactions: noTransactions(),
    rules: createRules(),
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
  const connection: Connection = { client, store, asked: new Map() };
  const end = () => {
    for (const { transaction } of connection.asked.values()) if (transaction) transaction.running -= 1;
    connection.asked.clear();
    client.destroy();
    store.destroy();
  };
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
  const command = readCommand(frame);
  if (!command) {
    connection.store.write(frame);
    return;
  }
  const transaction = transactionOf(face.transactions, command);
  const fault = face.chooseFault(command);
  const failure = refusalOf(face, command, transaction, fault);
  if (failure) {
    if (transaction) abortBoth(face, connection, transaction);
    if (command.isAnswered) connection.client.write(writeAnswer(command, answerOf(failure)));
    return;
  }
  if (command.name === 'killSessions' || command.name === 'endSessions')
    endSessions(face.transactions, listOf(command.body[command.name]));
  if (command.isAnswered) connection.asked.set(command.requestId, { command, transaction, fault });
  if (transaction) transaction.running += 1;
  if (fault?.kind === 'pause') setTimeout(() => connection.store.write(frame), fault.ms);
  else connection.store.write(frame);
}

function refusalOf(
  face: Face,
  command: Command,
  transaction: Transaction | null,
  fault: Fault | null,
): Failure | null {
  if (transaction?.isAborted) return NO_SUCH_TRANSACTION;
  const failure = face.rules.check(command);
  if (failure) return failure;
  // https://www.mongodb.com/docs/manual/core/transactions/: "Running parallel operations is not supported within a single transaction."
  if (transaction && transaction.running > 0 && command.name !== 'abortTransaction')
    return { code: 117, message: 'A command of this transaction still runs.' };
  if (fault?.kind === 'fail') return fault.failure;
  const mayWrite =
    !transaction || !isWrite(command) || takeRows(face.transactions, transaction, rowsOf(command));
  return mayWrite ? null : WRITE_CONFLICT;
}

/** Ends a transaction here and in the store, which would keep its rows until the driver ended it. */
function abortBoth(face: Face, { store }: Connection, transaction: Transaction): void {
  if (transaction.isAborted) return;
  abortTransaction(face.transactions, transaction);
  store.write(
    writeCommand(OWN_REQUEST, {
      abortTransaction: 1,
      lsid: transaction.lsid,
      txnNumber: transaction.txnNumber,
      autocommit: false,
      $db: 'admin',
    }),
  );
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
  const changed = transaction
    ? settle(face, connection, command, transaction, frame)
    : asMongod(face, command, frame);
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
    return null;
  }
  if (!isWrite(command) && frame.length > LONGEST_FAILURE) return null;
  const error = errorIn(command, readAnswer(frame));
  if (!error) return null;
  abortBoth(face, connection, transaction);
  // A transient error is never one of a single write: https://www.mongodb.com/docs/manual/core/transactions-in-applications/.
  return isTransient(error.code) ? answerOf({ ...error, code: error.code, labels: TRANSIENT }) : null;
}

/** The answers by which a driver learns with whom it speaks. */
function asMongod(face: Face, command: Command, frame: Buffer): Fields | null {
  if (changesIndexes(command) && readAnswer(frame).ok === 1) face.rules.learn(command);
  if (command.name === 'buildInfo') {
    const { secantusVersion: _, ...answer } = readAnswer(frame);
    return { ...answer, version: VERSION, versionArray: [...VERSION.split('.').map(Number), 0] };
  }
  if (!['hello', 'ismaster', 'isMaster'].includes(command.name)) return null;
  const { topologyVersion: _, ...answer } = readAnswer(frame);
  const address = `127.0.0.1:${face.port}`;
  return { ...answer, hosts: [address], me: address, primary: address };
}
