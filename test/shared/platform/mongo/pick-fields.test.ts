import fc from 'fast-check';
import { mongo } from 'mongoose';
import { expect, it } from 'vitest';
import { createPicker } from '../../../../shared/platform/mongo/pick-fields.ts';

const { BSON } = mongo;
const NAMES = ['ts', 'model', 'tokens_in', 'cost_nusd', 'error', 'ok'] as const;

const anyValue = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.integer(),
  fc.maxSafeInteger().map((value) => BSON.Long.fromNumber(value)),
  fc.double(),
  fc.constant(null),
  fc.date({ min: new Date(-1e12), max: new Date(8.64e15), noInvalidDate: true }),
  fc.record({ code: fc.string(), message: fc.string() }, { requiredKeys: ['code'] }),
);
/** Fields of no interest have any type that a row may have. */
const anyOther = fc.oneof(
  anyValue,
  fc.boolean(),
  fc.array(fc.string()),
  fc.uint8Array().map((bytes) => new BSON.Binary(bytes)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => BSON.Long.fromBigInt(value)),
);
/** Some differ from a picked name by one letter, or begin with one. */
const anyName = fc.oneof(
  fc.constantFrom('tokens', 'tokens_im', 'error_', 'o', 'tz'),
  fc.string({ unit: 'grapheme-ascii' }),
);

const picked = (document: object) =>
  Object.fromEntries(
    Object.entries(document).filter(([name]) => (NAMES as readonly string[]).includes(name)),
  );

it('gives the fields that are picked as the driver does, whatever stands beside them, in any order', () => {
  const pick = createPicker<Record<(typeof NAMES)[number], unknown>>(NAMES);
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(fc.oneof(fc.constantFrom(...NAMES), anyName), anyValue, anyOther), {
        selector: ([name]) => name,
      }),
      (fields) => {
        const isPicked = (name: string) => (NAMES as readonly string[]).includes(name);
        const document = Object.fromEntries(
          fields.map(([name, value, other]) => [name, isPicked(name) ? value : other]),
        );
        const bytes = Buffer.from(BSON.serialize(document));
        expect(pick(bytes)).toEqual(picked(BSON.deserialize(bytes)));
      },
    ),
    { numRuns: 2_000 },
  );
});

it('refuses a value of a type that no row has', () => {
  const pick = createPicker<Record<(typeof NAMES)[number], unknown>>(NAMES);
  const bytesOf = (document: object) => Buffer.from(BSON.serialize(document));
  expect(() => pick(bytesOf({ ok: /x/ }))).toThrow('BSON type 11');
  expect(() => pick(bytesOf({ ok: [1] }))).toThrow('BSON type 4');
});
