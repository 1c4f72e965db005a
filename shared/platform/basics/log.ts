import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

export type Log = Logger;

/** Fields that may hold a credential. */
const SECRETS = ['authorization', 'secret', 'token', 'key', 'password'];

/** Structured logs, one line per event. Callers pass fields that they name (an allow-list), never whole requests. */
export function createLog(options: { level: string; process: string; destination?: DestinationStream }): Log {
  const settings = {
    level: options.level,
    base: { process: options.process },
    timestamp: stdTimeFunctions.isoTime,
    // A second net under the allow-list: whatever carries a credential by name is cut.
    redact: {
      paths: SECRETS.flatMap((name) => [name, `*.${name}`]),
      censor: '[redacted]',
    },
    serializers: { err: describeError },
  };
  return options.destination ? pino(settings, options.destination) : pino(settings);
}

function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  return {
    name: error.name,
    message: error.message,
    ...('code' in error ? { code: error.code } : {}),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
