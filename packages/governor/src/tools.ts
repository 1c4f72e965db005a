import type { Tool } from './history.ts';
import { claudeCode } from './readers/claude-code.ts';
import { codex } from './readers/codex.ts';
import { copilot } from './readers/copilot.ts';
import { gemini } from './readers/gemini.ts';
import { opencode } from './readers/opencode.ts';
import { qwen } from './readers/qwen.ts';

/** Every tool whose history can be read from its folder. */
export const TOOLS: readonly Tool[] = [claudeCode, codex, gemini, qwen, opencode, copilot];

/** Throws for a name that none of them has. */
export function toolNamed(name: string): Tool {
  const tool = TOOLS.find((known) => known.name === name);
  if (!tool)
    throw new Error(`The tool is one of ${TOOLS.map((known) => known.name).join(', ')}, ccusage, ndjson.`);
  return tool;
}
