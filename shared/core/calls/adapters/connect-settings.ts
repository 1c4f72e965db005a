/** Tools that send by OpenTelemetry, and what an application of one's own needs (`otel`). */
export const CONNECTABLE = [
  'claude-code',
  'codex',
  'gemini',
  'qwen',
  'copilot',
  'opencode',
  'litellm',
  'otel',
] as const;
export type Connectable = (typeof CONNECTABLE)[number];

interface Target {
  /** Base URL of the api, without a slash at the end. */
  api: string;
  key: string;
  projectId?: string | undefined;
}

/** The settings that connect a tool: `NAME=value` lines, for Codex the TOML of `~/.codex/config.toml`. */
export function settingsFor(tool: Connectable, target: Target): string[] {
  switch (tool) {
    case 'claude-code':
      return ['CLAUDE_CODE_ENABLE_TELEMETRY=1', 'OTEL_LOGS_EXPORTER=otlp', ...standard(target)];
    case 'codex':
      return codexToml(target);
    case 'gemini':
      return geminiSettings('GEMINI', target);
    case 'qwen':
      return geminiSettings('QWEN', target);
    case 'copilot':
      return ['COPILOT_OTEL_ENABLED=true', ...standard(target)];
    case 'opencode':
      return ['OTEL_BSP_SCHEDULE_DELAY=0', ...standard(target)];
    case 'litellm':
    case 'otel':
      return standard(target);
  }
}

const PLACES: Partial<Record<Connectable, string>> = {
  codex: 'Put this into ~/.codex/config.toml.',
  opencode: 'Set these variables, and experimental.openTelemetry to true in its configuration.',
  litellm: 'Set these variables, and callbacks: ["otel"] in its configuration.',
};

/** The place of the settings, and what else the tool needs. */
export function placeOf(tool: Connectable): string {
  return PLACES[tool] ?? 'Set these variables where the tool runs.';
}

/** Every OpenTelemetry SDK reads these. The header is W3C baggage, where a blank is %20. */
function standard(target: Target): string[] {
  return [
    `OTEL_EXPORTER_OTLP_ENDPOINT=${target.api}/otlp`,
    'OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
    `OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20${target.key}`,
    ...project(target),
  ];
}

/** Both tools read the same variables, each under its own name. */
function geminiSettings(name: 'GEMINI' | 'QWEN', target: Target): string[] {
  return [
    `${name}_TELEMETRY_ENABLED=true`,
    `${name}_TELEMETRY_TARGET=local`,
    `${name}_TELEMETRY_OTLP_PROTOCOL=http`,
    `${name}_TELEMETRY_OTLP_ENDPOINT=${target.api}/otlp`,
    `${name}_TELEMETRY_LOG_PROMPTS=false`,
    `OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20${target.key}`,
    ...project(target),
  ];
}

function project({ projectId }: Target): string[] {
  return projectId === undefined
    ? []
    : [`OTEL_RESOURCE_ATTRIBUTES=project.id=${encodeURIComponent(projectId)}`];
}

function codexToml({ api, key }: Target): string[] {
  const headers = `{ "Authorization" = "Bearer ${key}" }`;
  return [
    '[otel]',
    `exporter = { otlp-http = { endpoint = "${api}/otlp/v1/logs", protocol = "binary", headers = ${headers} } }`,
    'metrics_exporter = "none"',
  ];
}
