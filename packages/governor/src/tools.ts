import type { Tool } from './history.ts';
import { claudeCode } from './readers/claude-code.ts';
import { codex } from './readers/codex.ts';
import { copilot } from './readers/copilot.ts';
import { gemini } from './readers/gemini.ts';
import { opencode } from './readers/opencode.ts';
import { qwen } from './readers/qwen.ts';

/** Every tool whose history can be read from its folder. */
export const TOOLS: readonly Tool[] = [claudeCode, codex, gemini, qwen, opencode, copilot];
