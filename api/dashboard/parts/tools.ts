export const TOOLS = {
  'claude-code': 'Claude Code',
  codex: 'Codex CLI',
  gemini: 'Gemini CLI',
  qwen: 'Qwen Code',
  copilot: 'GitHub Copilot CLI',
  opencode: 'OpenCode',
  litellm: 'LiteLLM',
  opentelemetry: 'An application with OpenTelemetry',
  signals: 'Anything else, by HTTP',
} as const;
export type Tool = keyof typeof TOOLS;

export function isTool(name: string | undefined): name is Tool {
  return name !== undefined && name in TOOLS;
}

/** What a tool has to be told, ready to paste. `origin` is where this service is reached, `key` an API key. */
export function settingsFor(tool: Tool, origin: string, key: string): string {
  switch (tool) {
    case 'claude-code':
      return `export CLAUDE_CODE_ENABLE_TELEMETRY=1
export OTEL_LOGS_EXPORTER=otlp
${standard(origin, key)}
claude`;
    case 'codex':
      return `# ~/.codex/config.toml
[otel]
exporter = { otlp-http = { endpoint = "${origin}/otlp/v1/logs", protocol = "binary", headers = { "Authorization" = "Bearer ${key}" } } }
metrics_exporter = "none"`;
    case 'gemini':
    case 'qwen':
      return `export ${tool.toUpperCase()}_TELEMETRY_ENABLED=true
export ${tool.toUpperCase()}_TELEMETRY_TARGET=local
export ${tool.toUpperCase()}_TELEMETRY_OTLP_PROTOCOL=http
export ${tool.toUpperCase()}_TELEMETRY_OTLP_ENDPOINT=${origin}/otlp
export ${tool.toUpperCase()}_TELEMETRY_LOG_PROMPTS=false
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20${key}"
${tool}`;
    case 'copilot':
      return `export COPILOT_OTEL_ENABLED=true
${standard(origin, key)}
copilot`;
    case 'opencode':
      return `# opencode.json: "experimental": { "openTelemetry": true }
export OTEL_BSP_SCHEDULE_DELAY=0
${standard(origin, key)}
opencode`;
    case 'litellm':
      return `# config.yaml, litellm_settings: callbacks: ["otel"]
${standard(origin, key)}`;
    case 'opentelemetry':
      return standard(origin, key);
    case 'signals':
      return `curl ${origin}/api/v1/signals \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "id": "call-1",
    "ts": "'$(date -u +%FT%TZ)'",
    "adapter": "curl",
    "model": "gpt-4o-mini",
    "provider": "openai",
    "tokens_in": 100,
    "tokens_out": 10
  }'`;
  }
}

/** The variables of the OpenTelemetry specification. */
function standard(origin: string, key: string): string {
  return `export OTEL_EXPORTER_OTLP_ENDPOINT=${origin}/otlp
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20${key}"`;
}
