import { openJsonBody } from './json.ts';
import { openProtobufBody } from './protobuf.ts';
import {
  type BodyReader,
  countUp,
  type KeyRules,
  type OtlpKind,
  type OtlpRecord,
  recordOf,
  type Scalar,
} from './record.ts';

export type OtlpEncoding = 'json' | 'protobuf';

export interface OtlpBody {
  body: Uint8Array;
  kind: OtlpKind;
  encoding: OtlpEncoding;
}

const OPEN = { json: openJsonBody, protobuf: openProtobufBody };

/**
 * Reads the records of a request, of which only the values of allowed keys become text. First the bounds of all records are
 * found, since a scope may name itself after them, then one record after the other is read. Throws `UnreadableOtlp`,
 * possibly after some records.
 */
export function* readRecords({ body, kind, encoding }: OtlpBody, rules: KeyRules): Generator<OtlpRecord> {
  const reader = OPEN[encoding](body, kind);
  try {
    const { scopes, bounds } = cutBody(reader, rules);
    let at = 0;
    for (const { name, owner, until } of scopes) {
      for (; at < until; at += 2) {
        const raw = reader.readRecord(bounds[at] ?? 0, bounds[at + 1] ?? 0, rules);
        yield recordOf(kind, raw, name, owner.resource);
      }
    }
  } catch (error) {
    throw reader.describe(error);
  }
}

/** Where each record begins and ends, in turns; a scope has those up to `until`. */
interface CutBody {
  scopes: { name: string; owner: { resource: Map<string, Scalar> }; until: number }[];
  bounds: number[];
}

function cutBody(reader: BodyReader, rules: KeyRules): CutBody {
  const cut: CutBody = { scopes: [], bounds: [] };
  const countRecord = countUp('records');
  const countOrigin = countUp('resources and scopes');
  const cutScope = (owner: { resource: Map<string, Scalar> }) => {
    countOrigin();
    const scope = { name: '', owner, until: 0 };
    const before = cut.bounds.length;
    const onHead = () => {
      scope.name = reader.name();
    };
    reader.parts('records', onHead, () => {
      countRecord();
      cut.bounds.push(...reader.bounds());
    });
    scope.until = cut.bounds.length;
    if (scope.until > before) cut.scopes.push(scope);
  };
  reader.owners(() => {
    countOrigin();
    const owner = { resource: new Map<string, Scalar>() };
    const onHead = () => {
      owner.resource = reader.attributes(rules);
    };
    reader.parts('scopes', onHead, () => cutScope(owner));
  });
  return cut;
}
