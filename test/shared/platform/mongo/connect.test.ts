import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findFreePort, isPortOpen } from '../../../../scripts/stack/ports.ts';
import { mongoServerCommand, planMongo } from '../../../../scripts/stack/stores.ts';
import { connectMongo } from '../../../../shared/platform/mongo/connect.ts';
import { until } from '../../../support/harness.ts';

test('an address that cannot be used is told in one line, by the name of its variable', async () => {
  await expect(connectMongo('mongodb://a:b@c@127.0.0.1/governor')).rejects.toThrow(/^MONGODB_URL: .*$/);
});

test('a MongoDB without a replica set is refused at the start', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'usage-governor-mongo-'));
  const port = await findFreePort();
  const command = await mongoServerCommand();
  const { file, args } = planMongo(command, { port, dir, fast: true });
  const set = args.indexOf('--replSet');
  const server = spawn(file, set === -1 ? [...args, '--standalone'] : args.toSpliced(set, 2));
  await until(() => isPortOpen(port));
  await expect(connectMongo(`mongodb://127.0.0.1:${port}/governor`)).rejects.toThrow('rs.initiate()');
  const ended = once(server, 'exit');
  server.kill();
  await ended;
  rmSync(dir, { recursive: true, force: true });
});
