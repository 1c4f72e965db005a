import { BODY_DEPTH, BODY_VALUES } from '../../platform/basics/contract.ts';
import {
  eachElement,
  eachMember,
  expectEnd,
  isNext,
  type JsonCursor,
  JsonScanError,
  openJson,
  parseJson,
  parseValue,
  skipValue,
} from '../../platform/basics/scan-json.ts';
import { attributesOf, beginOf, logOf, objectOf, spanOf, textOf } from './json-record.ts';
import {
  countUp,
  type KeyRules,
  type OtlpKind,
  type OtlpRecord,
  type Scalar,
  UNREADABLE,
  UnreadableOtlp,
  WRONG_ROUTE,
} from './record.ts';

const FIELDS = {
  logs: { owners: 'resourceLogs', scopes: 'scopeLogs', records: 'logRecords' },
  traces: { owners: 'resourceSpans', scopes: 'scopeSpans', records: 'spans' },
  metrics: { owners: 'resourceMetrics', scopes: 'scopeMetrics', records: 'metrics' },
} as const;
const OWNERS: ReadonlySet<string> = new Set(Object.values(FIELDS).map(({ owners }) => owners));

/** Bounds of each part that is parsed by itself. An `AnyValue` of OTLP nests four levels of JSON for one of its own. */
const BOUNDS = { depth: 4 * BODY_DEPTH, values: BODY_VALUES };

/** The places of a body's records: `bounds` has where each one begins and ends; a scope has those up to `until`. */
interface CutBody {
  scopes: { name: string; owner: { resource: Map<string, Scalar> }; until: number }[];
  bounds: number[];
}

/**
 * Records of an OTLP/JSON body (lowerCamelCase, hex ids, int64 as text or number). Only values of allowed keys are taken.
 * Parses one part at a time: the objects of a whole body take many times its bytes. Throws `UnreadableOtlp`, possibly
 * after some records.
 */
export function* readJson(body: Uint8Array, kind: OtlpKind, rules: KeyRules): Generator<OtlpRecord> {
  const cursor = openJson(body);
  try {
    const { scopes, bounds } = cutRecords(cursor, kind, rules);
    let at = 0;
    for (const { name, owner, until } of scopes) {
      for (; at < until; at += 2) {
        const record = objectOf(parseJson(cursor.bytes.toString('utf8', bounds[at], bounds[at + 1])));
        yield kind === 'logs'
          ? logOf(record, name, owner.resource, rules)
          : spanOf(record, name, owner.resource, rules);
      }
    }
  } catch (error) {
    throw asUnreadable(error);
  }
}

/** Names of the metrics of an OTLP/JSON body, whose points are skipped as bytes. Throws `UnreadableOtlp` as `readJson`. */
export function* readMetricNames(body: Uint8Array, rules: KeyRules): Generator<string> {
  const cursor = openJson(body);
  try {
    const { bounds } = cutRecords(cursor, 'metrics', rules);
    for (let at = 0; at < bounds.length; at += 2) {
      cursor.at = bounds[at] ?? 0;
      let name: unknown;
      if (isNext(cursor, '{'))
        eachMember(cursor, (member) => {
          if (member === 'name') name = parseValue(cursor, BOUNDS);
          else skipValue(cursor);
        });
      yield beginOf(name);
    }
  } catch (error) {
    throw asUnreadable(error);
  }
}

/** Parses everything but the records, whose bounds it notes. Throws `UnreadableOtlp`, `JsonScanError`. */
function cutRecords(cursor: JsonCursor, kind: keyof typeof FIELDS, rules: KeyRules): CutBody {
  const { owners, scopes, records } = FIELDS[kind];
  const cut: CutBody = { scopes: [], bounds: [] };
  const countRecord = countUp('records');
  const countOrigin = countUp('resources and scopes');
  const parse = () => objectOf(parseValue(cursor, BOUNDS));
  const cutRecord = () => {
    countRecord();
    cut.bounds.push(skipValue(cursor, kind === 'metrics' ? undefined : BOUNDS), cursor.at);
  };
  const cutScope = (owner: { resource: Map<string, Scalar> }) => {
    countOrigin();
    const scoped = { name: '', owner, until: 0 };
    const before = cut.bounds.length;
    readFields(cursor, {
      scope: () => {
        scoped.name = textOf(parse().name);
      },
      [records]: () => readList(cursor, cutRecord),
    });
    scoped.until = cut.bounds.length;
    if (scoped.until > before) cut.scopes.push(scoped);
  };
  const cutOwner = () => {
    countOrigin();
    const owner = { resource: new Map<string, Scalar>() };
    readFields(cursor, {
      resource: () => {
        owner.resource = attributesOf(parse(), rules);
      },
      [scopes]: () => readList(cursor, () => cutScope(owner)),
    });
  };
  if (cursor.bytes.length === 0) return cut;
  if (!isNext(cursor, '{')) throw new UnreadableOtlp('The body must be a JSON object.');
  const names = readFields(cursor, { [owners]: () => readList(cursor, cutOwner) });
  expectEnd(cursor);
  const isOfOthers = Object.values(FIELDS).some((other) => names.has(other.owners));
  if (isOfOthers && !names.has(owners)) throw new UnreadableOtlp(WRONG_ROUTE[kind]);
  return cut;
}

/**
 * Reads members of the next value by these functions and drops all else. Returns the names that OTLP knows. A field that
 * comes twice is refused, as ProtoJSON parsers do.
 */
function readFields(cursor: JsonCursor, fields: Readonly<Record<string, () => void>>): Set<string> {
  const names = new Set<string>();
  if (!isNext(cursor, '{')) {
    parseValue(cursor, BOUNDS);
    return names;
  }
  eachMember(cursor, (name) => {
    const read = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (read && names.has(name)) throw new UnreadableOtlp(`The body names ${name} twice in one object.`);
    if (read || OWNERS.has(name)) names.add(name);
    if (read) read();
    else if (OWNERS.has(name)) skipValue(cursor);
    else parseValue(cursor, BOUNDS);
  });
  return names;
}

/** Calls `visit` before each element. Null is an empty list. Throws for what is no list. */
function readList(cursor: JsonCursor, visit: () => void): void {
  if (isNext(cursor, '[')) eachElement(cursor, visit);
  else if (parseValue(cursor, BOUNDS) !== null) throw new UnreadableOtlp(UNREADABLE);
}

function asUnreadable(error: unknown): unknown {
  if (!(error instanceof JsonScanError)) return error;
  return new UnreadableOtlp(FAULTS[error.fault]);
}

const FAULTS = {
  syntax: 'The body is not valid JSON.',
  depth: `A part of the body is nested deeper than ${BOUNDS.depth} levels.`,
  values: `A part of the body, such as a record, holds more than ${BOUNDS.values} values.`,
} as const;
