/** How long a key goes on that is rotated here. */
export const GRACE_S = 86_400;

/** When a key ends that is rotated at `nowMs`, in Unix seconds: after its grace, or at its own end before that. */
export function endOfRotated({ expires_at }: { expires_at: number | null }, nowMs: number): number {
  const endS = Math.floor(nowMs / 1_000) + GRACE_S;
  return expires_at === null ? endS : Math.min(expires_at, endS);
}
