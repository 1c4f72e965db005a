/** A failure that the person at the terminal can mend: what is wrong, and what to do about it. */
export class SetupError extends Error {
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(problem);
    this.name = 'SetupError';
    this.remedy = remedy;
  }
}
