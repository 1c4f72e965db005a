import { WireType } from '@bufbuild/protobuf/wire';
import { type KeyRules, ruleOf, type Scalar, TEXT_LENGTH } from './record.ts';
import { eachField, readSpan, type Span, type Wire } from './wire.ts';

/** The allowed attributes in a field of a message (`KeyValue`). Values of other keys are skipped as bytes. */
export function attributesOf(wire: Wire, owner: Span, field: number, rules: KeyRules): Map<string, Scalar> {
  const attributes = new Map<string, Scalar>();
  eachField(wire, owner, (found, type) => {
    if (found !== field || type !== WireType.LengthDelimited) return false;
    const pair = readSpan(wire, owner);
    addAttribute(wire, pair, rules, attributes);
    wire.reader.pos = pair.end;
    return true;
  });
  return attributes;
}

function addAttribute(wire: Wire, pair: Span, rules: KeyRules, into: Map<string, Scalar>): void {
  let key: Span | null = null;
  let value: Span | null = null;
  eachField(wire, pair, (field, type) => {
    if (type !== WireType.LengthDelimited || field > 2) return false;
    const span = readSpan(wire, pair);
    if (field === 1) key = span;
    else value = span;
    return true;
  });
  if (!key || !value) return;
  const { start, end }: Span = key;
  // Every allowed key is ASCII, and no other text reads like one of them as Latin-1.
  const known = ruleOf(rules, wire.bytes.toString('latin1', start, end));
  if (!known) return;
  const scalar = known.rule === 'value' ? scalarOf(wire, value) : presenceOf(wire, value);
  if (scalar !== undefined) into.set(known.name, scalar);
}

/** These bytes hold as many UTF-16 units, whatever the characters, and the last one whole. */
const TEXT_BYTES = 3 * TEXT_LENGTH + 4;

/** An `AnyValue` that is text, truth or number. The last one of the choice holds, as protobuf has it. */
function scalarOf(wire: Wire, any: Span): Scalar | undefined {
  const { reader, bytes } = wire;
  let scalar: Scalar | undefined;
  eachField(wire, any, (field, type) => {
    if (field === 1 && type === WireType.LengthDelimited) {
      const { start, end } = readSpan(wire, any);
      scalar = bytes.toString('utf8', start, Math.min(end, start + TEXT_BYTES)).slice(0, TEXT_LENGTH);
    } else if (field === 2 && type === WireType.Varint) scalar = reader.bool();
    else if (field === 3 && type === WireType.Varint) scalar = Number(reader.int64());
    else if (field === 4 && type === WireType.Bit64) scalar = reader.double();
    else {
      if (field <= 7) scalar = undefined;
      return false;
    }
    return true;
  });
  return scalar;
}

/** Whether an `AnyValue` holds anything, without reading a text. */
function presenceOf(wire: Wire, any: Span): true | undefined {
  const { reader } = wire;
  let isPresent = false;
  eachField(wire, any, (field, type) => {
    if (type === WireType.LengthDelimited) {
      const { start, end } = readSpan(wire, any);
      if (field <= 7) isPresent = end > start;
    } else if (field === 2 && type === WireType.Varint) isPresent = reader.bool();
    else if (field === 3 && type === WireType.Varint) isPresent = reader.int64() !== 0n;
    else if (field === 4 && type === WireType.Bit64) isPresent = Boolean(reader.double());
    else return false;
    return true;
  });
  return isPresent || undefined;
}
