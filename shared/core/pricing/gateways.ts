/*
 * Names of gateways, tools and frameworks that pass calls on and set no price: the model's own name says who does. Each is written
 * as it counts. A server that a company may run itself (`vllm`, `ollama`) is none: what it charges is its own affair.
 */

const ROUTERS = `
  gateway unknown litellm litellm-proxy portkey vercel vercel-ai-gateway ai-gateway cloudflare cloudflare-ai-gateway
  cf-aig helicone kong kong-ai-gateway bifrost envoy envoy-ai-gateway apisix tyk requesty truefoundry martian unify
  braintrust langdb higress one-api new-api github github-models`;
const TOOLS = `
  github-copilot copilot cursor opencode cline roo-code kilo-code kilocode aider continue goose windsurf zed
  claude-code codex gemini-cli`;
const FRAMEWORKS = `
  strands strands-agents aws-strands spring-ai pydantic-ai semantic-kernel openai-agents openai-agents-sdk
  agent-framework microsoft-agent-framework microsoft-agents smolagents agno phidata mastra google-adk adk haystack
  ag2 autogen dspy langgraph langchain langchain4j llama-index crewai camel camel-ai letta memgpt griptape genkit
  firebase-genkit ai-sdk vercel-ai-sdk claude-agent-sdk beeai beeai-framework instructor marvin mirascope magentic
  promptflow guidance metagpt swarm rig langflow flowise dify n8n browser-use atomic-agents koog embabel quarkus`;
/** Some spans name the instrumentation instead of a provider. */
const INSTRUMENTATIONS = `
  langfuse langsmith traceloop openllmetry openinference openlit logfire phoenix`;

const NAMES = [
  '',
  ...[ROUTERS, TOOLS, FRAMEWORKS, INSTRUMENTATIONS].flatMap((names) => names.trim().split(/\s+/)),
];

const bySqueezedName = new Map(NAMES.map((name) => [squeeze(name), name]));

/** The name that a gateway or a framework counts under, by any spelling of it in lower case; undefined for what is none. */
export function gatewayNamed(folded: string): string | undefined {
  return bySqueezedName.get(squeeze(folded));
}

/** Without the `-` between words: `LlamaIndex` and `llama_index` are one. */
function squeeze(folded: string): string {
  return folded.replaceAll('-', '');
}
