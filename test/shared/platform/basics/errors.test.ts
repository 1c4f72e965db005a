import { Cluster, Redis, ReplyError } from 'ioredis';
import { mongo } from 'mongoose';
import { describe, expect, it, test } from 'vitest';
import { problemOf } from '../../../../api/basics/problem.ts';
import { isStoreError } from '../../../../shared/platform/basics/errors.ts';
import { PoolClearedOnNetworkError } from '../../../support/store-errors.ts';

type ErrorClass = typeof mongo.MongoError;

const CLASSES = Object.values(mongo).filter(
  (value): value is ErrorClass => typeof value === 'function' && value.prototype instanceof Error,
);

/** An error of a class whose constructor wants what only the driver has. */
function errorOf(of: ErrorClass): Error {
  return Object.setPrototypeOf(new mongo.MongoError('lost'), of.prototype);
}

function labelled(label: string): Error {
  const error = new mongo.MongoServerError({ message: 'busy' });
  error.addErrorLabel(label);
  return error;
}

describe('errors of the MongoDB driver', () => {
  it('that derive from a network or system error are all those of a store that is away', () => {
    const derived = CLASSES.filter((each) =>
      [mongo.MongoNetworkError, mongo.MongoSystemError].some(
        (root) => each === root || each.prototype instanceof root,
      ),
    );
    expect(derived.length).toBeGreaterThan(3);
    expect(derived.filter((each) => !isStoreError(errorOf(each)))).toEqual([]);
    expect(isStoreError(new PoolClearedOnNetworkError())).toBe(true);
  });

  it('are each either of a store that is away or a fault of ours', () => {
    const away = CLASSES.filter((each) => isStoreError(errorOf(each))).map((each) => each.name);
    expect(away.sort()).toEqual([
      'MongoClientClosedError',
      'MongoExpiredSessionError',
      'MongoNetworkError',
      'MongoNetworkTimeoutError',
      'MongoNotConnectedError',
      'MongoOperationTimeoutError',
      'MongoServerClosedError',
      'MongoServerSelectionError',
      'MongoStalePrimaryError',
      'MongoSystemError',
      'MongoTopologyClosedError',
    ]);
  });

  it.each([
    6, 7, 18, 43, 89, 91, 133, 134, 189, 262, 9_001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436, 14_031,
  ])(
    'with the code %i are those of a server that cannot serve now, also as the cause of a bulk write',
    (code) => {
      const error = new mongo.MongoServerError({ message: 'not now', code });
      const bulk = new mongo.MongoClientBulkWriteError({
        message: 'Mongo client bulk write encountered an error',
      });
      bulk.cause = error;
      expect([error, bulk].map((each) => problemOf(each).status)).toEqual([503, 503]);
    },
  );

  it.each(['TransientTransactionError', 'RetryableWriteError', 'SystemOverloadedError'])(
    'with the label %s are those of a server that cannot serve now',
    (label) => expect(problemOf(labelled(label)).status).toBe(503),
  );

  it('about our own command are faults of ours', () => {
    for (const code of [2, 9, 11_000, 13, 66, 121, undefined])
      expect(isStoreError(new mongo.MongoServerError({ message: 'failed to parse', code }))).toBe(false);
  });
});

describe('errors of the Redis client', () => {
  test.each([
    'OOM command not allowed',
    'MISCONF Errors writing to the AOF file',
    'READONLY You can not write against a read only replica.',
    'LOADING Redis is loading the dataset in memory',
    'UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
    'NOAUTH Authentication required.',
    'WRONGPASS invalid username-password pair or user is disabled.',
    'ERR max number of clients reached',
  ])('of a Redis that refuses by its own state: %s', (message) =>
    expect(isStoreError(new ReplyError(message))).toBe(true),
  );

  test.each(['ERR syntax error', 'WRONGTYPE Operation against a key', 'NOSCRIPT No matching script'])(
    'about our own command: %s',
    (message) => expect(isStoreError(new ReplyError(message))).toBe(false),
  );

  it('of every class but that of answers are those of a store that is away', () => {
    const RedisError = Object.getPrototypeOf(ReplyError);
    expect(isStoreError(Object.setPrototypeOf(new Error('Protocol error'), RedisError.prototype))).toBe(true);
  });

  it('of one that cannot be reached, alone or a cluster, are those of a store that is away', async () => {
    // Nothing listens there.
    const port = 1;
    const options = { maxRetriesPerRequest: 0, enableOfflineQueue: false, commandTimeout: 1_000 };
    const single = new Redis({ port, ...options });
    const cluster = new Cluster([{ host: '127.0.0.1', port }], { enableOfflineQueue: false });
    for (const client of [single, cluster]) {
      client.on('error', () => undefined);
      for (let turn = 0; turn < 3; turn += 1)
        expect(await client.get('x').catch((error: unknown) => isStoreError(error))).toBe(true);
      client.disconnect();
      expect(await client.get('x').catch((error: unknown) => isStoreError(error))).toBe(true);
    }
  });
});

test.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN'])(
  'a socket that fails with %s is of a store that is away, also when all addresses of a name fail',
  (code) => expect(isStoreError(Object.assign(new AggregateError([]), { code }))).toBe(true),
);
