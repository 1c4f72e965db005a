/** One call of a model, as the model server counted it. Tokens as signals have them: the input includes what was cached. */
export interface ModelCall {
  model: string;
  tokensIn: number;
  tokensOut: number;
  cacheRead: number;
  cacheWrite: number;
  /** Tokens of the output. */
  reasoning: number;
  isFailed: boolean;
}

/** The contents of a request, whatever protocol it speaks. */
export interface Question {
  model: string;
  /** All that was said so far. */
  text: string;
  /** Names of the tools that it offers. */
  tools: readonly string[];
  /** True when a tool has answered already. */
  hasToolResult: boolean;
}

/** The model's answer: an error, the use of a tool, or text. */
export type Answer =
  | { kind: 'error' }
  | { kind: 'tool'; call: ModelCall; tool: string; input: Record<string, string> }
  | { kind: 'text'; call: ModelCall; text: string };

/** Words that must be found nowhere in what the product stores. */
export const MARKS = {
  prompt: 'MARKED-PROMPT-5d1f',
  answer: 'MARKED-ANSWER-5d1f',
  argument: 'MARKED-ARGUMENT-5d1f',
} as const;

/** In a prompt: fail, or use a tool. */
export const FAIL = 'please-fail';
export const USE_TOOL = 'please-use-a-tool';

/** Tools that run a command, as each agent calls them, with the name of the command's parameter. */
const SHELLS: Readonly<Record<string, string>> = {
  Bash: 'command',
  bash: 'command',
  shell: 'command',
  shell_command: 'command',
  exec_command: 'cmd',
  run_shell_command: 'command',
  lookup: 'word',
};

/** The model behind all protocols. Every call has counts of its own, so that none is taken for another. */
export function createModel(): { calls: ModelCall[]; answer: (question: Question) => Answer } {
  const calls: ModelCall[] = [];
  return {
    calls,
    answer: (question) => {
      const call = { ...countsOf(calls.length), model: question.model, isFailed: false };
      if (question.text.includes(FAIL)) {
        calls.push({ ...call, ...NO_COUNTS, isFailed: true });
        return { kind: 'error' };
      }
      calls.push(call);
      const tool = question.tools.find((name) => Object.hasOwn(SHELLS, name));
      if (!tool || !question.text.includes(USE_TOOL) || question.hasToolResult)
        return { kind: 'text', call, text: `Done. ${MARKS.answer}` };
      return { kind: 'tool', call, tool, input: toolInput(tool) };
    },
  };
}

const NO_COUNTS = { tokensIn: 0, tokensOut: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

function countsOf(index: number) {
  return {
    tokensIn: 2_000 + index * 37,
    tokensOut: 120 + index * 7,
    cacheRead: 1_000 + index * 11,
    cacheWrite: 200 + index * 5,
    reasoning: 10 + index,
  };
}

function toolInput(tool: string): Record<string, string> {
  const text = `echo ${MARKS.argument}`;
  return { [SHELLS[tool] ?? 'command']: text, description: 'Says a word' };
}
