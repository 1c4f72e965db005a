import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Config } from '../../../../../shared/platform/basics/config.ts';
import type { PartitionTable } from '../../../../../shared/wings/push/destinations/runs/partition-table.ts';
import { openSpool, spool } from '../../../../../shared/wings/push/destinations/runs/spool.ts';
import { newFolder } from '../../../../support/destinations.ts';

const HOUR_MS = 3_600_000;
const ROWS = 2_501;

/** A table of as many rows as the sum of its money says, a nanodollar each. */
function table(): PartitionTable {
  async function* rows() {
    for (let at = 0; at < ROWS; at += 500)
      yield Array.from({ length: Math.min(500, ROWS - at) }, (_, index) => [`row ${at + index}`, 1n]);
  }
  const columns = [
    { name: 'name', type: 'text' },
    { name: 'cost', type: 'money' },
  ] as const;
  return { columns, rows: rows() };
}

test('a long table is divided into files, each with a header, which have all rows once and in order', async () => {
  const folder = newFolder();
  const { parts, rows, sums } = await spool(folder, 'csv', table(), 1_000);
  expect(parts.map((part) => [part.name.slice(0, 9), part.rows])).toEqual([
    ['part-000-', 1_000],
    ['part-001-', 1_000],
    ['part-002-', 501],
  ]);
  expect([rows, sums.get('cost')]).toEqual([ROWS, BigInt(ROWS)]);
  const lines = [];
  for (const { path } of parts) {
    const [header, ...others] = (await readFile(path, 'utf8')).split('\r\n').slice(0, -1);
    expect(header).toBe('name,cost');
    lines.push(...others);
  }
  expect(lines).toEqual(Array.from({ length: ROWS }, (_, at) => `row ${at},0.000000001`));
  const again = await spool(newFolder(), 'csv', table(), 1_000);
  expect(again.parts.map(({ name }) => name)).toEqual(parts.map(({ name }) => name));
});

test('a full disk is said to be full', async () => {
  const folder = newFolder();
  await symlink('/dev/full', join(folder, 'part'));
  await expect(spool(folder, 'csv', table())).rejects.toMatchObject({ code: 'spool_full' });
});

test('a folder that a dead worker left goes after a day, one of another destination stays', async () => {
  const exportSpoolDir = newFolder();
  const nowMs = Date.now();
  const left = async (name: string, ageMs: number) => {
    const path = join(exportSpoolDir, `governor-export-${name}`);
    await mkdir(path);
    await utimes(path, (nowMs - ageMs) / 1_000, (nowMs - ageMs) / 1_000);
    return path;
  };
  const old = await left('dst_a-old', 25 * HOUR_MS);
  const young = await left('dst_a-young', 23 * HOUR_MS);
  const foreign = await left('dst_b-old', 25 * HOUR_MS);
  const { folder, remove } = await openSpool({ exportSpoolDir } as Config, 'dst_a', nowMs);
  expect([old, young, foreign, folder].map((path) => existsSync(path))).toEqual([false, true, true, true]);
  await remove();
  expect(existsSync(folder)).toBe(false);
});
