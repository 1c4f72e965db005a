/** A call as `POST /api/v1/signals` takes it, by curl. A key that is bound to nobody needs the id of a user. */
export function signalsCommand(origin: string, key: string, userId: string | null): string {
  const user = userId === null ? '' : `\n    "user_id": "${userId}",`;
  return `curl ${origin}/api/v1/signals \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "id": "call-'$(date +%s)'",
    "ts": "'$(date -u +%FT%TZ)'",${user}
    "adapter": "curl",
    "model": "gpt-4o-mini",
    "provider": "openai",
    "tokens_in": 100,
    "tokens_out": 10
  }'`;
}

/** A whole program that reports one call. It needs Python 3 alone. */
export function pythonProgram(origin: string, key: string, userId: string | null): string {
  const user = userId === null ? '' : `\n        "user_id": "${userId}",`;
  return `# report.py, run by: python3 report.py
import json, urllib.request, uuid
from datetime import datetime, timezone

def report(model, provider, tokens_in, tokens_out):
    signal = {
        "id": str(uuid.uuid4()),
        "ts": datetime.now(timezone.utc).isoformat(),
        "adapter": "my-app",${user}
        "model": model,
        "provider": provider,
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
    }
    request = urllib.request.Request(
        "${origin}/api/v1/signals",
        data=json.dumps(signal).encode(),
        headers={
            "Authorization": "Bearer ${key}",
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)["results"][0]

print(report("gpt-4o-mini", "openai", 100, 10))
`;
}

/** A whole program that reports one call. It needs Node.js 20 or later alone. */
export function nodeProgram(origin: string, key: string, userId: string | null): string {
  const user = userId === null ? '' : `\n      user_id: '${userId}',`;
  return `// report.mjs, run by: node report.mjs
import { randomUUID } from 'node:crypto';

async function report({ model, provider, tokensIn, tokensOut }) {
  const answer = await fetch('${origin}/api/v1/signals', {
    method: 'POST',
    headers: {
      Authorization: 'Bearer ${key}',
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({
      id: randomUUID(),
      ts: new Date().toISOString(),
      adapter: 'my-app',${user}
      model,
      provider,
      tokens_in: tokensIn,
      tokens_out: tokensOut,
    }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  const { results } = await answer.json();
  return results[0];
}

console.log(await report({ model: 'gpt-4o-mini', provider: 'openai', tokensIn: 100, tokensOut: 10 }));
`;
}

/** The first call of a key with these scopes, as curl. */
export function exampleCall(
  origin: string,
  { key, scopes, user_id }: { key: string; scopes: readonly string[]; user_id: string | null },
): string {
  const get = (path: string) => `curl '${origin}${path}' \\\n  -H "Authorization: Bearer ${key}"`;
  const post = (path: string, body: object) =>
    `curl ${origin}${path} \\\n  -H "Authorization: Bearer ${key}" \\\n  -H "Content-Type: application/json" \\\n  -d '${JSON.stringify(body)}'`;
  if (scopes.includes('signals:write')) return signalsCommand(origin, key, user_id === null ? 'ada' : null);
  if (scopes.includes('usage:read')) return get('/api/v1/usage?group_by=model');
  if (scopes.includes('budgets:check')) return post('/api/v1/budgets/check', { estimate_usd: 0.1 });
  if (scopes.includes('webhooks:write')) return get('/api/v1/webhooks');
  if (scopes.includes('budgets:write'))
    return post('/api/v1/budgets', {
      name: 'At most',
      scope: 'org',
      metric: 'cost_usd',
      threshold: 100,
      window: 'monthly',
    });
  return get('/api/v1/organization');
}
