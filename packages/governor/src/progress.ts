/** A terminal, or what stands for one. */
export interface ProgressStream {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

export interface Progress {
  /** Counts done so far; without a total neither a share nor a rest is shown. */
  update: (done: number, total?: number) => void;
  /** Removes the bar. Safe to repeat. */
  end: () => void;
}

const REDRAW_MS = 100;
const CLEAR = '\r\u001b[K';

/** Starts a bar on standard error. Without a terminal it writes nothing at all. `clock.now` is in ms. */
export function startProgress(clock: { now(): number }, stream: ProgressStream = process.stderr): Progress {
  const startedMs = clock.now();
  let drawnMs = Number.NEGATIVE_INFINITY;
  let isShown = false;
  return {
    update: (done, total) => {
      if (stream.isTTY !== true || (clock.now() - drawnMs < REDRAW_MS && done !== total)) return;
      drawnMs = clock.now();
      isShown = true;
      stream.write(`${CLEAR}${renderProgress(done, total, clock.now() - startedMs)}`);
    },
    end: () => {
      if (isShown) stream.write(CLEAR);
      isShown = false;
    },
  };
}

/** Runs work with a bar, which goes with it however it ends. */
export async function withProgress<Result>(
  clock: { now(): number },
  work: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  const progress = startProgress(clock);
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}

const BAR_WIDTH = 24;

/** One line of less than 80 columns: bar, count, rate and rest. */
export function renderProgress(done: number, total: number | undefined, elapsedMs: number): string {
  const perSecond = elapsedMs > 0 ? done / (elapsedMs / 1_000) : 0;
  const rate = `${Math.round(perSecond)}/s`;
  if (total === undefined) return `${done}  ${rate}`;
  const share = total > 0 ? Math.min(done / total, 1) : 1;
  const filled = Math.floor(share * BAR_WIDTH);
  const bar = '#'.repeat(filled) + '-'.repeat(BAR_WIDTH - filled);
  const left = perSecond > 0 && done < total ? `, ${Math.ceil((total - done) / perSecond)} s left` : '';
  return `[${bar}] ${String(Math.floor(share * 100)).padStart(3)}%  ${done}/${total}  ${rate}${left}`;
}
