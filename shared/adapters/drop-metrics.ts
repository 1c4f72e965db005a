import type { Context } from '../platform/context/context.ts';
import { perContext } from '../platform/context/per-context.ts';
import { type OtlpBody, withDecoded } from './decode.ts';
import type { OtlpOutcome } from './receive.ts';

/** Keys that sent logs to this process. */
const keysWithLogs = perContext(() => new Set<string>());
const MOST_KEYS = 100_000;

export function noteLogs(ctx: Context, keyId: string): void {
  const keys = keysWithLogs(ctx);
  if (keys.size >= MOST_KEYS) keys.clear();
  keys.add(keyId);
}

/**
 * Takes metrics and drops them. A key that sends Claude Code's and no logs is warned: nothing of it would ever count.
 * Throws `UnreadableOtlp`, `overloaded`.
 */
export async function dropMetrics(
  ctx: Context,
  keyId: string,
  request: Omit<OtlpBody, 'kind'>,
): Promise<OtlpOutcome> {
  return withDecoded(ctx, { ...request, kind: 'metrics' }, async ({ summary }) => {
    const isLost = summary.hasClaudeCodeMetrics && !keysWithLogs(ctx).has(keyId);
    return { rejected: 0, message: isLost ? 'metrics are not counted: set OTEL_LOGS_EXPORTER=otlp' : '' };
  });
}
