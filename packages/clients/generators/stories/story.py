"""The story of generators.ts, told with the client that openapi-python-client makes."""

import json
import os
from datetime import datetime, timezone

from governor.api.sessions import get_api_v1_sessions, get_api_v1_sessions_id
from governor.api.signals import post_api_v1_signals
from governor.api.usage import get_api_v1_usage
from governor.api.webhooks import post_api_v1_webhooks
from governor.client import AuthenticatedClient
from governor.models import (
    PostApiV1SignalsBodyType0,
    PostApiV1WebhooksBody,
    PostApiV1WebhooksBodyEventsItem,
    SignalInput,
)

api = AuthenticatedClient(base_url=os.environ["GOVERNOR_API"], token=os.environ["GOVERNOR_API_KEY"])


def signal(id, tokens):
    return SignalInput(
        id=id,
        ts=datetime.now(timezone.utc).isoformat(),
        user_id="ada",
        adapter=f"story-{id}",
        model="gpt-4o-mini",
        tokens_in=tokens,
        tokens_out=tokens,
    )


accepted = post_api_v1_signals.sync(client=api, body=signal("one", 100)).results[0]
batch = PostApiV1SignalsBodyType0(signals=[signal("two", 10), signal("three", 1)])
more = post_api_v1_signals.sync(client=api, body=batch)

asked = {"client": api, "limit": 2, "from_": datetime.now(timezone.utc).date().isoformat()}
page = first = get_api_v1_sessions.sync(**asked)
seen = [session.id for session in page.data]
while page.has_more:
    page = get_api_v1_sessions.sync(**asked, cursor=page.cursor)
    seen += [session.id for session in page.data]
session = get_api_v1_sessions_id.sync(accepted.session_id, client=api)

totals = get_api_v1_usage.sync(client=api).totals
refused = get_api_v1_sessions.sync(client=api, limit=1000)
hook = post_api_v1_webhooks.sync_detailed(
    client=api,
    body=PostApiV1WebhooksBody(
        url="https://hooks.example.com/python",
        events=[PostApiV1WebhooksBodyEventsItem.SESSION_ENDED],
        secret="a-secret-of-at-least-32-characters",
    ),
)
missing = get_api_v1_sessions_id.sync("ses_none", client=api)

print(
    json.dumps(
        {
            "posted": [accepted.id, accepted.status],
            "batch": len(more.results),
            "sessions": [first.total, len(seen)],
            "session": [session.started_at.tzinfo is not None, session.tokens_in, session.signals[0].id],
            "usage": [totals.tokens_in, totals.cost_usd],
            "problem": [refused.status, refused.code, refused.errors[0].parameter],
            "webhook": [hook.status_code, hook.parsed.enabled],
            "missing": [missing.status, missing.code],
        }
    )
)
