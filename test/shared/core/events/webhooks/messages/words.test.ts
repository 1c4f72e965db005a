import { describe, expect, it } from 'vitest';
import { messageOf } from '../../../../../../shared/core/events/webhooks/messages/describe-event.ts';
import { previewMessage } from '../../../../../../shared/core/events/webhooks/messages/preview.ts';
import {
  sayAmount,
  sayMoney,
  sayPart,
  sayShare,
} from '../../../../../../shared/core/events/webhooks/messages/say.ts';
import { EVENT_TYPES } from '../../../../../../shared/platform/basics/contract.ts';
import { sayMoment } from '../../../../../../shared/platform/basics/say-moment.ts';
import { envelopeOf, wordsWith } from '../../../../../support/channels/envelopes.ts';

describe('words', () => {
  it('name amounts, people, the cause and times as people do', () => {
    const words = { ...wordsWith('run_tests'), names: { ada: 'Tomás' } };
    const { facts, at } = messageOf(envelopeOf('budget.exceeded'), words);
    expect(facts).toEqual([
      ['Used', '$512.50 of $500.00 this month (102.5 %)'],
      ['Cause', '70 % by one session of Tomás: 90 calls of run_tests'],
      ['Team', 'research'],
    ]);
    expect(at).toBe('15 Jan, 10:30 CET');
  });

  it('name nobody to a reader who may not see people', () => {
    const words = { ...wordsWith('run_tests'), names: { ada: 'Tomás' } };
    const reader = { seesPeople: false };
    const { facts } = messageOf(envelopeOf('budget.exceeded'), words, reader);
    expect(facts).toContainEqual(['Cause', '70 % by one session: 90 calls of run_tests']);
    const ofPerson = { ...words, cause: { share_pct: 62, user_id: 'ada' } };
    const envelope = envelopeOf('budget.exceeded', { scope: 'user', scope_id: 'ada' });
    const told = messageOf(envelope, ofPerson, reader);
    expect(JSON.stringify(told)).not.toMatch(/Tomás|ada/);
  });

  it('are the figures of each kind of anomaly, those of one session together', () => {
    const kinds = [
      { anomaly_type: 'token_spike', observed: 999, baseline_avg: 50 },
      { anomaly_type: 'cost_spike', observed: 9.99, baseline_avg: 0.5 },
      { anomaly_type: 'error_spike', observed: 0.4, baseline_avg: 0.05 },
      { anomaly_type: 'runaway_session', observed: 6_000_000, baseline_avg: 5_000_000 },
      { anomaly_type: 'token_spike', observed: 2_000, baseline_avg: 50 },
    ];
    const events = kinds.map((figures) =>
      envelopeOf('anomaly.detected', { session_id: 'ses_1', ...figures }),
    );
    const own = { timezone: 'UTC', metric: 'tokens' };
    const words = { timezone: 'UTC', events: events.map(() => own) };
    const { title, facts } = messageOf(envelopeOf('digest', { about: 'anomalies', events }), words);
    expect([title, ...facts]).toEqual([
      'Unusual usage of “ada”',
      ['Tokens', '2,000 tokens, usually 50'],
      ['Cost', '$9.99, usually $0.50'],
      ['Errors', '40 % of the calls failed, usually 5 %'],
      ['Runaway', '6,000,000 tokens within an hour, limit 5,000,000'],
    ]);
  });

  it.each([
    ['Europe/Berlin', '1 Dec, 09:00 CET'],
    ['America/New_York', '1 Dec, 03:00 EST'],
    ['Asia/Kolkata', '1 Dec, 13:30 GMT+5:30'],
    ['UTC', '1 Dec, 08:00 UTC'],
  ])('say a moment in %s as %s', (timezone, words) => {
    expect(sayMoment('2026-12-01T08:00:00.000Z', timezone)).toBe(words);
  });

  it('say money as exactly as its size needs', () => {
    const amounts = [0, 64.8223, 1_234_567.891, 0.25, 0.0125, 0.000001234];
    const said = '$0.00 $64.82 $1,234,567.89 $0.25 $0.0125 $0.000001234';
    expect(amounts.map(sayMoney).join(' ')).toBe(said);
    expect(sayPart('tokens_in', 412, 500)).toBe('412 of 500 input tokens');
    expect(sayAmount('signals', 999)).toBe('999 calls');
    expect(sayAmount('tokens', 978_988.2333)).toBe('978,988 tokens');
    expect([sayShare(6.48223), sayShare(2_868)]).toEqual(['648.2 %', 'more than 999 %']);
  });

  it('of a preview are those that a message has, for each type', () => {
    for (const type of EVENT_TYPES) {
      const asked = { format: 'slack', type, orgId: 'org_1', timezone: 'UTC', nowMs: 0 } as const;
      const { message, body } = previewMessage(asked);
      expect(message.link?.url, type).toMatch(/^https:\/\/governor\.example\.com\/dashboard\//);
      expect(JSON.parse(body).blocks[0].text.text).toBe(message.title);
      expect(JSON.stringify(message), type).not.toMatch(/\bada\b|\d\d\d\dZ/);
    }
  });
});
