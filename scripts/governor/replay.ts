import { randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { print } from '../../packages/governor/src/output/print.ts';
import { withProgress } from '../../packages/governor/src/progress.ts';
import { readDemo, readUp } from '../../packages/stack/read-run.ts';
import { systemClock } from '../../shared/platform/basics/clock.ts';
import { replay } from '../traffic/replay.ts';
import { parseInteger } from './basics/input.ts';

interface ReplayFlags {
  format: 'azure-llm';
  users: number;
  speed: 'max' | 'real' | number;
  api?: string;
  key?: string;
  projectId?: string;
  runId?: string;
}

/** `replay`: real traffic through the public API, as a client would send it. */
export function addReplayCommand(program: Command, env: Record<string, string | undefined>): void {
  program
    .command('replay <file>')
    .description('Send a trace through the API, its times moved so that it ends now')
    .requiredOption('--format <format>', 'azure-llm', parseFormat)
    .option('--users <n>', 'how many users the calls are spread over', parseInteger, 50)
    .option('--speed <speed>', 'max, real, or a factor such as ×60', parseSpeed, 'max')
    .option('--api <url>', 'default: the running scripts/up')
    .option('--key <key>', 'API key; default: GOVERNOR_API_KEY, else the demo key of scripts/up')
    .option('--project-id <id>')
    .option('--run-id <id>', 'the same id sends the same signals: a repeat changes nothing')
    .action(async (file: string, flags: ReplayFlags) => {
      const { json, data } = program.opts<{ json?: boolean; data: string }>();
      const api = flags.api ?? readUp(data).api;
      const apiKey = flags.key ?? env.GOVERNOR_API_KEY ?? readDemo(data);
      if (!api || !apiKey) throw new Error('No running scripts/up was found: name --api and --key.');
      const now = systemClock.now();
      const runId = flags.runId ?? randomBytes(6).toString('hex');
      const options = { ...flags, file, api, apiKey, now, project: flags.projectId, runId };
      const summary = await withProgress(systemClock, ({ update }) =>
        replay({ ...options, onProgress: update }),
      );
      const {
        rejectedCodes: rejected_codes,
        seconds,
        signalsPerSecond: signals_per_second,
        ...counts
      } = summary;
      const rate = { seconds: Math.round(seconds * 1_000) / 1_000, signals_per_second };
      print({ ...counts, rejected_codes, ...rate }, { json: json === true });
    });
}

function parseFormat(value: string): string {
  if (value !== 'azure-llm') throw new InvalidArgumentError('The one format known is azure-llm.');
  return value;
}

function parseSpeed(value: string): 'max' | 'real' | number {
  if (value === 'max' || value === 'real') return value;
  const factor = Number(value.replace(/^[×x]/, ''));
  if (!(factor > 0 && Number.isFinite(factor)))
    throw new InvalidArgumentError('It is max, real, or a factor such as ×60.');
  return factor;
}
