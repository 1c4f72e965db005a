import { expect, it } from 'vitest';
import { createLog } from '../../../../shared/platform/basics/log.ts';

const lines: Record<string, unknown>[] = [];
const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
const log = createLog({ level: 'info', process: 'api', destination });

it('tells an error with its code, its stack and its causes, whatever was thrown', () => {
  const cause = new Error('no answer');
  log.error({ err: Object.assign(new Error('It is taken.', { cause }), { code: 11_000 }) }, 'it failed');
  log.error({ err: 'a text' }, 'it failed');
  expect(lines.splice(0)).toMatchObject([
    {
      process: 'api',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      msg: 'it failed',
      err: {
        name: 'Error',
        message: 'It is taken.',
        code: 11_000,
        stack: expect.stringContaining('log.test.ts'),
        cause: { name: 'Error', message: 'no answer' },
      },
    },
    { err: { message: 'a text' } },
  ]);
});

it.each(['authorization', 'secret', 'token', 'key', 'password'])('never tells a %s', (name) => {
  log.info({ [name]: 'abc', request: { [name]: 'abc', path: '/' } }, 'asked');
  expect(lines.splice(0)).toMatchObject([
    { [name]: '[redacted]', request: { [name]: '[redacted]', path: '/' } },
  ]);
});
