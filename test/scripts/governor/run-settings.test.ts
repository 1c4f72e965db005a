import { join, resolve } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { environmentOf } from '../../../packages/stack/read-run.ts';
import { ensureSecrets } from '../../../packages/stack/secrets.ts';
import { publishLine, publishSettings, showPids, withdrawLine } from '../../../scripts/start/ready-line.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const MONGODB_URL = 'mongodb://127.0.0.1:9998/governor';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** Writes what a running scripts/up with these variables has written. */
function publish(env: Record<string, string>): void {
  publishSettings(folder, env);
  const addresses = { api: 'http://127.0.0.1:9000', mongo_url: MONGODB_URL, redis_url: 'redis://127.0.0.1' };
  publishLine(folder, { ...addresses, operator_token: '', pids: showPids(new Map()), orgs: [] });
}

test('a command uses the settings of the running service, unless it names its own', () => {
  const service = {
    BASE_URL: 'http://127.0.0.1:9000',
    OIDC_ISSUER: 'http://127.0.0.1:9999',
    OIDC_CLIENT_ID: 'governor',
    PLANS_FILE: 'my-plans.json',
    QUEUE_REDIS_URL: 'redis://127.0.0.1:9997',
  };
  publish({ ...service, OIDC_CLIENT_SECRET: 'none of its business', PORT: '9000', HOME: '/home/ada' });
  expect(environmentOf({}, folder)).toEqual({
    ...service,
    PLANS_FILE: resolve('my-plans.json'),
    MONGODB_URL,
    REDIS_URL: 'redis://127.0.0.1',
    LOG_LEVEL: 'warn',
    NODE_ENV: 'development',
    EXPORT_FOLDER: join(folder, 'exports'),
  });
  expect(environmentOf({ PLANS_FILE: 'other.json' }, folder)).toMatchObject({ PLANS_FILE: 'other.json' });
  withdrawLine(folder);
  expect(environmentOf({}, folder)).toEqual({ LOG_LEVEL: 'warn' });
});

test('a command uses the secrets that go with the database, whatever a .env has', () => {
  const { SIGNING_KEY_FILE: _, ...made } = ensureSecrets(folder);
  const file = { API_KEY_PEPPER: 'of the file', WEBHOOK_SECRET_KEYS: 'of the file' };
  publish({ ...made, OPERATOR_TOKEN: 'given to the service' });
  const own = { ...made, OPERATOR_TOKEN: 'given to the service' };
  expect(environmentOf(file, folder)).toMatchObject(own);
  expect(environmentOf({ ...file, MONGODB_URL }, folder)).toMatchObject(own);
  const other = { ...file, MONGODB_URL: 'mongodb://elsewhere/governor' };
  expect(environmentOf(other, folder)).toEqual({ LOG_LEVEL: 'warn', ...other });
});
