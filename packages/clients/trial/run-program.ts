import { spawn } from 'node:child_process';

/** How a program ended: its code, null when its time was over; and the end of what it wrote. */
export interface Ended {
  code: number | null;
  output: string;
}

/**
 * Runs a program with nothing of this process's environment but the given variables, and ends it when its time is over, with
 * all that it has started. Throws when there is no such program.
 */
export function runProgram(
  [program = '', ...args]: readonly string[],
  options: { cwd: string; env: Record<string, string>; timeoutMs: number },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const { cwd, env } = options;
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-2_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const ending = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), options.timeoutMs);
    child.on('error', (error) => {
      clearTimeout(ending);
      reject(error);
    });
    child.on('close', (code) => {
      clearTimeout(ending);
      resolve({ code, output });
    });
  });
}
