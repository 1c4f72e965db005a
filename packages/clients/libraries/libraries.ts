import { FAIL, MARKS } from '../models/ledger.ts';

/** A published Python library that reports its calls by OpenTelemetry. */
export interface Library {
  name: string;
  /** Its name on the command line. */
  id: string;
  /** pip's names of its packages; the first is the one whose version is shown. */
  packs: readonly [string, ...string[]];
  /** Statements of Python that make `call(prompt)` and `stream(prompt)`, given `MODEL` (an address) and a tracer provider. */
  setUp: string;
  env?: Record<string, string>;
  /** The library reports no cache counts. */
  hidesCache?: boolean;
  /** The library counts the first output token of a stream twice (docs/adapters.md), so none is played. */
  missesStreams?: boolean;
}

const OPENTELEMETRY = ['opentelemetry-sdk', 'opentelemetry-exporter-otlp-proto-http'];

const ANTHROPIC = `
import anthropic
client = anthropic.Anthropic(base_url=MODEL, api_key="none", max_retries=0)
def ask(prompt, **options):
    messages = [{"role": "user", "content": prompt}]
    return client.messages.create(model="claude-sonnet-4-5", max_tokens=1000, messages=messages, **options)
def call(prompt):
    ask(prompt)
def stream(prompt):
    for _ in ask(prompt, stream=True): pass
`;

const ANTHROPIC_OF_OPENLLMETRY = `
from opentelemetry.instrumentation.anthropic import AnthropicInstrumentor
AnthropicInstrumentor().instrument()
${ANTHROPIC}`;

export const LIBRARIES: readonly Library[] = [
  {
    name: 'Anthropic SDK (Python)',
    id: 'anthropic',
    packs: ['anthropic', ...OPENTELEMETRY],
    setUp: ANTHROPIC,
  },
  {
    name: 'OpenInference, OpenAI',
    id: 'openinference',
    packs: ['openinference-instrumentation-openai', 'openai', ...OPENTELEMETRY],
    setUp: `
from openinference.instrumentation.openai import OpenAIInstrumentor
OpenAIInstrumentor().instrument()
import openai
client = openai.OpenAI(base_url=MODEL + "/v1", api_key="none", max_retries=0)
def ask(prompt, **options):
    messages = [{"role": "user", "content": prompt}]
    return client.chat.completions.create(model="gpt-5", messages=messages, **options)
def call(prompt):
    ask(prompt)
def stream(prompt):
    for _ in ask(prompt, stream=True, stream_options={"include_usage": True}): pass
`,
  },
  {
    name: 'OpenLLMetry, Anthropic',
    id: 'openllmetry',
    packs: ['opentelemetry-instrumentation-anthropic', 'anthropic', ...OPENTELEMETRY],
    setUp: ANTHROPIC_OF_OPENLLMETRY,
    env: { ANTHROPIC_OPEN_TELEMETRY: 'false' },
    missesStreams: true,
  },
  {
    name: 'OpenLLMetry beside the SDK',
    id: 'both',
    packs: ['opentelemetry-instrumentation-anthropic', 'anthropic', ...OPENTELEMETRY],
    setUp: ANTHROPIC_OF_OPENLLMETRY,
  },
  {
    name: 'LiteLLM (Python)',
    id: 'litellm',
    packs: ['litellm', ...OPENTELEMETRY],
    setUp: `
import litellm
litellm.callbacks = ["otel"]
def ask(prompt, **options):
    messages = [{"role": "user", "content": prompt}]
    return litellm.completion(model="openai/gpt-5", api_base=MODEL + "/v1", api_key="none", max_retries=0,
                              messages=messages, **options)
def call(prompt):
    ask(prompt)
def stream(prompt):
    for _ in ask(prompt, stream=True, stream_options={"include_usage": True}): pass
`,
    hidesCache: true,
  },
];

/** A whole program: a call, a streamed one, and one that fails. It ends once everything is exported. */
export function programOf({ setUp, missesStreams = false }: Library, modelUrl: string): string {
  const second = `${missesStreams ? 'call' : 'stream'}(${JSON.stringify(`again ${MARKS.prompt}`)})`;
  return `
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
MODEL = ${JSON.stringify(modelUrl)}
${setUp}
call(${JSON.stringify(MARKS.prompt)})
${second}
try:
    call(${JSON.stringify(`${FAIL} ${MARKS.prompt}`)})
except Exception as error:
    print("failed:", type(error).__name__)
provider.shutdown()
`;
}
