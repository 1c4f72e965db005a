import { readdirSync, readFileSync } from 'node:fs';
import type { OtlpEncoding } from '../../../../../shared/core/calls/adapters/otlp/read-records.ts';
import type { OtlpKind } from '../../../../../shared/core/calls/adapters/otlp/record.ts';
import { emptySummary, walkOtlp } from '../../../../../shared/core/calls/adapters/read-request.ts';
import { bytesOf, type Fixture } from './otlp-messages.ts';

const FOLDER = new URL('fixtures/', import.meta.url);

/** Names of all fixtures. */
export const FIXTURES = readdirSync(FOLDER).map((file) => file.replace('.json', ''));

/** Records as one version of a tool sends them; the file says which. */
export function readFixture(name: string): Fixture {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as Fixture;
}

/** All that a request holds. */
export function readOtlp(body: Uint8Array, kind: OtlpKind, encoding: OtlpEncoding) {
  const summary = emptySummary();
  const signals = [...walkOtlp({ body, kind, encoding }, summary)].flat();
  return { ...summary, signals };
}

/** The signals of a fixture, which are the same in both encodings. */
export function signalsOf(fixture: Omit<Fixture, 'mimics'>) {
  const [json, protobuf] = (['json', 'protobuf'] as const).map((encoding) =>
    readOtlp(bytesOf(fixture, encoding), fixture.kind, encoding),
  );
  if (JSON.stringify(json) !== JSON.stringify(protobuf))
    throw new Error(`The encodings differ: ${JSON.stringify(json)} and ${JSON.stringify(protobuf)}`);
  return json as NonNullable<typeof json>;
}
