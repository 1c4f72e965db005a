import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { fixture } from '../support/fixture.ts';

const { api, key, orgId, record } = await fixture();
let long: string;
beforeAll(async () => {
  const ts = api.ctx.clock.now();
  const userOf = (index: number) => (index < 600 ? 'ada' : `u-${index}`);
  await record(...Array.from({ length: 700 }, (_, index) => ({ ts: ts - index, user_id: userOf(index) })));
  const session = await sessionRows(api.ctx).findOne({ org_id: orgId, user_id: 'ada' });
  long = `/api/v1/sessions/${session?._id}`;
});

/** As a client that inflates nothing by itself. */
async function get(
  path: string,
  accepts?: string,
  method = 'GET',
): Promise<{ headers: IncomingHttpHeaders; bytes: Buffer }> {
  const headers = { Authorization: `Bearer ${key}`, ...(accepts ? { 'Accept-Encoding': accepts } : {}) };
  return new Promise((resolve, reject) => {
    request(`${api.url}${path}`, { method, headers }, (answer) => {
      buffer(answer).then((bytes) => resolve({ headers: answer.headers, bytes }), reject);
    })
      .once('error', reject)
      .end();
  });
}

/** The coding that a client is sent, and its `Accept-Encoding`. */
const cases = [
  ...['gzip', 'gzip, deflate, br', 'br;q=1, gzip;q=0.5', '*'].map((accepts) => ['gzip', accepts] as const),
  ...[undefined, 'identity', 'br', 'gzip;q=0', 'gzip;q=0, *'].map((accepts) => [undefined, accepts] as const),
];

it.each(cases)(
  'a long answer, whole or in pieces, has the coding %s for one that accepts %s',
  async (coding, accepts) => {
    for (const path of ['/api/v1/sessions?limit=100', long]) {
      const plain = await get(path);
      const { headers, bytes } = await get(path, accepts);
      expect([headers['content-encoding'], headers.vary]).toEqual([coding, 'Accept-Encoding']);
      expect(headers['content-type']).toBe(plain.headers['content-type']);
      // The cursor of a page is another one each time.
      const read = (text: Buffer) => ({ ...JSON.parse(text.toString()), cursor: '' });
      expect(read(coding ? gunzipSync(bytes) : bytes)).toEqual(read(plain.bytes));
      if (coding) expect(bytes.length).toBeLessThan(plain.bytes.length / 3);
    }
  },
);

it('short answers and files that are compressed already stay as they are', async () => {
  for (const path of ['/api/v1/sessions?limit=1', '/healthz', '/api/v1/usage/export?format=parquet']) {
    const { headers } = await get(path, 'gzip');
    expect([path, headers['content-encoding']]).toEqual([path, undefined]);
  }
});

it('a HEAD has the headers of the GET and no body', async () => {
  const head = await get('/api/v1/sessions?limit=100', 'gzip', 'HEAD');
  expect(head.bytes).toHaveLength(0);
  expect(head.headers['content-encoding']).toBe('gzip');
});
