import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Response } from 'express';
import { z } from 'zod';
import type { OtlpEncoding } from '../../shared/core/calls/adapters/otlp/read-records.ts';
import type { OtlpOutcome } from '../../shared/core/calls/adapters/receive.ts';
import { problemOf } from '../basics/problem.ts';
import { type Reply, reply } from '../basics/route.ts';
import { encodingOf, OTLP_TYPES } from './body.ts';

/** The name of the refused records in the answer of each route. */
export type RejectedField = 'rejectedLogRecords' | 'rejectedSpans' | 'rejectedDataPoints';

/** `google.rpc.Status`, the form of a failure in OTLP/HTTP. */
export const otlpStatus = z.object({ code: z.int(), message: z.string() });

/** `Export…ServiceResponse`. 64-bit integers are text in ProtoJSON. */
export const otlpAnswer = z.object({
  partialSuccess: z
    .object({
      rejectedLogRecords: z.string().optional(),
      rejectedSpans: z.string().optional(),
      rejectedDataPoints: z.string().optional(),
      errorMessage: z.string(),
    })
    .optional(),
});

/** The answer to a request that was taken, in the encoding of the request. */
export function answerOtlp(encoding: OtlpEncoding, field: RejectedField, outcome: OtlpOutcome): Reply {
  const { rejected, message } = outcome;
  const headers = { 'Content-Type': OTLP_TYPES[encoding] };
  if (encoding === 'json') {
    const partialSuccess = { [field]: String(rejected), errorMessage: message };
    return reply(JSON.stringify(message === '' ? {} : { partialSuccess }), headers);
  }
  const writer = new BinaryWriter();
  if (message !== '') {
    writer.tag(1, WireType.LengthDelimited).fork();
    if (rejected > 0) writer.tag(1, WireType.Varint).int64(rejected);
    writer.tag(2, WireType.LengthDelimited).string(message).join();
  }
  return reply(Buffer.from(writer.finish()), headers);
}

/** gRPC's codes by HTTP status. */
const CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  413: 3,
  415: 3,
  429: 8,
  500: 13,
  503: 14,
  504: 4,
};

/** A failure as a `Status` in the encoding of the request. The HTTP status is what a problem document would have. */
export function sendOtlpError(res: Response, error: unknown): void {
  const { status, detail, headers } = problemOf(error);
  const body = { code: CODES[status] ?? 2, message: detail };
  const encoding = encodingOf(res.req) ?? 'json';
  res.status(status).set(headers).set('Cache-Control', 'no-store').set('Content-Type', OTLP_TYPES[encoding]);
  res.end(encoding === 'json' ? JSON.stringify(body) : encodeStatus(body));
}

function encodeStatus({ code, message }: z.output<typeof otlpStatus>): Buffer {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.Varint).int32(code).tag(2, WireType.LengthDelimited).string(message);
  return Buffer.from(writer.finish());
}
