import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer } from '../models/model-server.ts';
import { compare } from '../trial/compare.ts';
import { runProgram } from '../trial/run-program.ts';
import {
  baseEnvironment,
  connect,
  findLeak,
  installPython,
  pythonVersion,
  type Row,
  RUN_MS,
  readSignals,
  type Trial,
} from '../trial/trial.ts';
import { type Library, programOf } from './libraries.ts';

/** A library has no history and no settings of `governor connect`: the variables of "Your own application" connect it. */
export async function tryLibrary(library: Library, trial: Trial): Promise<Row> {
  const home = join(trial.folder, `python-${library.id}`);
  mkdirSync(home, { recursive: true });
  const programs = installPython(library.packs, home);
  const model = await startModelServer();
  try {
    const { orgId, key } = await connect(trial, library.id, { scopes: ['signals:write'], isBound: true });
    const program = join(home, 'program.py');
    writeFileSync(program, programOf(library, model.url));
    const env = {
      ...baseEnvironment(home),
      OTEL_EXPORTER_OTLP_ENDPOINT: `${trial.api}/otlp`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${key}`,
      ...library.env,
    };
    const options = { cwd: home, env, timeoutMs: RUN_MS };
    const { code, output } = await runProgram([join(programs, 'python'), program], options);
    const { hidesCache = false } = library;
    const signals = await readSignals(trial, orgId);
    const { isRight, ...told } = compare(signals, model.calls, { hidesErrors: false, hidesCache });
    const content = await findLeak(trial, orgId);
    const isFine = isRight && content === 'none' && code === 0;
    const result = isFine ? 'right' : `WRONG (exit code ${code}) ${output.slice(-300)}`;
    const version = pythonVersion(library.packs[0], programs);
    return { client: library.name, version, ...told, content, result };
  } finally {
    model.close();
  }
}
