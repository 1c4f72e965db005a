import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../../../../../shared/core/events/webhooks/messages/message.ts';
import { render } from '../../../../../../shared/core/events/webhooks/messages/render.ts';
import { envelopeOf, envelopesWith, HOSTILE } from '../../../../../support/channels/envelopes.ts';
import { SLACK } from '../../../../../support/channels/schemas.ts';

const accepts = new Ajv({ allErrors: true }).compile(SLACK);

function messageFor(envelope: Envelope) {
  const { headers, body } = render('slack', JSON.stringify(envelope));
  expect(headers).toEqual({ 'content-type': 'application/json' });
  return JSON.parse(body);
}

describe('a Slack message', () => {
  it('says what happened', () => {
    expect(messageFor(envelopeOf('budget.exceeded'))).toEqual({
      text: 'Budget “Research, per month” is exceeded: $512.50 of $500.00 this month (102.5 %)',
      blocks: [
        {
          type: 'header',
          text: { type: 'plain_text', text: 'Budget “Research, per month” is exceeded', emoji: false },
        },
        {
          type: 'section',
          fields: ['Used\n$512.50 of $500.00 this month (102.5 %)', 'Team\nresearch'].map((text) => ({
            type: 'plain_text',
            text,
            emoji: false,
          })),
        },
        {
          type: 'context',
          elements: [{ type: 'plain_text', text: '15 Jan, 09:30 UTC', emoji: false }],
        },
      ],
    });
  });

  it.each(['plain', '😀'.repeat(5_000), '&'.repeat(5_000), ...HOSTILE])(
    'fits what Slack takes: %#',
    (text) => {
      for (const envelope of envelopesWith(text)) {
        const message = messageFor(envelope);
        expect(accepts(message), JSON.stringify(accepts.errors)).toBe(true);
      }
    },
  );

  it.each(HOSTILE)('holds a hostile name as text: %#', (text) => {
    for (const envelope of envelopesWith(text)) {
      const { text: fallback, blocks } = messageFor(envelope);
      expect(fallback.replaceAll(/&(amp|lt|gt);/g, '')).not.toMatch(/[<>&]/);
      // Slack reads markup in `mrkdwn` only.
      expect(JSON.stringify(blocks)).not.toContain('mrkdwn');
    }
  });

  it('is not taken with an empty or a too long text, so the schema can fail', () => {
    expect(accepts({ text: '' })).toBe(false);
    expect(accepts({ text: 'x', blocks: [{ type: 'header', text: { type: 'mrkdwn', text: 'x' } }] })).toBe(
      false,
    );
    const long = { type: 'plain_text', text: 'x'.repeat(151) };
    expect(accepts({ text: 'x', blocks: [{ type: 'header', text: long }] })).toBe(false);
  });
});
