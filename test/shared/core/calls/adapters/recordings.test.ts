import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readOtlp } from './fixtures.ts';
import { encodeProtobuf, type Json } from './otlp-messages.ts';

/** The body that a published client sent while a model on loopback answered it, with its content and its account replaced. */
interface Recording {
  /** The package and its version. */
  versions: string;
  /** The counts of the model: tokens in, out, read from and written to the cache; failed calls; tools that it called. */
  served: { calls: [number, number, number, number][]; failed: number; tools: string[] };
  requests: { kind: 'logs' | 'traces'; body: Json }[];
}

const FOLDER = new URL('recordings/', import.meta.url);
const RECORDINGS = readdirSync(FOLDER).map((file) => {
  const recording = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Recording;
  return { name: `${file.replace('.json', '')} (${recording.versions})`, recording };
});

it.each(RECORDINGS)('$name counts each call of the model once and exactly', ({ recording }) => {
  const { requests, served } = recording;
  const readings = requests.map(({ kind, body }) => {
    const read = readOtlp(Buffer.from(JSON.stringify(body)), kind, 'json');
    expect(readOtlp(encodeProtobuf(kind, body), kind, 'protobuf')).toEqual(read);
    return read;
  });
  const signals = readings.flatMap((reading) => reading.signals);
  const calls = signals.filter(({ type, tool_name }) => type !== 'intervention' && tool_name === undefined);
  const counted = calls.filter(({ error }) => error === undefined);
  expect(
    counted
      .map((call) => [call.tokens_in, call.tokens_out, call.cache_read_tokens, call.cache_write_tokens])
      .sort(([one], [other]) => Number(one) - Number(other)),
  ).toEqual(served.calls);
  expect(calls.length - counted.length).toBe(served.failed);
  expect(signals.flatMap(({ type, tool_name }) => (type ? [] : (tool_name ?? [])))).toEqual(served.tools);
  expect(new Set(signals.map(({ id }) => id)).size).toBe(signals.length);
  expect(readings.map(({ rejected }) => rejected)).toEqual(readings.map(() => 0));
  expect(JSON.stringify(readings)).not.toContain('CONTENT');
});
