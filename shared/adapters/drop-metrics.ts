import type { Context } from '../platform/context/context.ts';
import { perContext } from '../platform/context/per-context.ts';
import { type OtlpBody, withDecoded } from './decode.ts';
import type { OtlpOutcome } from './receive.ts';

/** True also where another process has the logs of the key. */
const LOGS_COUNT = 'metrics are not counted, logs are: they need OTEL_LOGS_EXPORTER=otlp';

/** Keys that sent logs to this process. */
const keysWithLogs = perContext(() => new Set<string>());
const MOST_KEYS = 100_000;

export function noteLogs(ctx: Context, keyId: string): void {
  const keys = keysWithLogs(ctx);
  if (keys.size >= MOST_KEYS) keys.clear();
  keys.add(keyId);
}

/**
 * Takes metrics and drops them. A key that sends Claude Code's, and no logs to this process, is told what counts.
 * Throws `UnreadableOtlp`, `overloaded`.
 */
export async function dropMetrics(
  ctx: Context,
  { orgId, keyId }: { orgId: string; keyId: string },
  request: Omit<OtlpBody, 'kind'>,
): Promise<OtlpOutcome> {
  return withDecoded(ctx, orgId, { ...request, kind: 'metrics' }, async ({ summary }) => {
    const isLost = summary.hasClaudeCodeMetrics && !keysWithLogs(ctx).has(keyId);
    return { rejected: 0, message: isLost ? LOGS_COUNT : '' };
  });
}
