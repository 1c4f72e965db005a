/** Progress goes to stderr, always: with --json nothing but the one line may reach stdout. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
