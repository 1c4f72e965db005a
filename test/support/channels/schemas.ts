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

const textRun = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'text'],
  properties: {
    type: { const: 'TextRun' },
    text: { type: 'string' },
    color: { enum: ['default', 'dark', 'light', 'accent', 'good', 'warning', 'attention'] },
    isSubtle: { type: 'boolean' },
    size: { enum: ['default', 'small', 'medium', 'large', 'extraLarge'] },
    weight: { enum: ['default', 'lighter', 'bolder'] },
  },
};

/**
 * The message that a Teams workflow takes and posts
 * (https://learn.microsoft.com/connectors/teams/#microsoft-teams-webhook): a message with Adaptive Cards
 * (https://adaptivecards.io/explorer/RichTextBlock.html), of which a text run reads no Markdown.
 */
export const TEAMS: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'attachments'],
  properties: {
    type: { const: 'message' },
    attachments: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['contentType', 'content'],
        properties: {
          contentType: { const: 'application/vnd.microsoft.card.adaptive' },
          contentUrl: { type: 'null' },
          content: {
            type: 'object',
            additionalProperties: false,
            required: ['type', 'version', 'body'],
            properties: {
              $schema: { const: 'http://adaptivecards.io/schemas/adaptive-card.json' },
              type: { const: 'AdaptiveCard' },
              version: { enum: ['1.2', '1.3', '1.4', '1.5'] },
              body: {
                type: 'array',
                items: {
                  type: 'object',
                  additionalProperties: false,
                  required: ['type', 'inlines'],
                  properties: {
                    type: { const: 'RichTextBlock' },
                    inlines: { type: 'array', minItems: 1, items: textRun },
                  },
                },
              },
              actions: {
                type: 'array',
                maxItems: 6,
                items: {
                  type: 'object',
                  additionalProperties: false,
                  required: ['type', 'title', 'url'],
                  properties: { type: { const: 'Action.OpenUrl' }, title: text(100), url: text(2_000) },
                },
              },
            },
          },
        },
      },
    },
  },
};

/**
 * The body of Discord's Execute Webhook (https://docs.discord.com/developers/resources/webhook#execute-webhook) with embeds
 * (https://docs.discord.com/developers/resources/message#embed-object-embed-limits): lengths and counts are Discord's.
 */
export const DISCORD: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['embeds', 'allowed_mentions'],
  properties: {
    embeds: {
      type: 'array',
      minItems: 1,
      maxItems: 10,
      items: {
        type: 'object',
        additionalProperties: false,
        properties: {
          title: text(256),
          url: text(2_048),
          description: text(4_096),
          color: { type: 'integer', minimum: 0, maximum: 0xffffff },
          timestamp: { type: 'string', format: 'date-time' },
          fields: {
            type: 'array',
            maxItems: 25,
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['name', 'value'],
              properties: { name: text(256), value: text(1_024), inline: { type: 'boolean' } },
            },
          },
        },
      },
    },
    allowed_mentions: {
      type: 'object',
      additionalProperties: false,
      required: ['parse'],
      properties: { parse: { type: 'array', items: { enum: ['roles', 'users', 'everyone'] } } },
    },
  },
};
