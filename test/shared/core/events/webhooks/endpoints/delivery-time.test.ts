import { describe, expect, it } from 'vitest';
import { deliveryTime } from '../../../../../../shared/core/events/webhooks/endpoints/delivery-time.ts';
import type { EventType } from '../../../../../../shared/platform/basics/contract.ts';

const NIGHT = { from: '22:00', to: '07:00', timezone: 'Europe/Berlin' };
const LUNCH = { from: '12:00', to: '13:30', timezone: 'Asia/Kathmandu' };

function dueAt(now: string, settings: Parameters<typeof deliveryTime>[1], type: EventType = 'session.ended') {
  const { dueMs, isCollected } = deliveryTime(type, settings, Date.parse(now));
  return [new Date(dueMs).toISOString(), isCollected];
}

describe('quiet hours', () => {
  it.each([
    ['over midnight', NIGHT, '2026-01-15T20:59:59Z', '2026-01-15T20:59:59.000Z'],
    ['over midnight', NIGHT, '2026-01-15T21:00:00Z', '2026-01-16T06:00:00.000Z'],
    ['over midnight', NIGHT, '2026-01-16T02:00:00Z', '2026-01-16T06:00:00.000Z'],
    ['over midnight', NIGHT, '2026-01-16T06:00:00Z', '2026-01-16T06:00:00.000Z'],
    // The clock is put forward on 29 March, so that 07:00 is an hour earlier in UTC.
    ['over midnight', NIGHT, '2026-03-28T22:00:00Z', '2026-03-29T05:00:00.000Z'],
    ['over midnight', NIGHT, '2026-10-24T21:00:00Z', '2026-10-25T06:00:00.000Z'],
    ['within a day', LUNCH, '2026-01-15T06:14:00Z', '2026-01-15T06:14:00.000Z'],
    ['within a day', LUNCH, '2026-01-15T06:15:00Z', '2026-01-15T07:45:00.000Z'],
    ['within a day', LUNCH, '2026-01-15T07:45:00Z', '2026-01-15T07:45:00.000Z'],
  ] as const)('%s (%j): what is raised at %s is due at %s', (_, quiet_hours, now, due) => {
    expect(dueAt(now, { quiet_hours, digest: 'none' })).toEqual([due, false]);
  });

  it.each(['budget.exceeded', 'credit.depleted'] as const)('do not delay %s', (type) => {
    const now = '2026-01-15T23:00:00.000Z';
    expect(dueAt(now, { quiet_hours: NIGHT, digest: 'none' }, type)).toEqual([now, false]);
    expect(dueAt(now, { quiet_hours: NIGHT, digest: 'weekly' }, type)).toEqual([now, false]);
  });
});

describe('a digest', () => {
  it.each([
    ['daily', '2026-01-15T07:59:59Z', '2026-01-15T08:00:00.000Z'],
    ['daily', '2026-01-15T08:00:00Z', '2026-01-16T08:00:00.000Z'],
    ['weekly', '2026-01-15T08:00:00Z', '2026-01-19T08:00:00.000Z'],
    ['weekly', '2026-01-19T07:00:00Z', '2026-01-19T08:00:00.000Z'],
    ['weekly', '2026-01-19T08:00:00Z', '2026-01-26T08:00:00.000Z'],
  ] as const)('that is %s collects what is raised at %s until %s', (digest, now, due) => {
    expect(dueAt(now, { quiet_hours: null, digest })).toEqual([due, true]);
  });

  it('is at 8 in the timezone of the quiet hours, and is delayed by them itself', () => {
    expect(dueAt('2026-01-15T09:00:00Z', { quiet_hours: NIGHT, digest: 'daily' })).toEqual([
      '2026-01-16T07:00:00.000Z',
      true,
    ]);
    const late = { quiet_hours: { ...NIGHT, to: '09:00' }, digest: 'daily' } as const;
    expect(dueAt('2026-01-16T07:00:00Z', late, 'digest')).toEqual(['2026-01-16T08:00:00.000Z', false]);
  });
});
