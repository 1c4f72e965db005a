import { Ajv, type Schema } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../../../../../shared/core/events/webhooks/messages/message.ts';
import { render } from '../../../../../../shared/core/events/webhooks/messages/render.ts';
import type { WebhookFormat } from '../../../../../../shared/platform/basics/contract.ts';
import { envelopeOf, envelopesWith, HOSTILE } from '../../../../../support/channels/envelopes.ts';
import { DISCORD, SLACK, TEAMS } from '../../../../../support/channels/schemas.ts';

const LONG = ['😀'.repeat(5_000), '&'.repeat(5_000), '`'.repeat(5_000)];
const TEXTS = ['plain', '', ...LONG, ...HOSTILE];

function messageFor(format: WebhookFormat, envelope: Envelope) {
  return JSON.parse(render(format, JSON.stringify(envelope)).body);
}

function compile(schema: Schema) {
  const ajv = new Ajv({ allErrors: true });
  formats.default(ajv);
  return ajv.compile(schema);
}

/** Every text in a message, at whatever depth, by the path of its fields. */
function textsOf(part: unknown, path = ''): [path: string, text: string][] {
  if (typeof part === 'string') return [[path, part]];
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) => textsOf(value, `${path}/${name}`));
}

describe.each([
  ['slack', SLACK],
  ['teams', TEAMS],
  ['discord', DISCORD],
] as const)('a message of the format %s', (format, schema) => {
  const accepts = compile(schema);

  it.each(TEXTS)('is taken by the schema of its vendor: text %#', (text) => {
    for (const envelope of envelopesWith(text)) {
      const message = messageFor(format, envelope);
      expect(accepts(message), JSON.stringify(accepts.errors)).toBe(true);
      for (const [path, each] of textsOf(message)) {
        expect(each.isWellFormed(), path).toBe(true);
        // Only what we write ourselves breaks a line, and nothing turns the direction of the text.
        expect(each.replaceAll('\n', ''), path).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }
    }
  });

  it('is not taken when it says nothing or too much, so that the schema can fail', () => {
    expect(accepts({})).toBe(false);
    const message = messageFor(format, envelopeOf('budget.exceeded'));
    expect(accepts({ ...message, unknown: 1 })).toBe(false);
  });
});

describe.each(['slack', 'ntfy', 'email'] as const)('a text of the format %s', (format) => {
  it.each(['https://evil.example/a', 'www.evil.example', 'evil.example', 'mailto:a@evil.example'])(
    'makes no link of a name that reads %s',
    (name) => {
      const envelope = envelopeOf('budget.exceeded', { budget_name: name });
      const { body } = render(format, JSON.stringify(envelope));
      const text: string = format === 'slack' ? JSON.parse(body).text : body;
      expect(text.replaceAll('\u200b', '')).toContain(name);
      expect(text).not.toMatch(/:\/\/|www\.e|evil\.example|mailto:a/);
    },
  );
});

describe.each(['slack', 'teams', 'discord', 'ntfy', 'email'] as const)('the format %s', (format) => {
  it.each(['budget.raise_requested', 'budget.raise_answered'] as const)(
    'leaves our own link of %s whole, beside a name that is none',
    (type) => {
      const link = 'https://governor.example/dashboard/raises/rse_a1_b2';
      const envelope = envelopeOf(type, { link, user_id: 'https://evil.example/a' });
      const { body } = render(format, JSON.stringify(envelope));
      expect(body).toContain(link);
      if (format === 'ntfy' || format === 'email') expect(body).not.toContain('https://evil');
    },
  );
});

describe('a Teams card', () => {
  it('fits into the 28 KB that Teams takes', () => {
    for (const envelope of LONG.flatMap(envelopesWith)) {
      const { body } = render('teams', JSON.stringify(envelope));
      expect(Buffer.byteLength(body)).toBeLessThan(28 * 1_024);
    }
  });

  it.each(HOSTILE)('holds a hostile name in text runs, and calls no function: %#', (text) => {
    for (const envelope of envelopesWith(text)) {
      const [{ content }] = messageFor('teams', envelope).attachments;
      const types = JSON.stringify(content).match(/"type":"(\w+)"/g);
      expect(new Set(types)).toEqual(
        new Set(['"type":"AdaptiveCard"', '"type":"RichTextBlock"', '"type":"TextRun"']),
      );
      expect(JSON.stringify(content)).not.toContain('{{');
    }
  });
});

describe('a Discord embed', () => {
  it('holds at most 6,000 characters', () => {
    for (const envelope of [...LONG, ...HOSTILE].flatMap(envelopesWith)) {
      const [{ title, fields }] = messageFor('discord', envelope).embeds;
      const all = [title, ...fields.flatMap(({ name, value }: Record<string, string>) => [name, value])];
      expect(all.join('').length).toBeLessThanOrEqual(6_000);
    }
  });

  it.each(HOSTILE)('mentions nobody, and escapes every sign of its markup: %#', (text) => {
    for (const envelope of envelopesWith(text)) {
      const { allowed_mentions, embeds } = messageFor('discord', envelope);
      expect(allowed_mentions).toEqual({ parse: [] });
      const [{ title, fields }] = embeds;
      for (const [path, each] of textsOf([title, fields]))
        expect(each.replaceAll(/\\[^A-Za-z0-9\s]/g, ''), path).not.toMatch(/[\\*_~`|<>#@[\]]/);
    }
  });
});

describe('a message of ntfy', () => {
  it.each(TEXTS)('is at most 4,096 bytes of plain text, with headers of ours alone: %#', (text) => {
    for (const envelope of envelopesWith(text)) {
      const { headers, body } = render('ntfy', JSON.stringify(envelope));
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(4_096);
      expect(body).not.toContain('\ufffd');
      expect(headers).toEqual({
        'content-type': 'text/plain; charset=utf-8',
        title: envelope.type,
        priority: expect.stringMatching(/^[235]$/),
      });
    }
  });

  it('says what happened, a line for each fact', () => {
    const { body } = render('ntfy', JSON.stringify(envelopeOf('budget.threshold')));
    expect(body).toBe(
      'Budget “Research, per month” has reached 50 %\nUsed: $512.50 of $500.00 this month (102.5 %)\nTeam: research',
    );
  });
});

describe('a digest', () => {
  it('names its first events and counts the others', () => {
    const events = Array.from({ length: 12 }, () => envelopeOf('budget.exceeded'));
    const { body } = render('ntfy', JSON.stringify(envelopeOf('digest', { events })));
    const lines = body.split('\n');
    expect(lines[0]).toBe('Digest: 12 events');
    expect(lines[1]).toBe('15 Jan, 09:30 UTC: Budget “Research, per month” is exceeded');
    expect(lines.at(-1)).toBe('And: 3 more');
  });
});

it('the format json sends the envelope byte for byte', () => {
  const body = '{ "id": "evt_1",  "data": {} }';
  expect(render('json', body)).toEqual({ headers: { 'content-type': 'application/json' }, body });
});
