import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../../packages/stack/files.ts';
import { parseUpOptions } from '../../../scripts/start/options.ts';

test('starts on 8080 with .data in the repository and with demo traffic unless told otherwise', () => {
  const usual = {
    port: 8080,
    dataDir: join(ROOT, '.data'),
    empty: false,
    timeScale: null,
    json: false,
    mongodFace: false,
  };
  expect(parseUpOptions([], {})).toEqual(usual);
});

test('takes every option', () => {
  const args = '--port 9000 --data here --empty --time-scale 100 --mongod-face --json'.split(' ');
  const taken = { port: 9000, dataDir: 'here', empty: true, timeScale: '100', json: true, mongodFace: true };
  expect(parseUpOptions(args, { NODE_ENV: 'development' })).toEqual(taken);
});

test('refuses to shorten waits in production', () => {
  expect(() => parseUpOptions(['--time-scale', '10'], { NODE_ENV: 'production' })).toThrow(/refused/);
});

test.each(['0', '65536', 'x', '80.5', '-1', ''])('refuses --port=%s', (text) => {
  expect(() => parseUpOptions([`--port=${text}`], {})).toThrow(/is not a port/);
});

test.each(['0', '0.5', 'x', 'Infinity', '-3', ''])('refuses --time-scale=%s', (text) => {
  expect(() => parseUpOptions([`--time-scale=${text}`], {})).toThrow(/is not a factor/);
});

test('refuses an option that it does not know', () => {
  expect(() => parseUpOptions(['--fast'], {})).toThrow(/--fast/);
});
