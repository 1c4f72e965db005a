/** Progress for people, always on stderr: with --json nothing but the one line may reach stdout. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** The message of whatever was thrown. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
