import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { given } from '../../../../../shared/platform/basics/given.ts';
import { type Api, ask } from '../../api/ask.ts';
import { type TargetFlags, targetOf, withTarget } from '../../api/target.ts';
import type { Env } from '../../commands.ts';
import { pullRequestOfJob, type ReportBody } from './from-ci.ts';
import { FORMATS, type Format, readSummary, renderSummary } from './summary.ts';

interface NameFlags extends TargetFlags {
  repository?: string;
  number?: number;
}

interface ReportFlags extends NameFlags {
  branch?: string;
  state?: string;
  openedAt?: string;
  closedAt?: string;
  updatedAt?: string;
  headRepository?: string;
  baseBranch?: string;
  title?: string;
  url?: string;
}

/** `pr`: pull requests, in CI jobs. */
export function addPullRequestCommands(program: Command, around: Env): void {
  const pr = program.command('pr').description('Pull requests, in CI jobs');
  addReport(pr, around);
  addSummary(pr, around, () => program.opts().json === true);
}

function addReport(pr: Command, around: Env): void {
  withTarget(pr.command('report'), 'signals:write')
    .description(
      'Report a pull request: the one that a job of GitHub Actions, GitLab CI or Bitbucket Pipelines runs for, or by options',
    )
    .option('--repository <address>', 'the base repository')
    .option('--number <n>', 'its number there', parseNumber)
    .option('--branch <name>', 'the head branch')
    .option('--state <state>', 'open, closed or merged')
    .option('--opened-at <time>', 'ISO 8601')
    .option('--closed-at <time>', 'ISO 8601; needed unless it is open')
    .option('--updated-at <time>', 'ISO 8601; default: now')
    .option('--head-repository <address>', 'default: the base repository')
    .option('--base-branch <name>')
    .option('--title <text>')
    .option('--url <url>', 'its page')
    .action(async (flags: ReportFlags) => {
      around.print(await report(targetOf(flags, around), { ...jobOf(around), ...bodyOf(flags) }));
    });
}

function addSummary(pr: Command, around: Env, isJson: () => boolean): void {
  withTarget(pr.command('summary'), 'usage:read')
    .description('Print what a pull request has cost, for a comment of a CI job, for example')
    .option('--repository <address>', 'the base repository; default: that of the job')
    .option('--number <n>', 'its number there; default: that of the job', parseNumber)
    .addOption(new Option('--format <format>').choices([...FORMATS]).default('markdown' satisfies Format))
    .action(async (flags: NameFlags & { format: Format }) => {
      const { repository, number } = { ...jobOf(around), ...bodyOf(flags) };
      if (repository === undefined || number === undefined)
        throw new Error('This is no job of a pull request. Name --repository and --number.');
      const summary = await readSummary(targetOf(flags, around), { repository, number }, sleep);
      if (isJson()) around.print(summary);
      else console.log(renderSummary(summary, flags.format));
    });
}

function jobOf({ env, now }: Env): ReportBody {
  return pullRequestOfJob(env, (path) => readFileSync(path, 'utf8'), now());
}

export function parseNumber(value: string): number {
  if (!/^[1-9]\d{0,9}$/.test(value)) throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return Number(value);
}

function bodyOf(flags: ReportFlags): ReportBody {
  return given({
    repository: flags.repository,
    number: flags.number,
    branch: flags.branch,
    state: flags.state,
    opened_at: flags.openedAt,
    closed_at: flags.closedAt,
    updated_at: flags.updatedAt,
    head_repository: flags.headRepository,
    base_branch: flags.baseBranch,
    title: flags.title,
    url: flags.url,
  });
}

const NEEDED = ['repository', 'number', 'branch', 'state', 'opened_at'] as const;

async function report(target: Api, body: ReportBody): Promise<Record<string, unknown>> {
  const missing = NEEDED.filter((field) => body[field] === undefined);
  if (missing.length === NEEDED.length)
    throw new Error('This is no job of a pull request. Name it by options: governor pr report --help');
  if (missing.length > 0)
    throw new Error(`Name --${missing.map((field) => field.replace('_', '-')).join(', --')}.`);
  return ask(target, '/api/v1/pull-requests', JSON.stringify(body), sleep, z.record(z.string(), z.unknown()));
}
