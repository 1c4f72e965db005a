import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import type { Words } from '../../../../../../shared/core/events/record/new-event.ts';
import type { Envelope } from '../../../../../../shared/core/events/webhooks/messages/message.ts';
import { render } from '../../../../../../shared/core/events/webhooks/messages/render.ts';
import { EVENT_TYPES, type WebhookFormat } from '../../../../../../shared/platform/basics/contract.ts';
import { envelopeOf, envelopesWith, HOSTILE, wordsWith } from '../../../../../support/channels/envelopes.ts';
import { DISCORD, SLACK, TEAMS } from '../../../../../support/channels/schemas.ts';

const LONG = ['😀'.repeat(5_000), '&'.repeat(5_000), '`'.repeat(5_000)];
const TEXTS = ['plain', '', ...LONG, ...HOSTILE];

/** An event, and the words that were kept beside it, if there are any. */
type Told = readonly [envelope: Envelope, words?: Words];

/** Every event with this text in each place for a name: without words in its data, and with words in these. */
function toldOf(text: string): Told[] {
  const words = wordsWith(text);
  const events = Array.from({ length: 25 }, (_, at) =>
    envelopeOf('anomaly.detected', { session_id: `ses_${at}` }),
  );
  return [
    ...envelopesWith(text).map((envelope) => [envelope] as const),
    ...EVENT_TYPES.map((type) => [envelopeOf(type), words] as const),
    [envelopeOf('digest', { about: 'anomalies', events }), { ...words, events: events.map(() => words) }],
  ];
}

const show = (format: WebhookFormat, [envelope, words = {}]: Told) =>
  render(format, JSON.stringify(envelope), JSON.stringify(words));
/** The link that a message must have, in a list; none without words. */
const linksOf = ([{ data }, words]: Told) => (words ? [(data.link ?? words.link) as string] : []);
const parsed = (format: WebhookFormat, told: Told) => JSON.parse(show(format, told).body);

/** Every text in a message, at whatever depth, by the path of its fields. */
function textsOf(part: unknown, path = ''): [path: string, text: string][] {
  if (typeof part === 'string') return [[path, part]];
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) => textsOf(value, `${path}/${name}`));
}

type Parsed = ReturnType<typeof JSON.parse>;

/** In blocks Slack reads markup in `mrkdwn` alone, and nothing but a link is there; it reads the text of notifications. */
function expectSafeSlack({ text, blocks }: Parsed, links: string[]): void {
  expect(text.replaceAll(/&(amp|lt|gt);/g, '')).not.toMatch(/[<>&]/);
  const marked = JSON.stringify(blocks).split('mrkdwn').slice(1);
  const urls = marked.map((rest) => /^","text":"<([^"]+)\|[A-Za-z ]+>"/.exec(rest)?.[1]);
  expect(urls.map((url) => url?.replaceAll('&amp;', '&'))).toEqual(links);
}

/** Names are in text runs, in which a card reads no markup, and no function is called. It fits into the 28 KB that Teams takes. */
function expectSafeTeams(message: Parsed, links: string[]): void {
  const { actions = [], ...card } = message.attachments[0].content;
  expect(actions.map(({ url }: { url: string }) => url)).toEqual(links);
  const types = new Set(JSON.stringify(card).match(/"type":"(\w+)"/g));
  expect(types).toEqual(new Set(['"type":"AdaptiveCard"', '"type":"RichTextBlock"', '"type":"TextRun"']));
  expect(JSON.stringify(message)).not.toContain('{{');
  expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(28 * 1_024);
}

/** Nobody is mentioned, and every sign of the markup is escaped but those of our link. All texts have at most 6,000 characters. */
function expectSafeDiscord(
  { allowed_mentions, embeds: [{ url, title, fields }] }: Parsed,
  links: string[],
): void {
  expect([allowed_mentions, url]).toEqual([{ parse: [] }, links[0]]);
  const all = textsOf([title, fields]).map(([, text]) => text);
  expect(all.join('').length).toBeLessThanOrEqual(6_000);
  const linking = fields.splice(fields.length - links.length);
  const urls = linking.map(({ value }: { value: string }) => /^\[[A-Za-z ]+\]\((.+)\)$/.exec(value)?.[1]);
  expect(urls).toEqual(links.map((link) => link.replace('(2)', '%282%29')));
  for (const [path, text] of textsOf([title, fields]))
    expect(text.replaceAll(/\\[^A-Za-z0-9\s]/g, ''), path).not.toMatch(/[\\*_~`|<>#@[\]]/);
}

describe.each([
  ['slack', SLACK, expectSafeSlack],
  ['teams', TEAMS, expectSafeTeams],
  ['discord', DISCORD, expectSafeDiscord],
] as const)('a message of the format %s', (format, schema, expectSafe) => {
  const accepts = formats.default(new Ajv({ allErrors: true })).compile(schema);

  it.each(TEXTS)('fits its vendor, and has one link, which is ours, whatever names hold: text %#', (text) => {
    for (const told of toldOf(text)) {
      const message = parsed(format, told);
      expect(accepts(message), JSON.stringify(accepts.errors)).toBe(true);
      for (const [path, each] of textsOf(message)) {
        expect(each.isWellFormed(), path).toBe(true);
        // Only what we write ourselves breaks a line, and nothing turns the direction of the text.
        expect(each.replaceAll('\n', ''), path).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }
      expectSafe(message, linksOf(told));
    }
  });

  it('is not taken when it says nothing or too much, so that the schema can fail', () => {
    expect(accepts({})).toBe(false);
    expect(accepts({ ...parsed(format, [envelopeOf('budget.exceeded')]), unknown: 1 })).toBe(false);
  });
});

describe.each(['ntfy', 'email'] as const)('a message of the format %s', (format) => {
  it.each(TEXTS)(
    'has one link, which is ours, and headers of one line, whatever names hold: text %#',
    (text) => {
      for (const told of toldOf(text)) {
        const { headers, body } = show(format, told);
        for (const value of Object.values(headers)) expect(value).not.toMatch(/[\r\n]/);
        const [link] = linksOf(told);
        if (link) expect(body).toContain(`: ${link}`);
        expect(body.replace(link ?? '', '')).not.toMatch(/:\/\/|\ufffd/);
      }
    },
  );
});

it.each(TEXTS)('a message of ntfy is at most 4,096 bytes, with headers of ours alone: text %#', (text) => {
  for (const told of toldOf(text)) {
    const { headers, body } = show('ntfy', told);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(4_096);
    const actions = expect.stringMatching(/^view, [A-Za-z ]+, "[^"]+"$/);
    const [tap] = linksOf(told).map((click) => ({ click, actions }));
    const priority = expect.stringMatching(/^[235]$/);
    const type = 'text/plain; charset=utf-8';
    expect(headers).toEqual({ 'content-type': type, title: told[0].type, priority, ...tap });
  }
});

describe.each(['slack', 'ntfy', 'email'] as const)('a text of the format %s', (format) => {
  it.each(['https://evil.example/a', 'www.evil.example', 'evil.example', 'mailto:a@evil.example'])(
    'makes no link of a name that reads %s',
    (name) => {
      for (const envelope of [
        envelopeOf('budget.exceeded', { budget_name: name }),
        envelopeOf('budget.raise_answered', { user_id: name, link: undefined }),
      ]) {
        const { body } = show(format, [envelope]);
        const text: string = format === 'slack' ? JSON.parse(body).text : body;
        expect(text.replaceAll('\u200b', '')).toContain(name);
        expect(text).not.toMatch(/:\/\/|www\.e|evil\.example|mailto:a/);
      }
    },
  );
});

it('a Slack message says what happened', () => {
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
  const used = '$512.50 of $500.00 this month (102.5 %)';
  expect(parsed('slack', [envelopeOf('budget.exceeded')])).toEqual({
    text: `Budget “Research, per month” is exceeded: ${used}`,
    blocks: [
      { type: 'header', text: plain('Budget “Research, per month” is exceeded') },
      { type: 'section', fields: [plain(`Used\n${used}`), plain('Team\nresearch')] },
      { type: 'context', elements: [plain('15 Jan, 09:30 UTC')] },
    ],
  });
});

it('a message of ntfy says what happened, a line for each fact', () => {
  expect(show('ntfy', [envelopeOf('budget.threshold')]).body).toBe(
    'Budget “Research, per month” has reached 50 %\nUsed: $512.50 of $500.00 this month (102.5 %)\nTeam: research',
  );
});

it('a digest names its first events and counts the others', () => {
  const events = Array.from({ length: 12 }, () => envelopeOf('budget.exceeded'));
  const lines = show('ntfy', [envelopeOf('digest', { events })]).body.split('\n');
  const exceeded = '15 Jan, 09:30 UTC: Budget “Research, per month” is exceeded';
  expect(lines).toEqual(['Digest: 12 events', ...Array(9).fill(exceeded), 'And: 3 more']);
});

it('the format json sends the envelope byte for byte', () => {
  const body = '{ "id": "evt_1",  "data": {} }';
  expect(render('json', body)).toEqual({ headers: { 'content-type': 'application/json' }, body });
});
