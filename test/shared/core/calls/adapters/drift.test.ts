import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KEY_RULES } from '../../../../../shared/core/calls/adapters/adapt.ts';
import { COMMON_KEYS } from '../../../../../shared/core/calls/adapters/base.ts';
import { CLAUDE_CODE_KEYS } from '../../../../../shared/core/calls/adapters/claude-code.ts';
import { CODEX_KEYS, CODEX_PRESENT_KEYS } from '../../../../../shared/core/calls/adapters/codex.ts';
import { SPAN_KEYS } from '../../../../../shared/core/calls/adapters/dialects.ts';
import { GATEWAY_KEYS } from '../../../../../shared/core/calls/adapters/gateway.ts';
import { GEMINI_KEYS } from '../../../../../shared/core/calls/adapters/gemini.ts';
import { FIXTURES, readFixture, signalsOf } from './fixtures.ts';
import type { FixtureRecord } from './otlp-messages.ts';

/** The use of each event and attribute of an adapter's tools: `mapped`, or `dropped: why`. */
interface DriftTable {
  fixtures: string[];
  /** The begin of its event names, as a pattern. */
  prefix: string;
  events: Record<string, string>;
  attributes: Record<string, string>;
}

const FOLDER = new URL('drift/', import.meta.url);
const TABLES = readdirSync(FOLDER).map((file) => ({
  name: file.replace('.json', ''),
  table: JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as DriftTable,
}));
const KEYS: Record<string, readonly string[]> = {
  'claude-code': CLAUDE_CODE_KEYS,
  codex: [...CODEX_KEYS, ...CODEX_PRESENT_KEYS],
  gateway: GATEWAY_KEYS,
  gemini: GEMINI_KEYS,
  spans: SPAN_KEYS,
};

function eventOf({ prefix }: DriftTable, record: FixtureRecord): string {
  const { attributes } = record;
  const kinds = ['event.name', 'gen_ai.operation.name', 'ai.operationId', 'openinference.span.kind'];
  const name = kinds.map((key) => attributes[key]).find((value) => value !== undefined);
  if (name === undefined && 'llm.request.type' in attributes) return 'llm.request.type';
  if (record.name === 'raw_gen_ai_request') return record.name;
  return String(name ?? record.name).replace(new RegExp(`^${prefix.replace('.', '\\.')}`), '');
}

it('every fixture belongs to a drift table', () => {
  expect(TABLES.flatMap(({ table }) => table.fixtures).sort()).toEqual([...FIXTURES].sort());
});

describe.each(TABLES)('the drift table of $name', ({ name, table }) => {
  const fixtures = table.fixtures.map(readFixture);

  it('lists every event and attribute that its tools send', () => {
    for (const fixture of fixtures) {
      const sent = fixture.records.flatMap(({ attributes }) => Object.keys(attributes));
      const keys = [...sent, ...Object.keys(fixture.resource)];
      const listed = expect.arrayContaining(keys.filter((key) => key !== 'github.copilot.nano_aiu'));
      expect(Object.keys(table.attributes)).toEqual(listed);
      const events = fixture.records.map((record) => eventOf(table, record));
      expect(Object.keys(table.events)).toEqual(expect.arrayContaining(events));
    }
  });

  it('says mapped or why not', () => {
    for (const fate of [...Object.values(table.events), ...Object.values(table.attributes)])
      expect(fate).toMatch(/^(?:mapped|dropped: .+)$/);
  });

  it('calls mapped exactly what the adapter reads', () => {
    const mapped = Object.keys(table.attributes).filter((key) => table.attributes[key] === 'mapped');
    const own = KEYS[name] ?? [];
    expect(mapped).toEqual(expect.arrayContaining([...own]));
    const readable = new Set<string>([...own, ...COMMON_KEYS]);
    expect(mapped.filter((key) => !readable.has(key))).toEqual([]);
    expect(mapped.filter((key) => !KEY_RULES.keys.has(key))).toEqual([]);
    const dropped = Object.keys(table.attributes).filter((key) => !mapped.includes(key));
    expect(dropped.filter((key) => readable.has(key))).toEqual([]);
    // Every adapter reads the place.
    expect(mapped).toEqual(expect.arrayContaining(COMMON_KEYS.filter((key) => key.startsWith('vcs.'))));
  });

  it('calls an event mapped when a record of it gives a signal, dropped when none does', () => {
    for (const fixture of fixtures) {
      const byEvent = Map.groupBy(fixture.records, (record) => eventOf(table, record));
      for (const [event, records] of byEvent) {
        const { signals, known } = signalsOf({ ...fixture, records });
        expect(signals.length > 0, event).toBe(table.events[event] === 'mapped');
        if (name !== 'spans') expect(known).toBe(records.length);
      }
    }
  });

  it('drops by name what no fixture shows yet', () => {
    for (const fixture of fixtures.filter(({ kind }) => kind === 'logs')) {
      const [sample] = fixture.records;
      const prefix =
        String(sample?.attributes['event.name']).match(/^(?:codex\.|gemini_cli\.|qwen-code\.)/)?.[0] ?? '';
      for (const [event, fate] of Object.entries(table.events)) {
        if (fate === 'mapped') continue;
        const record = {
          ...sample,
          attributes: { ...sample?.attributes, 'event.name': prefix + event },
          body: `${prefix || 'claude_code.'}${event}`,
        };
        expect(signalsOf({ ...fixture, records: [record] })).toMatchObject({
          records: 1,
          known: 1,
          signals: [],
        });
      }
    }
  });

  it('lets nothing of a dropped attribute or a body through', () => {
    const marker = 'MARKED-CONTENT-7f3a';
    const dropped = Object.keys(table.attributes).filter((key) => table.attributes[key] !== 'mapped');
    for (const fixture of fixtures) {
      const records = fixture.records.map((record) => ({
        ...record,
        ...(record.body === undefined ? {} : { body: `${record.body} ${marker}` }),
        ...(record.status ? { status: { ...record.status, message: marker } } : {}),
        attributes: {
          ...Object.fromEntries(dropped.map((key) => [key, marker])),
          ...Object.fromEntries(Object.entries(record.attributes).filter(([key]) => !dropped.includes(key))),
          ...('error.message' in record.attributes ? { 'error.message': marker } : {}),
        },
      }));
      const resource = { ...fixture.resource, prompt: marker };
      const reading = signalsOf({ ...fixture, resource, records });
      expect(reading.signals.length).toBeGreaterThan(0);
      expect(JSON.stringify(reading)).not.toContain(marker);
      expect(JSON.stringify(reading)).not.toContain('CONTENT');
    }
  });
});
