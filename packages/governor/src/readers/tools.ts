import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { gemini, qwen } from './gemini.ts';
import type { Tool } from './history.ts';
import { opencode } from './opencode.ts';

/** Every tool whose history can be read from its folder. */
export const TOOLS: readonly Tool[] = [claudeCode, codex, gemini, qwen, opencode, copilot];

/** Throws for a name that none of them has. */
export function toolNamed(name: string): Tool {
  const tool = TOOLS.find((known) => known.name === name);
  if (!tool)
    throw new Error(`The tool is one of ${TOOLS.map((known) => known.name).join(', ')}, ccusage, ndjson.`);
  return tool;
}
