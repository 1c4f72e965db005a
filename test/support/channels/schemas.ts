import type { Schema } from 'ajv';

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });

/** A text object in which nothing is markup, https://docs.slack.dev/reference/block-kit/composition-objects/text-object. */
const slackPlain = (most: number) => ({
  type: 'object',
  additionalProperties: false,
  required: ['type', 'text'],
  properties: { type: { const: 'plain_text' }, text: text(most), emoji: { type: 'boolean' } },
});

const slackText = (most: number) => ({
  anyOf: [
    slackPlain(most),
    {
      type: 'object',
      additionalProperties: false,
      required: ['type', 'text'],
      properties: { type: { const: 'mrkdwn' }, text: text(most), verbatim: { type: 'boolean' } },
    },
  ],
});

const slackBlock = (type: string, properties: object, required: readonly string[]) => ({
  type: 'object',
  additionalProperties: false,
  required: ['type', ...required],
  properties: { type: { const: type }, block_id: text(255), ...properties },
});

/**
 * The body of a Slack incoming webhook (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks) with
 * the blocks that we use (https://docs.slack.dev/reference/block-kit/blocks): lengths and counts are Slack's.
 */
export const SLACK: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['text'],
  properties: {
    text: text(40_000),
    blocks: {
      type: 'array',
      maxItems: 50,
      items: {
        oneOf: [
          slackBlock('header', { text: slackPlain(150) }, ['text']),
          slackBlock('section', { text: slackText(3_000) }, ['text']),
          slackBlock(
            'section',
            { fields: { type: 'array', minItems: 1, maxItems: 10, items: slackText(2_000) } },
            ['fields'],
          ),
          slackBlock(
            'context',
            { elements: { type: 'array', minItems: 1, maxItems: 10, items: slackText(2_000) } },
            ['elements'],
          ),
        ],
      },
    },
  },
};
