/** How long a test waits for something that no promise gives a time: longer than the slowest machine takes. Milliseconds. */
export const PATIENCE_MS = Number(process.env.TEST_PATIENCE_MS ?? 120_000);
