import { bareSchema } from '../json-schema/schema.ts';
import { API_WINGS } from '../wings/index.ts';
import { checkSpend, getBudget, releaseSpend, reserveSpend } from './budget-tools.ts';
import { getUsageTool, whoami } from './read-tools.ts';
import { explainCostTool, getSessionTool, listSessionsTool } from './session-tools.ts';
import type { Tool } from './tool/tool.ts';

/** Every tool, in the order of the list. */
const TOOLS: readonly Tool[] = [
  whoami,
  getUsageTool,
  listSessionsTool,
  getSessionTool,
  explainCostTool,
  ...API_WINGS.flatMap(({ tools = [] }) => tools),
  getBudget,
  checkSpend,
  reserveSpend,
  releaseSpend,
];

const byName = new Map(TOOLS.map((tool) => [tool.name, tool]));

export function toolNamed(name: string | undefined): Tool | undefined {
  return name === undefined ? undefined : byName.get(name);
}

/** The answer of `tools/list`, the same for everybody. */
export const TOOL_LIST = TOOLS.map(({ name, title, description, input, output, isReader, scope }) => ({
  name,
  title,
  description: scope === null ? description : `${description} Needs the scope ${scope}.`,
  inputSchema: objectSchema(bareSchema(input, 'input')),
  outputSchema: objectSchema(withoutWords(bareSchema(output, 'output'))),
  annotations: {
    readOnlyHint: isReader,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
}));

function objectSchema(schema: Record<string, unknown>): Record<string, unknown> & { type: 'object' } {
  return { ...schema, type: 'object' };
}

/** A schema without descriptions: a result's names speak for themselves, and every client reads the list. */
function withoutWords(schema: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(schema, (name, value) =>
    name === 'description' && typeof value === 'string' ? undefined : value,
  );
  return JSON.parse(text) as Record<string, unknown>;
}
