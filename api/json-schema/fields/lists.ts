import type { Fields } from './field.ts';

/** Fields of lists, problems and health. */
export const lists: Fields = {
  data: ['The items of the list'],
  cursor: ['Pass it back as `cursor` to get the next page', 'eyJhIjoxfQ.c2ln'],
  has_more: ['Whether there are more pages', false],
  total: ['How many there are in all', 42],
  limit: ['The largest number of items of the page', 20, '12'],
  order: ['The order: newest first (`desc`) or oldest first', 'desc'],
  parts: ['State of each store', { mongo: 'ok', redis: 'ok' }],
  mongo: ['State of MongoDB', 'ok'],
  redis: ['State of Redis', 'ok'],
  title: ['Title of the problem, the same for every problem of this code', ''],
  request_id: ['The id of the request in our log', '0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69'],
  pointer: ['Where in the body: a JSON pointer', '/name'],
  parameter: ['The parameter or header', 'limit'],
  retry_after_s: ['Seconds after which to try again', 1],
  partialSuccess: [
    'Refused records, or a warning',
    { rejectedSpans: '1', errorMessage: 'one span has no time' },
  ],
  rejectedLogRecords: ['How many log records were refused', '1'],
  rejectedSpans: ['How many spans were refused', '1'],
  rejectedDataPoints: ['How many data points were refused', '0'],
  errorMessage: ['Refused records, with the reason', 'one span has no time'],
  resource: ['The endpoint, as tokens name it in `aud`', 'https://governor.example.com/mcp'],
  authorization_servers: ['Who gives tokens for it', ['https://login.example.com']],
  scopes_supported: ['Scopes that a token may hold', ['usage:read', 'budgets:check']],
  bearer_methods_supported: ['How the token is sent', ['header']],
};
