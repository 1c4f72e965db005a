import { describe, expect, test } from 'vitest';
import { addRow, type ReplayedRow } from '../../../../shared/core/credits/ledger/replay.ts';
import {
  type AccountState,
  decodeState,
  emptyState,
  stateFields,
  storedBalances,
} from '../../../../shared/core/credits/meter/account-state.ts';

function replay(rows: readonly Omit<ReplayedRow, 'seq' | 'created_at'>[]): AccountState {
  const state = emptyState();
  for (const [index, row] of rows.entries()) addRow(state, { ...row, seq: index + 1, created_at: 1 });
  return state;
}

/** As Redis holds it. */
function stored(state: AccountState): AccountState | null {
  return decodeState(stateFields(state).filter((_, index) => index % 2 === 1));
}

const granted = { bucket: 'granted', reason: 'credit.grant' } as const;
const soon: [string, number] = ['lot_soon', 1_000];
const never: [string, number] = ['lot_never', 0];

describe('a repair', () => {
  test('that takes credits takes them from the lots of its bucket that are spent next', () => {
    const state = replay([
      { bucket: 'paid', delta: 2, reason: 'credit.purchase', lot: ['lot_paid', 1_000] },
      { ...granted, delta: 5, lot: never },
      { ...granted, delta: 3, lot: soon },
      { bucket: 'granted', delta: -4, reason: 'credit.adjust' },
    ]);
    expect(stored(state)?.lots).toMatchObject([
      { bucket: 'paid', left: 2 },
      { bucket: 'granted', left: 4, expiresMs: 0, id: 'lot_never' },
    ]);
  });

  test('of what was spent from a lot that no row made adds up, in whichever order', () => {
    const spent = { ...granted, delta: -1, reason: 'receipt', lot: ['lot_spoilt', 0] } as ReplayedRow;
    const repair = { ...granted, delta: 4, reason: 'credit.adjust' } as const;
    for (const rows of [
      [spent, repair],
      [repair, spent],
    ]) {
      const state = replay(rows);
      expect(stored(state)?.lots).toMatchObject([{ bucket: 'granted', left: 3 }]);
    }
  });
});

test('a ledger that adds up to less than nothing is an empty account, and what comes later pays its debt', () => {
  const window = { bucket: 'window', reason: 'credit.adjust' } as const;
  const rows = [
    { ...window, delta: 2, reason: 'window.reset', period: [1, 2, 2] } as ReplayedRow,
    { ...window, delta: -5 },
    { ...granted, delta: -2 },
  ];
  const owing = stored(replay(rows));
  expect(owing?.window).toEqual({ startMs: 1, endMs: 2, limit: 2, left: 0 });
  expect(owing?.lots).toEqual([]);
  const later = replay([...rows, { ...window, delta: 4 }, { ...granted, delta: 3, lot: never }]);
  expect(storedBalances(later)).toMatchObject({ window: 1, granted: 1 });
});
