import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { renderTable } from '../../../packages/governor/src/output/table.ts';

const ROWS = [
  { key_id: 'key_1', name: 'ci', used: new Date('2026-11-24T04:05:33.123Z'), calls: 7, scopes: ['a', 'b'] },
  { key_id: 'key_22', name: '日本語', used: null, calls: 1_234, scopes: [] },
];

test('shows no index and no quotes, times to the minute, numbers on the right', () => {
  expect(renderTable(ROWS, null).split('\n')).toEqual([
    'key_id  name    used               calls  scopes',
    'key_1   ci      2026-11-24 04:05Z      7  a b',
    'key_22  日本語  -                   1234  -',
  ]);
});

test('cuts the widest columns to the width that there is', () => {
  const rows = [
    { id: 'x', note: 'a'.repeat(200) },
    { id: 'y', note: '語'.repeat(100) },
  ];
  const lines = renderTable(rows, 40).split('\n');
  expect(lines[1]).toMatch(/^x {2,}a+…$/);
  expect(lines[2]).toMatch(/^y {2,}語+…$/);
  for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(40);
  expect(renderTable(rows, null)).toContain('a'.repeat(200));
});

test('never cuts an id: it leaves out the last columns instead, and says how many', () => {
  const key_id = '0Ftyx1jU17fa0Ftyx1jU17fa';
  const row = {
    key_id,
    name: 'n'.repeat(30),
    scopes: 's'.repeat(40),
    user_id: 'usr_55bBAtQ9x2mK',
    last_use: 'l'.repeat(20),
  };
  const lines = renderTable([row], 60).split('\n');
  expect(lines[1]).toContain(key_id);
  expect(lines[1]).toContain('usr_55bBAtQ9x2mK');
  expect(lines[2]).toBe('2 more columns: --wide');
  for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(60);
  expect(renderTable([row], 10)).toContain(key_id);
  expect(renderTable([row], null)).not.toContain('--wide');
});

test('shows what a terminal would obey, and what would turn the text round', () => {
  const table = renderTable([{ name: '\u001b[2Jevil\u202Eexe.txt\n' }], null);
  expect(table.split('\n')).toEqual(['name', '\\u001b[2Jevil\\u202eexe.txt\\u000a']);
});

test('never cuts a character in two', () => {
  const family = '👩‍👩‍👧‍👦';
  const lines = renderTable([{ name: family.repeat(20) }], 9).split('\n');
  expect(lines[1]).toBe(`${family.repeat(4)}…`);
});
