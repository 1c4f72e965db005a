"""Hook of the LiteLLM proxy: a call is made only when its cost fits into the budgets of usage-governor.

In the proxy's configuration: ``litellm_settings: {callbacks: ["usage_governor_litellm.governor"]}``.
Prompts, answers and keys are neither sent nor logged.
"""

import asyncio
import atexit
import base64
import hashlib
import json
import logging
import os
import time
import unicodedata
import uuid
from collections import OrderedDict, deque
from datetime import datetime, timezone

import httpx
import litellm
from fastapi import HTTPException
from litellm.integrations.custom_logger import CustomLogger

log = logging.getLogger("usage_governor")

# Calls that a model bills. Others, such as moderations and file uploads, pass.
BILLED = {
    "acompletion", "completion", "atext_completion", "text_completion", "aembedding", "embedding", "embeddings",
    "aresponses", "responses", "anthropic_messages", "aanthropic_messages", "agenerate_content", "generate_content",
    "agenerate_content_stream", "generate_content_stream",
}
# What is left of a report that was rejected, sent once more: it settles the reservation.
ALWAYS_VALID = {
    "id", "ts", "user_id", "adapter", "model", "tokens_in", "tokens_out", "cost_usd", "reservation_id", "error",
}
# LiteLLM takes its id of a call from here where a client sends it. Calls with one id would pass on one reservation, and count once.
CALL_ID_HEADER = "x-litellm-call-id"
# What a request may say beside its messages, all of it read by the model.
BESIDE = ("system", "instructions", "systemInstruction", "system_instruction", "tools")
# A shorter id of a provider repeats, and a call with a known id would not count.
SHORTEST_UNIQUE_ID = 16
MOST_WAITING = 10_000
MOST_OPEN = 100_000
BATCH = 500
DRAIN_S = 5
RETRY_S = (0.25, 1, 5, 15)
REPORT_S = 30
MOST_ANSWER_BYTES = 1_048_576


class Settings:
    """The settings of the hook, read from the environment once."""

    def __init__(self, env=os.environ):
        self.api = env.get("GOVERNOR_API", "").rstrip("/")
        self.key = env.get("GOVERNOR_API_KEY", "").strip()
        self.denies = env.get("GOVERNOR_ON_ERROR", "deny") != "allow"
        self.timeout_s = int(env.get("GOVERNOR_TIMEOUT_MS", "2000")) / 1000
        self.ttl_s = int(env.get("GOVERNOR_TTL_S", "600"))
        self.user_from = env.get("GOVERNOR_USER_FROM", "user_id")
        self.tokens_out = int(env.get("GOVERNOR_MAX_TOKENS_OUT", "4096"))
        self.estimate_usd = float(env.get("GOVERNOR_ESTIMATE_USD", "0.05"))
        if not self.api or not self.key:
            raise ValueError("Set GOVERNOR_API and GOVERNOR_API_KEY: usage-governor's address, and a key for it.")
        if self.user_from not in ("user_id", "user_email", "end_user_id", "team_id"):
            raise ValueError("GOVERNOR_USER_FROM is user_id, user_email, end_user_id or team_id.")


class WrongKey(Exception):
    """The service does not take the gateway's key, whatever the call is."""


class Governor(CustomLogger):
    """Reserves before a call, settles after it. One reservation covers the retries and fallbacks of a request."""

    def __init__(self):
        super().__init__()
        self._settings = None
        self._client = None
        self._open = OrderedDict()  # call id -> (reservation id or None, user or None)
        self._waiting = deque()
        self._sender = None
        atexit.register(self._drain)

    @property
    def settings(self):
        # Read at the first call: importing the module must not fail where it is only listed.
        self._settings = self._settings or Settings()
        return self._settings

    async def async_pre_call_hook(self, user_api_key_dict, cache, data, call_type):
        """
        Raises HTTPException 403 `budget_refused` before any deployment is called, 503 when nobody can say, and 400 for a request
        that brings an id of its call along.
        """
        if str(getattr(call_type, "value", call_type)) not in BILLED:
            return None
        if CALL_ID_HEADER in headers_of(data):
            words = f"Leave {CALL_ID_HEADER} out: calls with one id would count as one."
            raise HTTPException(status_code=400, detail=error_body("call_id_given", words))
        call_id = data.setdefault("litellm_call_id", str(uuid.uuid4()))
        user = getattr(user_api_key_dict, self.settings.user_from, None) or None
        try:
            reservation = await self._reserve(call_id, user, data)
        except WrongKey as error:
            raise HTTPException(status_code=503, detail=error_body("governor_key", str(error)))
        except httpx.HTTPError as error:
            if self.settings.denies:
                words = f"usage-governor does not answer ({type(error).__name__}): the call was not made."
                raise HTTPException(status_code=503, detail=error_body("governor_unavailable", words))
            log.warning("usage-governor does not answer (%s): a call passes unchecked", type(error).__name__)
            reservation = None
        self._open[call_id] = (reservation, user)
        while len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)
        return None

    async def async_post_call_response_headers_hook(
        self, data, user_api_key_dict, response, request_headers=None, litellm_call_info=None
    ):
        """Names the reservation in the answer's headers, also of a stream."""
        reservation, _ = self._open.get(data.get("litellm_call_id"), (None, None))
        return {"x-governor-reservation": reservation} if reservation else None

    async def async_log_success_event(self, kwargs, response_obj, start_time, end_time):
        """Reports the call that was made, which settles its reservation."""
        payload = kwargs.get("standard_logging_object") or {}
        call_id = kwargs.get("litellm_call_id") or payload.get("litellm_call_id")
        if call_id not in self._open or payload.get("cache_hit"):
            return await self._release(call_id)
        reservation, user = self._open.pop(call_id)
        self._report(signal_of(payload, call_id, user, reservation))

    async def async_log_failure_event(self, kwargs, response_obj, start_time, end_time):
        """Reports an attempt that a deployment failed. A request that was refused, or that no deployment serves, is no call."""
        payload = kwargs.get("standard_logging_object") or {}
        call_id = kwargs.get("litellm_call_id") or payload.get("litellm_call_id")
        if call_id in self._open and payload.get("model_id"):
            self._report(failure_of(payload, call_id, self._open[call_id][1]))

    async def async_post_call_failure_hook(
        self, request_data, original_exception, user_api_key_dict, traceback_str=None
    ):
        """Frees the amount once the request has failed as a whole, after its retries and fallbacks."""
        await self._release(request_data.get("litellm_call_id"))

    async def _reserve(self, call_id, user, data):
        """The id of the reservation. Raises HTTPException 403 for a refusal, WrongKey, and httpx.HTTPError."""
        model = data.get("model")
        tokens = {"tokens_in": tokens_in(data), "tokens_out": self._tokens_out(data)}
        cost = dearest_cost(model, **tokens)
        call = {"ttl_s": self.settings.ttl_s, "adapter": "litellm", **names_of(model)}
        if user:
            call["user_id"] = clip(user, 256)
        session = session_of(data)
        if session:
            call["client_session_id"] = clip(session, 256)
        answer = None
        if cost is None and "model" in call:
            answer = await self._ask("reserve", {**call, **tokens}, call_id)
            # 400: the service has no price for the model either.
        if answer is None or answer.status_code == 400:
            usd = self.settings.estimate_usd if cost is None else cost
            answer = await self._ask("reserve", {**call, "estimate_usd": round(usd, 9)}, call_id)
        body = answer.json() if answer.status_code == 200 else None
        if body is None:
            raise httpx.HTTPStatusError(f"answered {answer.status_code}", request=answer.request, response=answer)
        if not body["allow"]:
            raise HTTPException(status_code=403, detail=error_body("budget_refused", body["reason"]))
        return body["reservation_id"]

    def _tokens_out(self, data):
        # Which one of several limits holds is up to the deployment, so the highest counts.
        named = [data.get(name) for name in ("max_completion_tokens", "max_tokens", "max_output_tokens")]
        most = max((int(limit) for limit in named if limit), default=None)
        most = most or most_tokens_out(data.get("model")) or self.settings.tokens_out
        return int(most) * max(int(data.get("n") or 1), int(data.get("best_of") or 1))

    async def _release(self, call_id):
        reservation, _ = self._open.pop(call_id, (None, None))
        if reservation is None:
            return
        try:
            await self._ask("release", {"reservation_id": reservation})
        except (httpx.HTTPError, WrongKey) as error:
            log.warning("a reservation was not released (%s); it ends by itself", type(error).__name__)

    async def _ask(self, what, body, key=None):
        if self._client is None:
            self._client = httpx.AsyncClient(base_url=self.settings.api, timeout=self.settings.timeout_s)
        headers = {"Authorization": f"Bearer {self.settings.key}"}
        if key:
            headers["Idempotency-Key"] = f"{key}"
        request = {"json": body, "headers": headers}
        answer = await post(self._client, f"/api/v1/budgets/{what}", self.settings.timeout_s, **request)
        if answer.status_code in (401, 403):
            raise WrongKey("usage-governor does not take this gateway's key: no call is made.")
        return answer

    def _report(self, signal):
        while len(self._waiting) >= MOST_WAITING:
            self._waiting.popleft()
            log.error("usage-governor is away for too long: the report of a call was dropped")
        self._waiting.append(signal)
        if self._sender is None or self._sender.done():
            self._sender = asyncio.get_running_loop().create_task(self._send())

    async def _send(self):
        attempt = 0
        async with httpx.AsyncClient(base_url=self.settings.api, timeout=REPORT_S) as client:
            while self._waiting:
                batch = list(self._waiting)[:BATCH]
                try:
                    answer = await post(client, "/api/v1/signals", REPORT_S, **self._signals(batch))
                    answer.raise_for_status()
                except httpx.HTTPError as error:
                    log.warning("calls were not reported (%s); they are sent again", type(error).__name__)
                    await asyncio.sleep(RETRY_S[min(attempt, len(RETRY_S) - 1)])
                    attempt += 1
                    continue
                attempt = 0
                self._sent(batch, answer.json())

    def _signals(self, batch):
        return {"json": {"signals": batch}, "headers": {"Authorization": f"Bearer {self.settings.key}"}}

    def _sent(self, batch, answer):
        again = []
        for signal, result in zip(batch, answer["results"]):
            if result["status"] == "rejected":
                log.error("the report of a call was rejected: %s", result.get("code"))
                if result.get("code") == "invalid_signal" and signal.keys() - ALWAYS_VALID:
                    again.append({name: signal[name] for name in signal if name in ALWAYS_VALID})
        sent = {id(signal) for signal in batch}
        self._waiting = deque([signal for signal in self._waiting if id(signal) not in sent] + again)

    def _drain(self):
        """Sends what waits when the process ends, for at most five seconds."""
        until = time.monotonic() + DRAIN_S
        while self._waiting and time.monotonic() < until:
            batch = list(self._waiting)[:BATCH]
            try:
                with httpx.Client(base_url=self.settings.api, timeout=max(0.1, until - time.monotonic())) as client:
                    answer = client.post("/api/v1/signals", **self._signals(batch))
                    answer.raise_for_status()
                    self._sent(batch, answer.json())
            except httpx.HTTPError:
                time.sleep(0.25)


async def post(client, path, seconds, **request):
    """The answer, read to its last byte within the seconds: those of httpx begin again with each byte. Raises httpx.HTTPError."""

    async def read():
        body = bytearray()
        async with client.stream("POST", path, **request) as answer:
            async for part in answer.aiter_bytes():
                body += part
                if len(body) > MOST_ANSWER_BYTES:
                    raise httpx.DecodingError("the answer is too long")
        return httpx.Response(answer.status_code, content=bytes(body), request=answer.request)

    try:
        return await asyncio.wait_for(read(), seconds)
    except asyncio.TimeoutError:
        raise httpx.ReadTimeout("the answer has no end") from None


def error_body(code, message):
    return {"error": {"message": message, "type": code, "code": code}}


def headers_of(data):
    """The names of the request's headers, in lower case."""
    headers = (data.get("proxy_server_request") or {}).get("headers") or {}
    return {name.lower() for name in headers}


def tokens_in(data):
    """
    Counts the tokens of a request, with what stands beside its messages. Half its bytes where LiteLLM cannot: too many rather
    than too few.
    """
    model = data.get("model") or ""
    content = data.get("messages") or data.get("input") or data.get("prompt") or data.get("contents") or ""
    beside = {name: data[name] for name in BESIDE if data.get(name)}
    try:
        if isinstance(data.get("messages"), list):
            tools = beside.pop("tools", None)
            counted = litellm.token_counter(model=model, messages=data["messages"], tools=tools)
        else:
            text = content if isinstance(content, str) else json.dumps(content)
            counted = litellm.token_counter(model=model, text=text)
        return counted + (litellm.token_counter(model=model, text=json.dumps(beside)) if beside else 0)
    except Exception:  # LiteLLM raises whatever its tokenizers raise.
        all_of_it = [content, *(data.get(name) for name in BESIDE)]
        return len(json.dumps(all_of_it, default=str).encode()) // 2


def deployments_of(model):
    """The deployments behind an alias of the proxy: (parameters, model information)."""
    try:
        from litellm.proxy.proxy_server import llm_router
    except ImportError:
        llm_router = None
    found = (llm_router.get_model_list(model_name=model) or []) if llm_router and model else []
    return [(each.get("litellm_params") or {}, each.get("model_info") or {}) for each in found] or [({"model": model}, {})]


def names_of(model):
    """The model and the provider that a signal will name, where all deployments behind the alias have the same."""
    names = {"model": set(), "provider": set()}
    for params, _ in deployments_of(model):
        known = params.get("model") or ""
        try:
            name, provider, *_ = litellm.get_llm_provider(
                model if "*" in known else known, custom_llm_provider=params.get("custom_llm_provider")
            )
        except Exception:  # It raises for a model that it does not know.
            name, provider = known, None
        names["model"].add(name)
        names["provider"].add(provider)
    same = {what: found.pop() for what, found in names.items() if len(found) == 1}
    return {what: clip(name, 128 if what == "provider" else 256) for what, name in same.items() if name}


def listed(name):
    try:
        return litellm.get_model_info(name) if name else {}
    except Exception:  # It raises for a model that it does not know.
        return {}


def dearest_cost(model, tokens_in, tokens_out):
    """US dollars at the most expensive deployment, configured prices first; None when none has a price."""
    costs = []
    for params, info in deployments_of(model):
        known = listed(params.get("model"))
        rates = []
        for name in ("input_cost_per_token", "output_cost_per_token"):
            values = [source.get(name) for source in (params, info, known)]
            rates.append(next((value for value in values if value is not None), None))
        if rates[0] is not None or rates[1] is not None:
            costs.append(tokens_in * float(rates[0] or 0) + tokens_out * float(rates[1] or 0))
    return max(costs) if costs else None


def most_tokens_out(model):
    limits = [listed(params.get("model")).get("max_output_tokens") for params, _ in deployments_of(model)]
    return max((limit for limit in limits if limit), default=None)


def session_of(data):
    """The session that a request names, as LiteLLM groups its logs by; None without one."""
    metadata = data.get("metadata")
    named = metadata.get("session_id") if isinstance(metadata, dict) else None
    return data.get("litellm_session_id") or named


def clip(text, most):
    """A text as the service stores it: well-formed, without NUL, of so many characters at most."""
    clean = str(text).encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "")
    return unicodedata.normalize("NFC", clean)[:most]


def native_id(own):
    """An id as the service's adapters make it: one beyond 128 characters (UTF-16 units) is hashed."""
    whole = clip(own, None)
    if len(whole.encode("utf-16-le")) // 2 <= 128:
        return whole
    digest = hashlib.sha256(json.dumps([whole], ensure_ascii=False).encode()).digest()
    return base64.urlsafe_b64encode(digest).decode()[:32]


def call_of(payload, user):
    """The members that the signals of all calls have, answered or failed."""
    started, ended = payload.get("startTime"), payload.get("endTime")
    provider = payload.get("custom_llm_provider")
    # LiteLLM puts the provider before the model's own name.
    model = str(payload.get("model") or "unknown").removeprefix(f"{provider}/")
    call = {
        "ts": datetime.fromtimestamp(ended or time.time(), timezone.utc).isoformat(),
        "user_id": clip(user, 256) if user else "litellm",
        "adapter": "litellm",
        "model": clip(model, 256),
        **counts_of(payload),
    }
    if provider:
        call["provider"] = clip(provider, 128)
    if started and ended:
        call["latency_ms"] = max(0, round((ended - started) * 1000, 3))
    # LiteLLM gives 0 to a call that it cannot price: then the service's list decides.
    if payload.get("response_cost") and not payload.get("response_cost_failure_debug_info"):
        call["cost_usd"] = float(payload["response_cost"])
    return call


def counts_of(payload):
    usage = (payload.get("metadata") or {}).get("usage_object") or {}
    details = usage.get("prompt_tokens_details") or {}
    tokens_in = int(payload.get("prompt_tokens") or 0)
    tokens_out = int(payload.get("completion_tokens") or 0)
    if not (usage or tokens_in or tokens_out) and payload.get("status") != "failure":
        # It used some, and nobody knows how many.
        return {"tokens_in": None, "tokens_out": None}
    cached = min(int(details.get("cached_tokens") or 0), tokens_in)
    written = int(details.get("cache_creation_tokens") or usage.get("cache_creation_input_tokens") or 0)
    return {
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
        "cache_read_tokens": cached,
        "cache_write_tokens": max(0, min(written, tokens_in - cached)),
    }


def signal_of(payload, call_id, user, reservation):
    """The signal of a call, with the id that LiteLLM's own telemetry gives it, so that both count once."""
    own = str(payload.get("id") or "")
    signal = {**call_of(payload, user), "id": native_id(own if len(own) >= SHORTEST_UNIQUE_ID else call_id)}
    if reservation:
        signal["reservation_id"] = reservation
    return signal


def failure_of(payload, call_id, user):
    """The signal of a failed attempt, with an id of its own: the attempts of a request share the request's."""
    error = payload.get("error_information") or {}
    attempt = f"{call_id}:{payload.get('startTime')}"
    code = error.get("error_class") or error.get("error_code") or "error"
    return {**call_of(payload, user), "id": native_id(attempt), "error": {"code": clip(code, 128)}}


governor = Governor()
