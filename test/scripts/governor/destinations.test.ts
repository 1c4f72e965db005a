import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { decryptSecret } from '../../../shared/core/events/webhooks/endpoints/encrypt-secret.ts';
import { dueRows } from '../../../shared/platform/due/model.ts';
import { destinationRows } from '../../../shared/wings/push/destinations/model.ts';
import { runDestination } from '../../../shared/wings/push/destinations/runs/run-destination.ts';
import { commandLine } from '../../support/command-line.ts';
import { filesIn, newFolder } from '../../support/destinations.ts';
import { fixture } from '../../support/fixture.ts';
import { until } from '../../support/harness.ts';

const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCY';
const folder = newFolder();
const env = { EXPORT_FOLDER: folder, EXPORT_S3_ENDPOINTS: 'https://eu.s3.example.com' };
const TO_FOLDER = ['--kind', 'folder', '--name', 'Finance', '--level', 'focus:csv'];
const TO_BUCKET = (
  '--name Lake --endpoint https://eu.s3.example.com --region eu-central-1 --bucket acme-finops --prefix governor ' +
  '--access-key-id AKIAIOSFODNN7EXAMPLE --level focus:parquet daily:csv --focus-version 1.3 --hour 5'
).split(' ');

const { api, orgId, env: settings, spend } = await fixture({ env });
const cli = commandLine(settings);
const { governor, failure } = cli;

/** Runs the destination once it is asked to, as a worker does, and returns what the command said that waits for it. */
async function whileRunning<T>(id: string, waiting: Promise<T>): Promise<T> {
  await until(async () => (await dueRows(api.ctx).countDocuments({ key: id, trigger: 'manual' })) === 1);
  await runDestination(api.ctx, id);
  return waiting;
}

test('destination run writes a folder, and test refuses one that is taken', async () => {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString();
  await spend({ ts: yesterday });
  const since = ['--since', yesterday.slice(0, 10)];
  const { id } = await governor('destination', 'add', orgId, ...TO_FOLDER, '--prefix', 'out', ...since);
  expect(await governor('destination', 'test', id)).toMatchObject({ ok: true });
  const second = await governor('destination', 'add', orgId, ...TO_FOLDER, '--prefix', 'out', '--paused');
  const taken = await failure('destination', 'test', second.id);
  expect(JSON.parse(taken.stdout)).toMatchObject({ ok: false, code: 'prefix_in_use' });

  const ran = await whileRunning(id, governor('destination', 'run', id, '--wait'));
  expect(ran).toMatchObject({ state: 'succeeded', trigger: 'manual', partitions_written: 1, rows: 2 });
  expect(Object.keys(await filesIn(join(folder, orgId, 'out'))).join()).toContain('manifest.json');
  expect(await governor('destination', 'runs', id, '--limit', '1')).toEqual({ runs: [ran] });
  // An organization has five at most.
  await governor('destination', 'remove', id);
});

test('destination run --wait exits 1 when the run fails, and says why', async () => {
  const first = await governor('destination', 'add', orgId, ...TO_FOLDER, '--prefix', 'taken');
  await governor('destination', 'test', first.id);
  const { id } = await governor('destination', 'add', orgId, ...TO_FOLDER, '--prefix', 'taken');
  const ran = await whileRunning(id, failure('destination', 'run', id, '--wait'));
  expect(JSON.parse(ran.stdout)).toMatchObject({ state: 'failed', code: 'prefix_in_use' });
});

test('destination add takes the secret of a bucket from a file or from stdin, and shows it nowhere', async () => {
  const file = join(newFolder(), 'secret');
  writeFileSync(file, `${SECRET}\n`);
  const { stdout } = await cli.run('destination', 'add', orgId, ...TO_BUCKET, '--secret-file', file);
  expect(stdout).not.toContain(SECRET);
  const piped = promisify(execFile)(
    process.execPath,
    ['scripts/governor.ts', '--json', 'destination', 'add', orgId, ...TO_BUCKET, '--virtual-host'],
    { env: { PATH: process.env.PATH, ...settings } },
  );
  piped.child.stdin?.end(`${SECRET}\n`);
  const shown = JSON.parse((await piped).stdout);
  const focus = { level: 'focus', format: 'parquet', focus_version: '1.3', billed: 'computed' };
  const levels = [focus, { level: 'daily', format: 'csv' }];
  expect(shown).toMatchObject({ path_style: false, hour_utc: 5, levels });
  const rows = await destinationRows(api.ctx).find({ org_id: orgId, kind: 's3' }).toArray();
  const secrets = rows.map(({ _id, secret }) => decryptSecret(api.ctx.config, _id, secret ?? ''));
  expect(secrets).toEqual([SECRET, SECRET]);
});
