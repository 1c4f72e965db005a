import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import type { Words } from '../../../../../../shared/core/events/record/new-event.ts';
import { messageOf } from '../../../../../../shared/core/events/webhooks/messages/describe-event.ts';
import type { Envelope } from '../../../../../../shared/core/events/webhooks/messages/message.ts';
import { previewMessage } from '../../../../../../shared/core/events/webhooks/messages/preview.ts';
import { render } from '../../../../../../shared/core/events/webhooks/messages/render.ts';
import {
  sayAmount,
  sayMoney,
  sayPart,
  sayShare,
} from '../../../../../../shared/core/events/webhooks/messages/say.ts';
import { EVENT_TYPES, WEBHOOK_FORMATS } from '../../../../../../shared/platform/basics/contract.ts';
import { sayMoment } from '../../../../../../shared/platform/basics/say-moment.ts';
import { envelopeOf, HOSTILE } from '../../../../../support/channels/envelopes.ts';
import { DISCORD, SLACK, TEAMS } from '../../../../../support/channels/schemas.ts';

const LINK = 'https://governor.example.com/dashboard/budgets/bud_1?a=1&b=(2)';
const SCHEMAS = { slack: SLACK, teams: TEAMS, discord: DISCORD } as const;
const CHANNELS = WEBHOOK_FORMATS.filter((format) => format !== 'json');

/** Words in which everything that has a name is called `text`. */
function wordsWith(text: string): Words {
  return {
    timezone: 'Europe/Berlin',
    names: { ada: text, bob: text, research: text },
    link: LINK,
    metric: 'cost_usd',
    period: 'this month',
    cause: { share_pct: 70, user_id: 'ada', session: { calls: 90, tool: text } },
    session: { project_id: text, started_at: '2026-01-15T09:30:00.000Z' },
  };
}

const anomaly = (session_id: string, extra: object = {}) =>
  envelopeOf('anomaly.detected', { session_id, ...extra });

/** Anomalies of so many sessions as one message. */
function anomaliesOf(sessions: number, words: Words): [Envelope, Words] {
  const events = Array.from({ length: sessions }, (_, at) => anomaly(`ses_${at}`));
  return [
    envelopeOf('digest', { about: 'anomalies', events }),
    { ...words, events: events.map(() => words) },
  ];
}

/** One event of each type, and anomalies of several sessions. */
function all(words: Words): [Envelope, Words][] {
  return [...EVENT_TYPES.map((type): [Envelope, Words] => [envelopeOf(type), words]), anomaliesOf(25, words)];
}

function rendered(format: (typeof CHANNELS)[number], [envelope, words]: [Envelope, Words]) {
  return render(format, JSON.stringify(envelope), JSON.stringify(words));
}

describe.each(CHANNELS)('a message of the format %s', (format) => {
  it.each(HOSTILE)('has one link, which is ours, whatever people and tools are called: %#', (name) => {
    for (const [envelope, words] of all(wordsWith(name))) {
      const { headers, body } = rendered(format, [envelope, words]);
      const link = typeof envelope.data.link === 'string' ? envelope.data.link : LINK;
      for (const value of Object.values(headers)) expect(value).not.toMatch(/[\r\n]/);
      if (format === 'ntfy') expect(headers.click).toBe(link);
      if (format === 'ntfy' || format === 'email') {
        expect(body).toContain(`: ${link}`);
        expect(body.replace(link, '')).not.toContain('://');
        continue;
      }
      const message = JSON.parse(body);
      const accepts = new Ajv({ allErrors: true, strict: false, validateFormats: false }).compile(
        SCHEMAS[format],
      );
      expect(accepts(message), JSON.stringify(accepts.errors)).toBe(true);
      expectOneLink(format, message, link);
    }
  });
});

/** `message` is parsed JSON that the schema of its vendor has taken. */
function expectOneLink(
  format: keyof typeof SCHEMAS,
  message: ReturnType<typeof JSON.parse>,
  link: string,
): void {
  if (format === 'slack') {
    const marked = JSON.stringify(message).match(/"mrkdwn","text":"[^"]*"/g);
    const url = /^"mrkdwn","text":"<(.+)\|[A-Za-z ]+>"$/.exec(marked?.[0] ?? '')?.[1];
    expect([marked?.length, url?.replaceAll('&amp;', '&')]).toEqual([1, link]);
  }
  if (format === 'teams') {
    const actions: { url: string }[] = message.attachments[0].content.actions;
    expect(actions.map(({ url }) => url)).toEqual([link]);
  }
  if (format === 'discord') {
    const [{ url, title, fields }] = message.embeds;
    const texts: { name: string; value: string }[] = fields.slice(0, -1);
    const { value } = fields.at(-1);
    expect(url).toBe(link);
    expect(value).toMatch(/^\[[A-Za-z ]+\]\(https:/);
    expect(value.endsWith(`](${link.replace('(2)', '%282%29')})`)).toBe(true);
    for (const text of [title, ...texts.flatMap((field) => [field.name, field.value])])
      expect(text.replaceAll(/\\[^A-Za-z0-9\s]/g, '')).not.toMatch(/[\\*_~`|<>#@[\]]/);
  }
}

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
    const told = messageOf(
      envelopeOf('budget.exceeded', { scope: 'user', scope_id: 'ada' }),
      ofPerson,
      reader,
    );
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
    const events = kinds.map((figures) => anomaly('ses_1', figures));
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
    expect(amounts.map(sayMoney)).toEqual([
      '$0.00',
      '$64.82',
      '$1,234,567.89',
      '$0.25',
      '$0.0125',
      '$0.000001234',
    ]);
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
