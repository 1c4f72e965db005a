export interface paths {
    "/api/v1/signals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record signals
         * @description One signal, or `{ "signals": [...] }` with at most 1,000. Answers one result per signal, in order: a bad one is `rejected` with its reason and never loses the others. Sending a signal again changes nothing. Needs the scope `signals:write`.
         */
        post: operations["post_api_v1_signals"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/otlp/v1/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take OpenTelemetry log records
         * @description Events of Claude Code, Codex, Gemini CLI and Qwen Code become signals; other records are taken and not counted. OTLP/HTTP, protobuf or JSON, gzip. docs/adapters.md has the settings of each tool. Needs the scope `signals:write`.
         */
        post: operations["post_otlp_v1_logs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/otlp/v1/traces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take OpenTelemetry spans
         * @description Spans of model and tool calls become signals: OpenTelemetry GenAI conventions, Vercel AI SDK, OpenInference, OpenLLMetry. Spans around them repeat what they used and are not counted. Needs the scope `signals:write`.
         */
        post: operations["post_otlp_v1_traces"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/otlp/v1/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take OpenTelemetry metrics, and drop them
         * @description Metrics are sums of what events and spans tell one by one. They are taken, so that a client is content. Needs the scope `signals:write`.
         */
        post: operations["post_otlp_v1_metrics"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description List sessions. Needs the scope `usage:read`.
         */
        get: operations["get_api_v1_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a session with all its signals
         * @description Read a session with all its signals. Needs the scope `usage:read`.
         */
        get: operations["get_api_v1_sessions_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/interventions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a session's interventions
         * @description List a session's interventions. Needs the scope `usage:read`.
         */
        get: operations["get_api_v1_sessions_id_interventions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a session now
         * @description Repeating it changes nothing. A later signal of the same user, project and adapter begins a new session. Needs the scope `signals:write`.
         */
        post: operations["post_api_v1_sessions_id_close"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/budgets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List budgets and how they stand
         * @description List budgets and how they stand. Needs the scope `usage:read`.
         */
        get: operations["get_api_v1_budgets"];
        put?: never;
        /**
         * Create a budget
         * @description Usage of the open window that was recorded before counts. `budget.warning` is raised at 80 % of the threshold, `budget.exceeded` at all of it, each once a window. Needs the scope `budgets:write`.
         */
        post: operations["post_api_v1_budgets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/budgets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a budget and how it stands
         * @description Read a budget and how it stands. Needs the scope `usage:read`.
         */
        get: operations["get_api_v1_budgets_id"];
        put?: never;
        post?: never;
        /**
         * Delete a budget
         * @description Delete a budget. Needs the scope `budgets:write`.
         */
        delete: operations["delete_api_v1_budgets_id"];
        options?: never;
        head?: never;
        /**
         * Change a budget
         * @description What is left out stays. Every change but that of `name`, `enforce` and `on_error` lets the levels of the open window fire again. Needs the scope `budgets:write`.
         */
        patch: operations["patch_api_v1_budgets_id"];
        trace?: never;
    };
    "/api/v1/budgets/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the levels that a budget has reached
         * @description List the levels that a budget has reached. Needs the scope `usage:read`.
         */
        get: operations["get_api_v1_budgets_id_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/budgets/{id}/windows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the windows of a budget
         * @description Newest first, the open one among them. A window is deleted 40 days after its end. Needs the scope `usage:read`.
         */
        get: operations["get_api_v1_budgets_id_windows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/budgets/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask whether a call fits into its budgets
         * @description Answered from memory, from amounts that are at most a second old. A `hard` budget refuses when usage, open reservations and the estimate together are above its threshold, or without an estimate when usage has reached it. While usage cannot be read, `on_error` of each hard budget decides. Needs the scope `budgets:check`.
         */
        post: operations["post_api_v1_budgets_check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/budgets/reserve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reserve what a call will cost
         * @description Holds the estimate in every `hard` budget of `cost_usd` that the call counts in, in all of them or in none. A signal with this `reservation_id` settles it: the real cost replaces the estimate. Otherwise it ends after `ttl_s`. 503 promises that nothing was reserved; after 504, repeat with the same `Idempotency-Key`. Needs the scope `budgets:check`.
         */
        post: operations["post_api_v1_budgets_reserve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/budgets/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a reservation that is not used
         * @description What it held is free again within a second. Of one that has ended or is not known nothing happens. Needs the scope `budgets:check`.
         */
        post: operations["post_api_v1_budgets_release"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/budget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how the key's own budgets stand
         * @description The answer of a check without an estimate, for the key's user, or for the organization when the key is bound to no user. With `format=line` one line of text for a status line: what is left in the budget that has least. Needs the scope `budgets:check`.
         */
        get: operations["get_api_v1_me_budget"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks/claude-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer an HTTP hook of Claude Code
         * @description Blocks a prompt or a tool when a `hard` budget refuses: those of the key's user, or of the organization alone when the key is bound to no user. Prompts and tool inputs are not read. Every other answer than 200 lets the call pass (https://code.claude.com/docs/en/hooks). Needs the scope `budgets:check`.
         */
        post: operations["post_hooks_claude_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/anomalies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List anomalies
         * @description List anomalies. Needs the scope `usage:read`.
         */
        get: operations["get_api_v1_anomalies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/meter/consume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Spend one credit for one signed output
         * @description Takes one credit from the first bucket that has one (window, monthly, paid, granted) and answers a signed receipt. Repeating the request with the same `Idempotency-Key` gives the same bytes until `Idempotency-Expires`. 503 promises that nothing was written; after 504, repeat with the same key.
         */
        post: operations["post_v1_meter_consume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read your own credit ledger, newest first
         * @description What was answered before is in it. Without `limit` all rows come, streamed. `include=receipt` adds the id of each transaction and, for a spend, the device and the signed receipt.
         */
        get: operations["get_v1_ledger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read your own credits as they are now
         * @description A window or month that is over counts as full again. A window that has not begun has no end yet.
         */
        get: operations["get_v1_balance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/org/{orgId}/balances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the credits of every member
         * @description For admins. By user id; removed members are not among them.
         */
        get: operations["get_v1_org_orgId_balances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/credits/price": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a credit costs you
         * @description Everything is null while credits cannot be bought.
         */
        get: operations["get_v1_credits_price"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/credits/checkout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Buy credits: get the page at Stripe where you pay
         * @description The credits arrive in the bucket `paid` as soon as Stripe says that they are paid. `not_ready`: buying is not set up here, or the plan of your organization has no price. A repeat with the same `Idempotency-Key` gets the same page.
         */
        post: operations["post_v1_credits_checkout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/credits/checkout/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read whether the credits that you bought have arrived
         * @description Ask again until they have: Stripe tells of a payment within seconds, of a bank transfer within days. A Checkout Session that is not yours never arrives here.
         */
        get: operations["get_v1_credits_checkout_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/stripe/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive events of Stripe
         * @description For Stripe alone, which signs each event. `checkout.session.completed` and `checkout.session.async_payment_succeeded` of a paid Checkout Session grant its credits, once per session. Anything but a 2xx makes Stripe send the event again.
         */
        post: operations["post_integrations_stripe_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Public keys of the receipts
         * @description Also those that sign no more: a receipt names its key by `kid`.
         */
        get: operations["get_well_known_jwks_json"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's devices
         * @description Newest first, revoked ones too. Times in Unix seconds.
         */
        get: operations["get_v1_devices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a device
         * @description From the answer on it spends nothing. Repeating it changes nothing.
         */
        post: operations["post_v1_devices_revoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/device_authorization": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to link a device
         * @description RFC 8628 section 3.1. Show `user_code` to the person, who approves it, and poll `/v1/token` with `device_code`. Parameters that are not known are ignored, as RFC 6749 section 3.2 demands.
         */
        post: operations["post_v1_device_authorization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/device_authorization/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look at a device before approving it
         * @description What the device that shows `user_code` calls itself. Wrong codes count like those of an approval.
         */
        post: operations["post_v1_device_authorization_lookup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/device_authorization/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve a device
         * @description Takes the device that shows `user_code` into the account. Each code once; five wrong ones are a 429.
         */
        post: operations["post_v1_device_authorization_approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/device_authorization/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deny a device
         * @description The device that shows `user_code` is told `access_denied` with its next poll.
         */
        post: operations["post_v1_device_authorization_deny"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a device's token
         * @description RFC 8628 section 3.4. Answers `authorization_pending` until the user code is approved, then the token, once.
         */
        post: operations["post_v1_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/credits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add paid or granted credits to a member
         * @description Needs an `Idempotency-Key`: repeating the request with it adds nothing, for ever.
         */
        post: operations["post_admin_credits"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/organization": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read whose key this is
         * @description The organization behind the API key, its settings and limits, and what the key may do.
         */
        get: operations["get_api_v1_organization"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read aggregated usage and cost
         * @description Sums of signals by the time at which they happened, always equal to the signals below. Exact in any timezone for the last 35 days, and for ever by whole days of the organization's own. Needs the scope `usage:read`.
         */
        get: operations["get_api_v1_usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download usage as a file
         * @description `level=daily`: a row per day, user, project, model and adapter, which sum to `/api/v1/usage`. `level=sessions`: a row per session that started in the range. Money has 9 decimals. In CSV, text that a spreadsheet would take for a formula begins with an apostrophe. Needs the scope `usage:read`.
         */
        get: operations["get_api_v1_usage_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/org/{orgId}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an organization's usage by member, team and project
         * @description As `/api/v1/usage`, also by team. A team is its members now; a member of several counts in each, so teams may sum to more than `totals`; members of none are under `null`. Team and Enterprise plans. Needs the scope `usage:read`.
         */
        get: operations["get_api_v1_org_orgId_usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/org/{orgId}/analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an organization's analytics, in which no member can be told apart
         * @description Whole closed ISO weeks, each frozen a day after its end: until then it is `pending`, and its cells leave it out. Whatever fewer than k users share, or one dominates, is suppressed; see docs/analytics.md for what that promises. Needs the scope `org:read`.
         */
        get: operations["get_api_v1_org_orgId_analytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description List webhooks. Needs the scope `webhooks:write`.
         */
        get: operations["get_api_v1_webhooks"];
        put?: never;
        /**
         * Register a webhook
         * @description Each event of the organization that it names is sent to `url` as a POST, signed with `secret`. Attempts: at once, then 30 s, 5 min, 30 min and 2 h after the failure before. Needs the scope `webhooks:write`.
         */
        post: operations["post_api_v1_webhooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description One signed `session.started` with `data.test: true` in the format of the webhook, now and once; answers what came of it. Needs the scope `webhooks:write`.
         */
        post: operations["post_api_v1_webhooks_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a message
         * @description What a webhook of a format is sent for an event of a type, with made-up data. Nothing is sent. Needs the scope `webhooks:write`.
         */
        post: operations["post_api_v1_webhooks_preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description The webhook as the list shows it, and until when its former secret signs too. Needs the scope `webhooks:write`.
         */
        get: operations["get_api_v1_webhooks_id"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Its deliveries that are not finished are cancelled. Needs the scope `webhooks:write`.
         */
        delete: operations["delete_api_v1_webhooks_id"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description What is left out stays. `events` holds for what is raised from then on. A new `secret` signs at once; for 24 hours `webhook-signature` carries the signature of the former one too. `enabled: false` holds its deliveries, `true` sends what was held in order. It does not end `failing`. Needs the scope `webhooks:write`.
         */
        patch: operations["patch_api_v1_webhooks_id"];
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook
         * @description The log, newest first, each delivery with its attempts. Needs the scope `webhooks:write`.
         */
        get: operations["get_api_v1_webhooks_id_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery with its request
         * @description The delivery as the log shows it, and the bytes that are sent. Signatures are not kept. Needs the scope `webhooks:write`.
         */
        get: operations["get_api_v1_webhooks_id_deliveries_delivery_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description From attempt 1, the same event with the same bytes. While the webhook is failing it is held. Needs the scope `webhooks:write`.
         */
        post: operations["post_api_v1_webhooks_id_deliveries_delivery_id_redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send exhausted deliveries again
         * @description Sends again, in order, what has failed its fifth attempt of the events since `since`: the same events with the same bytes, each from attempt 1, at most 100 per second. While the webhook is failing or paused they are held. Needs the scope `webhooks:write`.
         */
        post: operations["post_api_v1_webhooks_id_recover"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a failing webhook deliver again
         * @description For admins. What was held is sent in order. Repeating it changes nothing.
         */
        post: operations["post_v1_webhooks_id_enable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/unsubscribe/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask whether mails shall end
         * @description A page with one button, for people who follow the link in a mail.
         */
        get: operations["get_v1_unsubscribe_token"];
        put?: never;
        /**
         * End the mails of a webhook
         * @description RFC 8058: one click in a mail program ends them. The webhook is deleted, what it had not sent is cancelled. The body is not read. Repeating it changes nothing.
         */
        post: operations["post_v1_unsubscribe_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the organization's members
         * @description For admins. By user id; removed members are not among them.
         */
        get: operations["get_v1_members"];
        put?: never;
        /**
         * Invite a member
         * @description For admins. Who signs in with this verified e-mail is asked, and has joined after a yes.
         */
        post: operations["post_v1_members"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description For admins. Name, e-mail and identity are erased, devices and bound keys revoked; what was recorded stays.
         */
        delete: operations["delete_v1_members_user_id"];
        options?: never;
        head?: never;
        /**
         * Change a member
         * @description For admins. What is left out stays. `email`, also the same one, renews an invitation.
         */
        patch: operations["patch_v1_members_user_id"];
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description An admin sees the organization's, a member those bound to the own user. Revoked ones too.
         */
        get: operations["get_v1_keys"];
        put?: never;
        /**
         * Make an API key
         * @description A member makes keys for the own user, with `signals:write`, `usage:read` and `budgets:check`.
         */
        post: operations["post_v1_keys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace an API key
         * @description Makes a key like this one, which goes on for `grace_s`.
         */
        post: operations["post_v1_keys_id_rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description From the next request on it is refused. Repeating it changes nothing.
         */
        delete: operations["delete_v1_keys_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organization": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the settings of the organization
         * @description For admins.
         */
        get: operations["get_v1_organization"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the settings of the organization
         * @description For admins. What is left out stays. The plan is changed by the operator.
         */
        patch: operations["patch_v1_organization"];
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed what
         * @description For admins: every change of the organization by a person, a key or an operator.
         */
        get: operations["get_v1_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether this process turns
         * @description Whether this process turns.
         */
        get: operations["get_healthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether this process can serve
         * @description Whether this process can serve.
         */
        get: operations["get_readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics for Prometheus
         * @description Metrics for Prometheus.
         */
        get: operations["get_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "session.started": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A session began
         * @description Sent to each webhook that names the event. Check `X-Service-Signature` against the raw body before anything else.
         */
        post: operations["session_started"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "session.ended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A session ended, by timeout or because it was closed
         * @description Sent to each webhook that names the event. Check `X-Service-Signature` against the raw body before anything else.
         */
        post: operations["session_ended"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "budget.exceeded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A budget has reached its threshold
         * @description Sent to each webhook that names the event. Check `X-Service-Signature` against the raw body before anything else.
         */
        post: operations["budget_exceeded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "budget.warning": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A budget has reached 80 % of its threshold
         * @description Sent to each webhook that names the event. Check `X-Service-Signature` against the raw body before anything else.
         */
        post: operations["budget_warning"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "anomaly.detected": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Usage is unlike what is usual for the user
         * @description Sent to each webhook that names the event. Check `X-Service-Signature` against the raw body before anything else.
         */
        post: operations["anomaly_detected"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "budget.threshold": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A budget has reached a per cent at which the webhook asked to be told
         * @description Sent to each webhook that names the event. Check `X-Service-Signature` against the raw body before anything else.
         */
        post: operations["budget_threshold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "budget.forecast": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A budget will be exceeded at the pace so far
         * @description Sent to each webhook that names the event. Check `X-Service-Signature` against the raw body before anything else.
         */
        post: operations["budget_forecast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "credit.low": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The credits of an account are low
         * @description Sent to each webhook that names the event. Check `X-Service-Signature` against the raw body before anything else.
         */
        post: operations["credit_low"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "credit.depleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The credits of an account are used up
         * @description Sent to each webhook that names the event. Check `X-Service-Signature` against the raw body before anything else.
         */
        post: operations["credit_depleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    digest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What was collected for a webhook with a digest
         * @description Sent to each webhook that names the event. Check `X-Service-Signature` against the raw body before anything else.
         */
        post: operations["digest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description The request is not valid. */
        InvalidRequestProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:invalid_request
             * @constant
             */
            type: "urn:usage-governor:problem:invalid_request";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The request is not valid
             * @constant
             */
            title: "The request is not valid";
            /**
             * @description How it stands, or an HTTP status
             * @example 400
             * @constant
             */
            status: 400;
            /**
             * @description A stable code for programs (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "invalid_request";
            /**
             * @description What went wrong, in words
             * @example tokens_in must be a whole number
             */
            detail: string;
            /**
             * @description Signals with an error, or what was wrong field by field
             * @example [
             *       {
             *         "pointer": "/name",
             *         "detail": "must not be empty"
             *       }
             *     ]
             */
            errors?: {
                /**
                 * @description Where in the body: a JSON pointer
                 * @example /name
                 */
                pointer?: string;
                /**
                 * @description The parameter or header
                 * @example limit
                 */
                parameter?: string;
                /**
                 * @description What went wrong, in words
                 * @example tokens_in must be a whole number
                 */
                detail: string;
            }[];
            /**
             * @description From when on the question can be answered exactly
             * @example 2026-01-15T09:30:00.000Z
             */
            exact_from?: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description The request took too long to arrive. */
        RequestTimeoutProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:request_timeout
             * @constant
             */
            type: "urn:usage-governor:problem:request_timeout";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The request took too long to arrive
             * @constant
             */
            title: "The request took too long to arrive";
            /**
             * @description How it stands, or an HTTP status
             * @example 408
             * @constant
             */
            status: 408;
            /**
             * @description A stable code for programs
             * @example request_timeout
             * @constant
             */
            code: "request_timeout";
            /**
             * @description What went wrong, in words
             * @example The request took too long to arrive.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description The headers are too large. */
        HeadersTooLargeProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:headers_too_large
             * @constant
             */
            type: "urn:usage-governor:problem:headers_too_large";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The headers are too large
             * @constant
             */
            title: "The headers are too large";
            /**
             * @description How it stands, or an HTTP status
             * @example 431
             * @constant
             */
            status: 431;
            /**
             * @description A stable code for programs
             * @example headers_too_large
             * @constant
             */
            code: "headers_too_large";
            /**
             * @description What went wrong, in words
             * @example The headers are too large.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description Something failed on our side. */
        InternalProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:internal
             * @constant
             */
            type: "urn:usage-governor:problem:internal";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example Something failed on our side
             * @constant
             */
            title: "Something failed on our side";
            /**
             * @description How it stands, or an HTTP status
             * @example 500
             * @constant
             */
            status: 500;
            /**
             * @description A stable code for programs
             * @example internal
             * @constant
             */
            code: "internal";
            /**
             * @description What went wrong, in words
             * @example Something failed on our side.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description A store cannot be reached; nothing was written. */
        StoreUnavailableProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:store_unavailable
             * @constant
             */
            type: "urn:usage-governor:problem:store_unavailable";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example A store cannot be reached; nothing was written
             * @constant
             */
            title: "A store cannot be reached; nothing was written";
            /**
             * @description How it stands, or an HTTP status
             * @example 503
             * @constant
             */
            status: 503;
            /**
             * @description A stable code for programs (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "store_unavailable";
            /**
             * @description What went wrong, in words
             * @example A store cannot be reached; nothing was written.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description There were too many requests. */
        TooManyRequestsProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:too_many_requests
             * @constant
             */
            type: "urn:usage-governor:problem:too_many_requests";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example There were too many requests
             * @constant
             */
            title: "There were too many requests";
            /**
             * @description How it stands, or an HTTP status
             * @example 429
             * @constant
             */
            status: 429;
            /**
             * @description A stable code for programs
             * @example too_many_requests
             * @constant
             */
            code: "too_many_requests";
            /**
             * @description What went wrong, in words
             * @example There were too many requests.
             */
            detail: string;
            /**
             * @description Seconds after which to try again
             * @example 1
             */
            retry_after_s: number;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description The service is overloaded; try again later. */
        OverloadedProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:overloaded
             * @constant
             */
            type: "urn:usage-governor:problem:overloaded";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The service is overloaded; try again later
             * @constant
             */
            title: "The service is overloaded; try again later";
            /**
             * @description How it stands, or an HTTP status
             * @example 503
             * @constant
             */
            status: 503;
            /**
             * @description A stable code for programs (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "overloaded";
            /**
             * @description What went wrong, in words
             * @example The service is overloaded; try again later.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description The credential is missing or not valid. */
        UnauthorizedProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:unauthorized
             * @constant
             */
            type: "urn:usage-governor:problem:unauthorized";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The credential is missing or not valid
             * @constant
             */
            title: "The credential is missing or not valid";
            /**
             * @description How it stands, or an HTTP status
             * @example 401
             * @constant
             */
            status: 401;
            /**
             * @description A stable code for programs
             * @example unauthorized
             * @constant
             */
            code: "unauthorized";
            /**
             * @description What went wrong, in words
             * @example The credential is missing or not valid.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description The credential does not allow this. */
        MissingScopeProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:missing_scope
             * @constant
             */
            type: "urn:usage-governor:problem:missing_scope";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The credential does not allow this
             * @constant
             */
            title: "The credential does not allow this";
            /**
             * @description How it stands, or an HTTP status
             * @example 403
             * @constant
             */
            status: 403;
            /**
             * @description A stable code for programs (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "missing_scope";
            /**
             * @description What went wrong, in words
             * @example The credential does not allow this.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description A store did not answer in time; the outcome is not known. */
        OutcomeUnknownProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:outcome_unknown
             * @constant
             */
            type: "urn:usage-governor:problem:outcome_unknown";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example A store did not answer in time; the outcome is not known
             * @constant
             */
            title: "A store did not answer in time; the outcome is not known";
            /**
             * @description How it stands, or an HTTP status
             * @example 504
             * @constant
             */
            status: 504;
            /**
             * @description A stable code for programs
             * @example outcome_unknown
             * @constant
             */
            code: "outcome_unknown";
            /**
             * @description What went wrong, in words
             * @example A store did not answer in time; the outcome is not known.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description The body cannot be read. */
        MalformedJsonProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:malformed_json
             * @constant
             */
            type: "urn:usage-governor:problem:malformed_json";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The body cannot be read
             * @constant
             */
            title: "The body cannot be read";
            /**
             * @description How it stands, or an HTTP status
             * @example 400
             * @constant
             */
            status: 400;
            /**
             * @description A stable code for programs (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "malformed_json";
            /**
             * @description What went wrong, in words
             * @example The body cannot be read.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description The body is too large. */
        PayloadTooLargeProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:payload_too_large
             * @constant
             */
            type: "urn:usage-governor:problem:payload_too_large";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The body is too large
             * @constant
             */
            title: "The body is too large";
            /**
             * @description How it stands, or an HTTP status
             * @example 413
             * @constant
             */
            status: 413;
            /**
             * @description A stable code for programs
             * @example payload_too_large
             * @constant
             */
            code: "payload_too_large";
            /**
             * @description What went wrong, in words
             * @example The body is too large.
             */
            detail: string;
            /**
             * @description Signals with an error, or what was wrong field by field
             * @example [
             *       {
             *         "pointer": "/name",
             *         "detail": "must not be empty"
             *       }
             *     ]
             */
            errors?: {
                /**
                 * @description Where in the body: a JSON pointer
                 * @example /name
                 */
                pointer?: string;
                /**
                 * @description The parameter or header
                 * @example limit
                 */
                parameter?: string;
                /**
                 * @description What went wrong, in words
                 * @example tokens_in must be a whole number
                 */
                detail: string;
            }[];
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description The type or encoding of the body is not supported. */
        UnsupportedMediaTypeProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:unsupported_media_type
             * @constant
             */
            type: "urn:usage-governor:problem:unsupported_media_type";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The type or encoding of the body is not supported
             * @constant
             */
            title: "The type or encoding of the body is not supported";
            /**
             * @description How it stands, or an HTTP status
             * @example 415
             * @constant
             */
            status: 415;
            /**
             * @description A stable code for programs
             * @example unsupported_media_type
             * @constant
             */
            code: "unsupported_media_type";
            /**
             * @description What went wrong, in words
             * @example The type or encoding of the body is not supported.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description The cursor does not belong to this query. */
        InvalidCursorProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:invalid_cursor
             * @constant
             */
            type: "urn:usage-governor:problem:invalid_cursor";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The cursor does not belong to this query
             * @constant
             */
            title: "The cursor does not belong to this query";
            /**
             * @description How it stands, or an HTTP status
             * @example 400
             * @constant
             */
            status: 400;
            /**
             * @description A stable code for programs (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "invalid_cursor";
            /**
             * @description What went wrong, in words
             * @example The cursor does not belong to this query.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description There is no such object. */
        NotFoundProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:not_found
             * @constant
             */
            type: "urn:usage-governor:problem:not_found";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example There is no such object
             * @constant
             */
            title: "There is no such object";
            /**
             * @description How it stands, or an HTTP status
             * @example 404
             * @constant
             */
            status: 404;
            /**
             * @description A stable code for programs
             * @example not_found
             * @constant
             */
            code: "not_found";
            /**
             * @description What went wrong, in words
             * @example There is no such object.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description The request conflicts with the current state. */
        ConflictProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:conflict
             * @constant
             */
            type: "urn:usage-governor:problem:conflict";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The request conflicts with the current state
             * @constant
             */
            title: "The request conflicts with the current state";
            /**
             * @description How it stands, or an HTTP status
             * @example 409
             * @constant
             */
            status: 409;
            /**
             * @description A stable code for programs
             * @example conflict
             * @constant
             */
            code: "conflict";
            /**
             * @description What went wrong, in words
             * @example The request conflicts with the current state.
             */
            detail: string;
            /**
             * @description What exists already
             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
             */
            id?: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description The idempotency key was used for another request. */
        IdempotencyKeyReusedProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:idempotency_key_reused
             * @constant
             */
            type: "urn:usage-governor:problem:idempotency_key_reused";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The idempotency key was used for another request
             * @constant
             */
            title: "The idempotency key was used for another request";
            /**
             * @description How it stands, or an HTTP status
             * @example 422
             * @constant
             */
            status: 422;
            /**
             * @description A stable code for programs
             * @example idempotency_key_reused
             * @constant
             */
            code: "idempotency_key_reused";
            /**
             * @description What went wrong, in words
             * @example The idempotency key was used for another request.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description What Redis holds is being checked against the record; nothing was written. */
        RebuildingProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:rebuilding
             * @constant
             */
            type: "urn:usage-governor:problem:rebuilding";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example What Redis holds is being checked against the record; nothing was written
             * @constant
             */
            title: "What Redis holds is being checked against the record; nothing was written";
            /**
             * @description How it stands, or an HTTP status
             * @example 503
             * @constant
             */
            status: 503;
            /**
             * @description A stable code for programs (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "rebuilding";
            /**
             * @description What went wrong, in words
             * @example What Redis holds is being checked against the record; nothing was written.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description There are no credits left. */
        InsufficientCreditsProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:insufficient_credits
             * @constant
             */
            type: "urn:usage-governor:problem:insufficient_credits";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example There are no credits left
             * @constant
             */
            title: "There are no credits left";
            /**
             * @description How it stands, or an HTTP status
             * @example 402
             * @constant
             */
            status: 402;
            /**
             * @description A stable code for programs
             * @example insufficient_credits
             * @constant
             */
            code: "insufficient_credits";
            /**
             * @description What went wrong, in words
             * @example There are no credits left.
             */
            detail: string;
            /** @description What is left by bucket */
            balances: {
                /** @description The time over which usage is counted */
                window: {
                    /**
                     * @description A number of credits
                     * @example 40
                     */
                    credits: number;
                    /**
                     * @description When it is full again (Unix seconds); null while it has not begun
                     * @example 1768469400
                     */
                    resets_at: number | null;
                };
                /** @description Credits of the month */
                monthly: {
                    /**
                     * @description A number of credits
                     * @example 40
                     */
                    credits: number;
                    /**
                     * @description When it is full again (Unix seconds); null while it has not begun
                     * @example 1768469400
                     */
                    resets_at: number | null;
                };
                /** @description Credits that were bought */
                paid: {
                    /**
                     * @description A number of credits
                     * @example 40
                     */
                    credits: number;
                    /**
                     * @description When it is full again (Unix seconds); null while it has not begun
                     * @example 1768469400
                     */
                    resets_at: number | null;
                };
                /** @description Credits that were granted */
                granted: {
                    /**
                     * @description A number of credits
                     * @example 40
                     */
                    credits: number;
                    /**
                     * @description When it is full again (Unix seconds); null while it has not begun
                     * @example 1768469400
                     */
                    resets_at: number | null;
                };
            };
            /**
             * @description When the next credits come (Unix seconds); null: none will by themselves
             * @example 1768469400
             */
            next_refill: number | null;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description Receipts cannot be signed now; nothing was spent. */
        SigningUnavailableProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:signing_unavailable
             * @constant
             */
            type: "urn:usage-governor:problem:signing_unavailable";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example Receipts cannot be signed now; nothing was spent
             * @constant
             */
            title: "Receipts cannot be signed now; nothing was spent";
            /**
             * @description How it stands, or an HTTP status
             * @example 503
             * @constant
             */
            status: 503;
            /**
             * @description A stable code for programs (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "signing_unavailable";
            /**
             * @description What went wrong, in words
             * @example Receipts cannot be signed now; nothing was spent.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description The ledger is too far behind; nothing was written. */
        BackpressureProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:backpressure
             * @constant
             */
            type: "urn:usage-governor:problem:backpressure";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The ledger is too far behind; nothing was written
             * @constant
             */
            title: "The ledger is too far behind; nothing was written";
            /**
             * @description How it stands, or an HTTP status
             * @example 503
             * @constant
             */
            status: 503;
            /**
             * @description A stable code for programs (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "backpressure";
            /**
             * @description What went wrong, in words
             * @example The ledger is too far behind; nothing was written.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description The identity provider cannot be reached. */
        IssuerUnavailableProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:issuer_unavailable
             * @constant
             */
            type: "urn:usage-governor:problem:issuer_unavailable";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The identity provider cannot be reached
             * @constant
             */
            title: "The identity provider cannot be reached";
            /**
             * @description How it stands, or an HTTP status
             * @example 503
             * @constant
             */
            status: 503;
            /**
             * @description A stable code for programs (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "issuer_unavailable";
            /**
             * @description What went wrong, in words
             * @example The identity provider cannot be reached.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description This process cannot serve now. */
        NotReadyProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:not_ready
             * @constant
             */
            type: "urn:usage-governor:problem:not_ready";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example This process cannot serve now
             * @constant
             */
            title: "This process cannot serve now";
            /**
             * @description How it stands, or an HTTP status
             * @example 503
             * @constant
             */
            status: 503;
            /**
             * @description A stable code for programs (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "not_ready";
            /**
             * @description What went wrong, in words
             * @example This process cannot serve now.
             */
            detail: string;
            /**
             * @description How each store stands
             * @example {
             *       "mongo": "ok",
             *       "redis": "ok"
             *     }
             */
            parts?: {
                [key: string]: "ok" | "failing";
            };
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description Stripe cannot be reached; nothing was charged. */
        PaymentsUnavailableProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:payments_unavailable
             * @constant
             */
            type: "urn:usage-governor:problem:payments_unavailable";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example Stripe cannot be reached; nothing was charged
             * @constant
             */
            title: "Stripe cannot be reached; nothing was charged";
            /**
             * @description How it stands, or an HTTP status
             * @example 503
             * @constant
             */
            status: 503;
            /**
             * @description A stable code for programs (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "payments_unavailable";
            /**
             * @description What went wrong, in words
             * @example Stripe cannot be reached; nothing was charged.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description The signature is missing, wrong or too old. */
        InvalidSignatureProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:invalid_signature
             * @constant
             */
            type: "urn:usage-governor:problem:invalid_signature";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The signature is missing, wrong or too old
             * @constant
             */
            title: "The signature is missing, wrong or too old";
            /**
             * @description How it stands, or an HTTP status
             * @example 400
             * @constant
             */
            status: 400;
            /**
             * @description A stable code for programs (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "invalid_signature";
            /**
             * @description What went wrong, in words
             * @example The signature is missing, wrong or too old.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description The code is not valid. */
        InvalidGrantProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:invalid_grant
             * @constant
             */
            type: "urn:usage-governor:problem:invalid_grant";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The code is not valid
             * @constant
             */
            title: "The code is not valid";
            /**
             * @description How it stands, or an HTTP status
             * @example 400
             * @constant
             */
            status: 400;
            /**
             * @description A stable code for programs (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "invalid_grant";
            /**
             * @description What went wrong, in words
             * @example The code is not valid.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description The code has expired. */
        ExpiredTokenProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:expired_token
             * @constant
             */
            type: "urn:usage-governor:problem:expired_token";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The code has expired
             * @constant
             */
            title: "The code has expired";
            /**
             * @description How it stands, or an HTTP status
             * @example 400
             * @constant
             */
            status: 400;
            /**
             * @description A stable code for programs (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "expired_token";
            /**
             * @description What went wrong, in words
             * @example The code has expired.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description The account has as many devices as it may have. */
        TooManyDevicesProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:too_many_devices
             * @constant
             */
            type: "urn:usage-governor:problem:too_many_devices";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The account has as many devices as it may have
             * @constant
             */
            title: "The account has as many devices as it may have";
            /**
             * @description How it stands, or an HTTP status
             * @example 409
             * @constant
             */
            status: 409;
            /**
             * @description A stable code for programs
             * @example too_many_devices
             * @constant
             */
            code: "too_many_devices";
            /**
             * @description What went wrong, in words
             * @example The account has as many devices as it may have.
             */
            detail: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        /** @description The organization's plan does not include this. */
        PlanRequiredProblem: {
            /**
             * @description The type
             * @example urn:usage-governor:problem:plan_required
             * @constant
             */
            type: "urn:usage-governor:problem:plan_required";
            /**
             * @description What went wrong, the same for every problem of this code
             * @example The organization's plan does not include this
             * @constant
             */
            title: "The organization's plan does not include this";
            /**
             * @description How it stands, or an HTTP status
             * @example 403
             * @constant
             */
            status: 403;
            /**
             * @description A stable code for programs (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            code: "plan_required";
            /**
             * @description What went wrong, in words
             * @example The organization's plan does not include this.
             */
            detail: string;
            /**
             * @description The organization's plan
             * @example team
             */
            plan: string;
            /**
             * @description The id of the request in our log
             * @example 0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69
             */
            request_id: string;
        };
        OAuthError: {
            /**
             * @description What went wrong; absent when nothing did
             * @example invalid_grant
             */
            error: string;
            /**
             * @description What went wrong, in words
             * @example The user code has not been approved yet.
             */
            error_description: string;
        };
        OtlpStatus: {
            /**
             * @description A stable code for programs
             * @example 3
             */
            code: number;
            /**
             * @description What went wrong, in words
             * @example Too many requests
             */
            message: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The id of the request in our log: your own `X-Request-Id`, or a new one */
        "X-Request-Id": string;
        /** @description The scheme of the credential that is missing */
        "WWW-Authenticate": string;
        /** @description Seconds after which it is worth trying again */
        "Retry-After": number;
        /** @description The limit: requests (`q`) per window of seconds (`w`) */
        "RateLimit-Policy": string;
        /** @description Requests that are left (`r`) for so many seconds (`t`) */
        RateLimit: string;
        /** @description `true` when this answer was made for an earlier request */
        "Idempotent-Replayed": string;
        /** @description Until when a repeat gets this answer (Unix seconds) */
        "Idempotency-Expires": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    post_api_v1_signals: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": ({
                    /** @description Signals */
                    signals?: unknown[];
                    /**
                     * @description Whether these are history: what is old among them raises no events
                     * @example true
                     */
                    historical?: boolean;
                } & {
                    [key: string]: unknown;
                }) | {
                    /** @description The signals, judged one by one */
                    signals: {
                        /**
                         * @description The client's id; with organization and adapter the idempotency key
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description The type
                         * @default call
                         * @example call
                         * @enum {string}
                         */
                        type?: "call" | "intervention";
                        /**
                         * @description When it happened: ISO 8601 with Z or an offset, seconds if you have them
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        ts: string;
                        /**
                         * @description The user
                         * @example ada
                         */
                        user_id?: string;
                        /**
                         * @description The project
                         * @example checkout
                         */
                        project_id?: string;
                        /**
                         * @description Which tool sent it, such as claude-code
                         * @example claude-code
                         */
                        adapter: string;
                        /**
                         * @description The model
                         * @example claude-sonnet-4-5
                         */
                        model?: string;
                        /**
                         * @description Who runs the model
                         * @example anthropic
                         */
                        provider?: string;
                        /**
                         * @description Input tokens, cached ones included
                         * @example 1200
                         */
                        tokens_in?: number;
                        /**
                         * @description Output tokens
                         * @example 340
                         */
                        tokens_out?: number;
                        /**
                         * @description Input tokens that were read from a cache
                         * @example 900
                         */
                        cache_read_tokens?: number;
                        /**
                         * @description Input tokens that were written to a cache
                         * @example 0
                         */
                        cache_write_tokens?: number;
                        /**
                         * @description As the adapter reports it; else priced here
                         * @example 0.0123
                         */
                        cost_usd?: number;
                        /** @description What went wrong; absent when nothing did */
                        error?: {
                            /**
                             * @description A stable code for programs
                             * @example rate_limited
                             */
                            code: string;
                            /**
                             * @description What went wrong, in words
                             * @example Too many requests
                             */
                            message?: string;
                        };
                        /**
                         * @description How long it took, in milliseconds
                         * @example 812
                         */
                        latency_ms?: number;
                        /**
                         * @description The tool that the model called
                         * @example bash
                         */
                        tool_name?: string;
                        /**
                         * @description At most 32 pairs of text of your own
                         * @example {
                         *       "branch": "main"
                         *     }
                         */
                        metadata?: {
                            [key: string]: string;
                        };
                        /** @description What a policy gate decided */
                        intervention?: {
                            /**
                             * @description What sort of gate, such as tool_permission or guardrail
                             * @example tool_permission
                             */
                            kind: string;
                            /**
                             * @description What the gate said
                             * @example deny
                             * @enum {string}
                             */
                            verdict: "allow" | "deny" | "modify" | "warn" | "escalate";
                            /**
                             * @description What happened
                             * @example block
                             * @enum {string}
                             */
                            action: "allow" | "block" | "modify" | "escalate";
                            /**
                             * @description Who decided, such as config, user or hook
                             * @example config
                             */
                            source: string;
                            /**
                             * @description The policy that decided
                             * @example no-prod-writes
                             */
                            policy_id?: string;
                            /**
                             * @description The rule of the policy
                             * @example rule-7
                             */
                            rule_id?: string;
                            /**
                             * @description Why
                             * @example receipt
                             */
                            reason?: string;
                            /**
                             * @description How serious it is
                             * @example high
                             */
                            severity?: string;
                        };
                        /**
                         * @description The reservation that its cost replaces; an unknown one is ignored
                         * @example res_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        reservation_id?: string;
                    }[];
                    /**
                     * @description Signals that are older than the session timeout and an hour raise no session, anomaly or budget events.
                     * @example true
                     */
                    historical?: boolean;
                } | {
                    /**
                     * @description The client's id; with organization and adapter the idempotency key
                     * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    id: string;
                    /**
                     * @description The type
                     * @default call
                     * @example call
                     * @enum {string}
                     */
                    type?: "call" | "intervention";
                    /**
                     * @description When it happened: ISO 8601 with Z or an offset, seconds if you have them
                     * @example 2026-01-15T09:30:00.000Z
                     */
                    ts: string;
                    /**
                     * @description The user
                     * @example ada
                     */
                    user_id?: string;
                    /**
                     * @description The project
                     * @example checkout
                     */
                    project_id?: string;
                    /**
                     * @description Which tool sent it, such as claude-code
                     * @example claude-code
                     */
                    adapter: string;
                    /**
                     * @description The model
                     * @example claude-sonnet-4-5
                     */
                    model?: string;
                    /**
                     * @description Who runs the model
                     * @example anthropic
                     */
                    provider?: string;
                    /**
                     * @description Input tokens, cached ones included
                     * @example 1200
                     */
                    tokens_in?: number;
                    /**
                     * @description Output tokens
                     * @example 340
                     */
                    tokens_out?: number;
                    /**
                     * @description Input tokens that were read from a cache
                     * @example 900
                     */
                    cache_read_tokens?: number;
                    /**
                     * @description Input tokens that were written to a cache
                     * @example 0
                     */
                    cache_write_tokens?: number;
                    /**
                     * @description As the adapter reports it; else priced here
                     * @example 0.0123
                     */
                    cost_usd?: number;
                    /** @description What went wrong; absent when nothing did */
                    error?: {
                        /**
                         * @description A stable code for programs
                         * @example rate_limited
                         */
                        code: string;
                        /**
                         * @description What went wrong, in words
                         * @example Too many requests
                         */
                        message?: string;
                    };
                    /**
                     * @description How long it took, in milliseconds
                     * @example 812
                     */
                    latency_ms?: number;
                    /**
                     * @description The tool that the model called
                     * @example bash
                     */
                    tool_name?: string;
                    /**
                     * @description At most 32 pairs of text of your own
                     * @example {
                     *       "branch": "main"
                     *     }
                     */
                    metadata?: {
                        [key: string]: string;
                    };
                    /** @description What a policy gate decided */
                    intervention?: {
                        /**
                         * @description What sort of gate, such as tool_permission or guardrail
                         * @example tool_permission
                         */
                        kind: string;
                        /**
                         * @description What the gate said
                         * @example deny
                         * @enum {string}
                         */
                        verdict: "allow" | "deny" | "modify" | "warn" | "escalate";
                        /**
                         * @description What happened
                         * @example block
                         * @enum {string}
                         */
                        action: "allow" | "block" | "modify" | "escalate";
                        /**
                         * @description Who decided, such as config, user or hook
                         * @example config
                         */
                        source: string;
                        /**
                         * @description The policy that decided
                         * @example no-prod-writes
                         */
                        policy_id?: string;
                        /**
                         * @description The rule of the policy
                         * @example rule-7
                         */
                        rule_id?: string;
                        /**
                         * @description Why
                         * @example receipt
                         */
                        reason?: string;
                        /**
                         * @description How serious it is
                         * @example high
                         */
                        severity?: string;
                    };
                    /**
                     * @description The reservation that its cost replaces; an unknown one is ignored
                     * @example res_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    reservation_id?: string;
                };
            };
        };
        responses: {
            /** @description What became of each signal */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description One result per signal, in the order of the request */
                        results: ({
                            /**
                             * @description The identifier
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id: string;
                            /**
                             * @description How it stands, or an HTTP status
                             * @example accepted
                             * @constant
                             */
                            status: "accepted";
                            /**
                             * @description The session
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            session_id: string;
                        } | {
                            /**
                             * @description The identifier
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id: string;
                            /**
                             * @description How it stands, or an HTTP status
                             * @example duplicate
                             * @constant
                             */
                            status: "duplicate";
                            /**
                             * @description The session
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            session_id: string;
                        } | {
                            /**
                             * @description The identifier
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id: string | null;
                            /**
                             * @description How it stands, or an HTTP status
                             * @example rejected
                             * @constant
                             */
                            status: "rejected";
                            /**
                             * @description `invalid_signal user_required foreign_user id_taken ts_ahead ts_behind too_many_models too_many_values`; stable
                             * @example rate_limited
                             */
                            code: string;
                            /**
                             * @description What went wrong, in words
                             * @example tokens_in must be a whole number
                             */
                            detail: string;
                        })[];
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `store_unavailable`: A store cannot be reached; nothing was written. `overloaded`: The service is overloaded; try again later */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["OverloadedProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    post_otlp_v1_logs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/x-protobuf": string;
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Taken; `partialSuccess` tells what was refused, or a warning */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was refused, or a warning */
                        partialSuccess?: {
                            /**
                             * @description How many log records were refused
                             * @example 1
                             */
                            rejectedLogRecords?: string;
                            /**
                             * @description How many spans were refused
                             * @example 1
                             */
                            rejectedSpans?: string;
                            /**
                             * @description How many data points were refused
                             * @example 0
                             */
                            rejectedDataPoints?: string;
                            /**
                             * @description What was refused and why
                             * @example one span has no time
                             */
                            errorMessage: string;
                        };
                    };
                    "application/x-protobuf": string;
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `store_unavailable`: A store cannot be reached; nothing was written. `overloaded`: The service is overloaded; try again later */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
        };
    };
    post_otlp_v1_traces: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/x-protobuf": string;
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Taken; `partialSuccess` tells what was refused, or a warning */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was refused, or a warning */
                        partialSuccess?: {
                            /**
                             * @description How many log records were refused
                             * @example 1
                             */
                            rejectedLogRecords?: string;
                            /**
                             * @description How many spans were refused
                             * @example 1
                             */
                            rejectedSpans?: string;
                            /**
                             * @description How many data points were refused
                             * @example 0
                             */
                            rejectedDataPoints?: string;
                            /**
                             * @description What was refused and why
                             * @example one span has no time
                             */
                            errorMessage: string;
                        };
                    };
                    "application/x-protobuf": string;
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `store_unavailable`: A store cannot be reached; nothing was written. `overloaded`: The service is overloaded; try again later */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
        };
    };
    post_otlp_v1_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/x-protobuf": string;
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Taken; `partialSuccess` tells what was refused, or a warning */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was refused, or a warning */
                        partialSuccess?: {
                            /**
                             * @description How many log records were refused
                             * @example 1
                             */
                            rejectedLogRecords?: string;
                            /**
                             * @description How many spans were refused
                             * @example 1
                             */
                            rejectedSpans?: string;
                            /**
                             * @description How many data points were refused
                             * @example 0
                             */
                            rejectedDataPoints?: string;
                            /**
                             * @description What was refused and why
                             * @example one span has no time
                             */
                            errorMessage: string;
                        };
                    };
                    "application/x-protobuf": string;
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `store_unavailable`: A store cannot be reached; nothing was written. `overloaded`: The service is overloaded; try again later */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpStatus"];
                    "application/x-protobuf": string;
                };
            };
        };
    };
    get_api_v1_sessions: {
        parameters: {
            query?: {
                /** @description Filter by user */
                user_id?: string;
                /** @description Filter by project */
                project_id?: string;
                /** @description Filter by primary model, exactly */
                model?: string;
                /** @description Filter by adapter */
                adapter?: string;
                /** @description Sessions that started at or after this time; a date is its midnight in the organization's timezone */
                from?: string;
                /** @description Sessions that started before this time; a date likewise */
                to?: string;
                /** @description The largest number of items of the page */
                limit?: number;
                /** @description The previous page's `cursor` */
                cursor?: string;
                /** @description The order: newest first (`desc`) or oldest first */
                order?: "desc" | "asc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of the page, or what the event tells */
                        data: {
                            /**
                             * @description The identifier
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id: string;
                            /**
                             * @description The user
                             * @example ada
                             */
                            user_id: string;
                            /**
                             * @description The project
                             * @example checkout
                             */
                            project_id: string;
                            /**
                             * Format: date-time
                             * @description When it started
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            started_at: string;
                            /**
                             * Format: date-time
                             * @description While open: the last activity so far
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            ended_at: string;
                            /**
                             * @description From start to end, in seconds
                             * @example 1260
                             */
                            duration_s: number;
                            /**
                             * @description The model
                             * @example claude-sonnet-4-5
                             */
                            model: string;
                            /**
                             * @description All models, the primary one included
                             * @example [
                             *       "claude-sonnet-4-5"
                             *     ]
                             */
                            models: string[];
                            /**
                             * @description Input tokens, cached ones included
                             * @example 1200
                             */
                            tokens_in: number;
                            /**
                             * @description Output tokens
                             * @example 340
                             */
                            tokens_out: number;
                            /**
                             * @description Cost in US dollars
                             * @example 0.0123
                             */
                            cost_usd: number;
                            /**
                             * @description The number of signals
                             * @example 12
                             */
                            signal_count: number;
                            /**
                             * @description The number of signals with an error
                             * @example 1
                             */
                            error_count: number;
                            /**
                             * @description The tool that reported it
                             * @example claude-code
                             */
                            adapter: string;
                            /**
                             * @description How it stands
                             * @example open
                             * @enum {string}
                             */
                            state: "open" | "ended";
                            /**
                             * @description What ended it; null while it is open
                             * @example timeout
                             */
                            end_reason: ("timeout" | "closed") | null;
                            /**
                             * @description The number of interventions
                             * @example 0
                             */
                            intervention_count: number;
                            /**
                             * @description Signals whose cost is not known, and counts as 0
                             * @example 0
                             */
                            unpriced_signals: number;
                            /**
                             * Format: date-time
                             * @description When the last signal happened
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            last_activity_at: string;
                        }[];
                        /**
                         * @description Pass back as `cursor`; the last page's yields an empty page until more comes
                         * @example eyJhIjoxfQ.c2ln
                         */
                        cursor: string;
                        /**
                         * @description Whether there are more pages
                         * @example false
                         */
                        has_more: boolean;
                        /**
                         * @description Number of all that match, counted with the first page
                         * @example 42
                         */
                        total: number;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `invalid_cursor`: The cursor does not belong to this query */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["InvalidCursorProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
        };
    };
    get_api_v1_sessions_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Session id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session, its signals in time order */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The identifier
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description The user
                         * @example ada
                         */
                        user_id: string;
                        /**
                         * @description The project
                         * @example checkout
                         */
                        project_id: string;
                        /**
                         * Format: date-time
                         * @description When it started
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        started_at: string;
                        /**
                         * Format: date-time
                         * @description While open: the last activity so far
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        ended_at: string;
                        /**
                         * @description From start to end, in seconds
                         * @example 1260
                         */
                        duration_s: number;
                        /**
                         * @description The model
                         * @example claude-sonnet-4-5
                         */
                        model: string;
                        /**
                         * @description All models, the primary one included
                         * @example [
                         *       "claude-sonnet-4-5"
                         *     ]
                         */
                        models: string[];
                        /**
                         * @description Input tokens, cached ones included
                         * @example 1200
                         */
                        tokens_in: number;
                        /**
                         * @description Output tokens
                         * @example 340
                         */
                        tokens_out: number;
                        /**
                         * @description Cost in US dollars
                         * @example 0.0123
                         */
                        cost_usd: number;
                        /**
                         * @description The number of signals
                         * @example 12
                         */
                        signal_count: number;
                        /**
                         * @description The number of signals with an error
                         * @example 1
                         */
                        error_count: number;
                        /**
                         * @description The tool that reported it
                         * @example claude-code
                         */
                        adapter: string;
                        /**
                         * @description How it stands
                         * @example open
                         * @enum {string}
                         */
                        state: "open" | "ended";
                        /**
                         * @description What ended it; null while it is open
                         * @example timeout
                         */
                        end_reason: ("timeout" | "closed") | null;
                        /**
                         * @description The number of interventions
                         * @example 0
                         */
                        intervention_count: number;
                        /**
                         * @description Signals whose cost is not known, and counts as 0
                         * @example 0
                         */
                        unpriced_signals: number;
                        /**
                         * Format: date-time
                         * @description When the last signal happened
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        last_activity_at: string;
                        /** @description Signals */
                        signals: {
                            /**
                             * @description The identifier
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id: string;
                            /**
                             * @description The type
                             * @example call
                             * @enum {string}
                             */
                            type: "call" | "intervention";
                            /**
                             * Format: date-time
                             * @description When it happened
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            ts: string;
                            /**
                             * @description The user
                             * @example ada
                             */
                            user_id: string;
                            /**
                             * @description The project
                             * @example checkout
                             */
                            project_id: string;
                            /**
                             * @description The tool that reported it
                             * @example claude-code
                             */
                            adapter: string;
                            /**
                             * @description The model
                             * @example claude-sonnet-4-5
                             */
                            model: string | null;
                            /**
                             * @description Who runs the model
                             * @example anthropic
                             */
                            provider: string | null;
                            /**
                             * @description Input tokens, cached ones included
                             * @example 1200
                             */
                            tokens_in: number;
                            /**
                             * @description Output tokens
                             * @example 340
                             */
                            tokens_out: number;
                            /**
                             * @description Input tokens that were read from a cache
                             * @example 900
                             */
                            cache_read_tokens: number;
                            /**
                             * @description Input tokens that were written to a cache
                             * @example 0
                             */
                            cache_write_tokens: number;
                            /**
                             * @description In US dollars; null when no price is known
                             * @example 0.0123
                             */
                            cost_usd: number | null;
                            /**
                             * @description Whether the cost was reported, computed here, or is unknown
                             * @example computed
                             * @enum {string}
                             */
                            cost_source: "reported" | "computed" | "unknown";
                            /** @description What went wrong; absent when nothing did */
                            error?: {
                                /**
                                 * @description A stable code for programs
                                 * @example rate_limited
                                 */
                                code: string;
                                /**
                                 * @description What went wrong, in words
                                 * @example Too many requests
                                 */
                                message?: string;
                            };
                            /**
                             * @description How long it took, in milliseconds
                             * @example 812
                             */
                            latency_ms?: number;
                            /**
                             * @description The tool that the model called
                             * @example bash
                             */
                            tool_name?: string;
                            /**
                             * @description At most 32 pairs of text of your own
                             * @example {
                             *       "branch": "main"
                             *     }
                             */
                            metadata?: {
                                [key: string]: string;
                            };
                            /** @description What a policy gate decided */
                            intervention?: {
                                /**
                                 * @description What sort of thing it is
                                 * @example tool_permission
                                 */
                                kind: string;
                                /**
                                 * @description What the gate said
                                 * @example deny
                                 */
                                verdict: string;
                                /**
                                 * @description What happened
                                 * @example block
                                 */
                                action: string;
                                /**
                                 * @description Who decided
                                 * @example config
                                 */
                                source: string;
                                /**
                                 * @description The policy that decided
                                 * @example no-prod-writes
                                 */
                                policy_id?: string;
                                /**
                                 * @description The rule of the policy
                                 * @example rule-7
                                 */
                                rule_id?: string;
                                /**
                                 * @description Why
                                 * @example receipt
                                 */
                                reason?: string;
                                /**
                                 * @description How serious it is
                                 * @example high
                                 */
                                severity?: string;
                            };
                            /**
                             * @description The reservation
                             * @example res_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            reservation_id?: string;
                        }[];
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
        };
    };
    get_api_v1_sessions_id_interventions: {
        parameters: {
            query?: {
                /** @description The largest number of items of the page */
                limit?: number;
                /** @description The previous page's `cursor` */
                cursor?: string;
                /** @description The order: newest first (`desc`) or oldest first */
                order?: "desc" | "asc";
            };
            header?: never;
            path: {
                /** @description Session id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of interventions */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of the page, or what the event tells */
                        data: {
                            /**
                             * @description The identifier
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id: string;
                            /**
                             * Format: date-time
                             * @description When it happened
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            ts: string;
                            /**
                             * @description What sort of thing it is
                             * @example tool_permission
                             */
                            kind: string;
                            /**
                             * @description What the gate said
                             * @example deny
                             */
                            verdict: string;
                            /**
                             * @description What happened
                             * @example block
                             */
                            action: string;
                            /**
                             * @description Who decided
                             * @example config
                             */
                            source: string;
                            /**
                             * @description The policy that decided
                             * @example no-prod-writes
                             */
                            policy_id?: string;
                            /**
                             * @description The rule of the policy
                             * @example rule-7
                             */
                            rule_id?: string;
                            /**
                             * @description Why
                             * @example receipt
                             */
                            reason?: string;
                            /**
                             * @description How serious it is
                             * @example high
                             */
                            severity?: string;
                        }[];
                        /**
                         * @description Pass back as `cursor`; the last page's yields an empty page until more comes
                         * @example eyJhIjoxfQ.c2ln
                         */
                        cursor: string;
                        /**
                         * @description Whether there are more pages
                         * @example false
                         */
                        has_more: boolean;
                        /**
                         * @description Number of all that match, counted with the first page
                         * @example 42
                         */
                        total: number;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `invalid_cursor`: The cursor does not belong to this query */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["InvalidCursorProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
        };
    };
    post_api_v1_sessions_id_close: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Session id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ended session */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The identifier
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description The user
                         * @example ada
                         */
                        user_id: string;
                        /**
                         * @description The project
                         * @example checkout
                         */
                        project_id: string;
                        /**
                         * Format: date-time
                         * @description When it started
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        started_at?: string;
                        /**
                         * Format: date-time
                         * @description While open: the last activity so far
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        ended_at: string;
                        /**
                         * @description From start to end, in seconds
                         * @example 1260
                         */
                        duration_s?: number;
                        /**
                         * @description The model
                         * @example claude-sonnet-4-5
                         */
                        model?: string;
                        /**
                         * @description All models, the primary one included
                         * @example [
                         *       "claude-sonnet-4-5"
                         *     ]
                         */
                        models?: string[];
                        /**
                         * @description Input tokens, cached ones included
                         * @example 1200
                         */
                        tokens_in?: number;
                        /**
                         * @description Output tokens
                         * @example 340
                         */
                        tokens_out?: number;
                        /**
                         * @description Cost in US dollars
                         * @example 0.0123
                         */
                        cost_usd?: number;
                        /**
                         * @description The number of signals
                         * @example 12
                         */
                        signal_count?: number;
                        /**
                         * @description The number of signals with an error
                         * @example 1
                         */
                        error_count?: number;
                        /**
                         * @description The tool that reported it
                         * @example claude-code
                         */
                        adapter: string;
                        /**
                         * @description How it stands
                         * @example open
                         * @enum {string}
                         */
                        state: "open" | "ended";
                        /**
                         * @description What ended it; null while it is open
                         * @example timeout
                         */
                        end_reason: ("timeout" | "closed") | null;
                        /**
                         * @description The number of interventions
                         * @example 0
                         */
                        intervention_count?: number;
                        /**
                         * @description Signals whose cost is not known, and counts as 0
                         * @example 0
                         */
                        unpriced_signals?: number;
                        /**
                         * Format: date-time
                         * @description When the last signal happened
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        last_activity_at?: string;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    get_api_v1_budgets: {
        parameters: {
            query?: {
                /** @description The largest number of items of the page */
                limit?: number;
                /** @description The previous page's `cursor` */
                cursor?: string;
                /** @description The order: newest first (`desc`) or oldest first */
                order?: "desc" | "asc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of budgets, newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of the page, or what the event tells */
                        data: {
                            /**
                             * @description The identifier
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id: string;
                            /**
                             * @description The name
                             * @example Checkout team, monthly
                             */
                            name: string;
                            /**
                             * @description Whose usage counts
                             * @example org
                             * @enum {string}
                             */
                            scope: "org" | "team" | "project" | "user";
                            /**
                             * @description The team, project, user or organization
                             * @example checkout
                             */
                            scope_id: string;
                            /**
                             * @description What is counted
                             * @example cost_usd
                             * @enum {string}
                             */
                            metric: "cost_usd" | "tokens" | "tokens_in" | "tokens_out" | "signals" | "sessions" | "errors";
                            /**
                             * @description The amount at which it is exceeded, in the unit of the metric
                             * @example 500
                             */
                            threshold: number;
                            /**
                             * @description The time over which usage is counted
                             * @example monthly
                             * @enum {string}
                             */
                            window: "hourly" | "daily" | "weekly" | "monthly";
                            /**
                             * @description An IANA timezone
                             * @example Europe/Berlin
                             */
                            timezone: string;
                            /**
                             * @description Whether calls beyond the threshold are refused
                             * @example hard
                             * @enum {string}
                             */
                            enforce: "none" | "soft" | "hard";
                            /**
                             * @description What a hard budget says while usage cannot be read
                             * @example deny
                             * @enum {string}
                             */
                            on_error: "allow" | "deny";
                            /**
                             * @description Usage in the open window, in the unit of the threshold
                             * @example 412.5
                             */
                            current: number;
                            /**
                             * @description Up to the threshold; 0 beyond it
                             * @example 87.5
                             */
                            remaining: number;
                            /**
                             * @description Usage in percent of the threshold
                             * @example 82.5
                             */
                            utilization_pct: number;
                            /**
                             * Format: date-time
                             * @description When the open window began
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            window_start: string;
                            /**
                             * Format: date-time
                             * @description When the open window ends
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            window_end: string;
                            /**
                             * @description How it stands
                             * @example ok
                             * @enum {string}
                             */
                            state: "ok" | "warning" | "exceeded";
                            /**
                             * @description Usage at the window's end, if the rest of it goes on at the pace so far
                             * @example 540
                             */
                            forecast: number;
                            /**
                             * @description Signals of the window whose cost is not known, and counts as 0
                             * @example 0
                             */
                            unpriced_signals: number;
                            /**
                             * Format: date-time
                             * @description When the levels were last checked; null before the first time
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            last_evaluated_at: string | null;
                            /**
                             * @description Rises with every change that lets the levels fire again
                             * @example 1
                             */
                            revision: number;
                            /**
                             * Format: date-time
                             * @description When it was created
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When it was last changed
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            updated_at: string;
                        }[];
                        /**
                         * @description Pass back as `cursor`; the last page's yields an empty page until more comes
                         * @example eyJhIjoxfQ.c2ln
                         */
                        cursor: string;
                        /**
                         * @description Whether there are more pages
                         * @example false
                         */
                        has_more: boolean;
                        /**
                         * @description Number of all that match, counted with the first page
                         * @example 42
                         */
                        total: number;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `invalid_cursor`: The cursor does not belong to this query */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["InvalidCursorProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
        };
    };
    post_api_v1_budgets: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 48 hours: it creates nothing and gets the same answer. 1 to 128 printable ASCII characters without a comma; a UUID is advised. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The name
                     * @example Checkout team, monthly
                     */
                    name: string;
                    /**
                     * @description Whose usage counts
                     * @example org
                     * @enum {string}
                     */
                    scope: "org" | "team" | "project" | "user";
                    /**
                     * @description Id of the team, project or user; may be left out for `org`
                     * @example checkout
                     */
                    scope_id?: string;
                    /**
                     * @description What is counted
                     * @example cost_usd
                     * @enum {string}
                     */
                    metric: "cost_usd" | "tokens" | "tokens_in" | "tokens_out" | "signals" | "sessions" | "errors";
                    /**
                     * @description US dollars for `cost_usd`, else a count
                     * @example 500
                     */
                    threshold: number;
                    /**
                     * @description A calendar interval; weeks begin on Monday
                     * @example monthly
                     * @enum {string}
                     */
                    window: "hourly" | "daily" | "weekly" | "monthly";
                    /**
                     * @description IANA timezone of the window; the organization's by default
                     * @example Europe/Berlin
                     */
                    timezone?: string;
                    /**
                     * @description `hard` refuses checks and reservations beyond the threshold; `none` (default) and `soft` never do
                     * @example hard
                     * @enum {string}
                     */
                    enforce?: "none" | "soft" | "hard";
                    /**
                     * @description What a `hard` budget says to a check while usage cannot be read; `allow` by default
                     * @example deny
                     * @enum {string}
                     */
                    on_error?: "allow" | "deny";
                };
            };
        };
        responses: {
            /** @description The budget */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "Idempotency-Expires": components["headers"]["Idempotency-Expires"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The identifier
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description The name
                         * @example Checkout team, monthly
                         */
                        name: string;
                        /**
                         * @description Whose usage counts
                         * @example org
                         * @enum {string}
                         */
                        scope: "org" | "team" | "project" | "user";
                        /**
                         * @description The team, project, user or organization
                         * @example checkout
                         */
                        scope_id: string;
                        /**
                         * @description What is counted
                         * @example cost_usd
                         * @enum {string}
                         */
                        metric: "cost_usd" | "tokens" | "tokens_in" | "tokens_out" | "signals" | "sessions" | "errors";
                        /**
                         * @description The amount at which it is exceeded, in the unit of the metric
                         * @example 500
                         */
                        threshold: number;
                        /**
                         * @description The time over which usage is counted
                         * @example monthly
                         * @enum {string}
                         */
                        window: "hourly" | "daily" | "weekly" | "monthly";
                        /**
                         * @description An IANA timezone
                         * @example Europe/Berlin
                         */
                        timezone: string;
                        /**
                         * @description Whether calls beyond the threshold are refused
                         * @example hard
                         * @enum {string}
                         */
                        enforce: "none" | "soft" | "hard";
                        /**
                         * @description What a hard budget says while usage cannot be read
                         * @example deny
                         * @enum {string}
                         */
                        on_error: "allow" | "deny";
                        /**
                         * @description Usage in the open window, in the unit of the threshold
                         * @example 412.5
                         */
                        current?: number;
                        /**
                         * @description Up to the threshold; 0 beyond it
                         * @example 87.5
                         */
                        remaining?: number;
                        /**
                         * @description Usage in percent of the threshold
                         * @example 82.5
                         */
                        utilization_pct?: number;
                        /**
                         * Format: date-time
                         * @description When the open window began
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        window_start: string;
                        /**
                         * Format: date-time
                         * @description When the open window ends
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        window_end: string;
                        /**
                         * @description How it stands
                         * @example ok
                         * @enum {string}
                         */
                        state?: "ok" | "warning" | "exceeded";
                        /**
                         * @description Usage at the window's end, if the rest of it goes on at the pace so far
                         * @example 540
                         */
                        forecast?: number;
                        /**
                         * @description Signals of the window whose cost is not known, and counts as 0
                         * @example 0
                         */
                        unpriced_signals?: number;
                        /**
                         * Format: date-time
                         * @description When the levels were last checked; null before the first time
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        last_evaluated_at?: string | null;
                        /**
                         * @description Rises with every change that lets the levels fire again
                         * @example 1
                         */
                        revision: number;
                        /**
                         * Format: date-time
                         * @description When it was created
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        created_at: string;
                        /**
                         * Format: date-time
                         * @description When it was last changed
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        updated_at: string;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `conflict`: The request conflicts with the current state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ConflictProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used for another request */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["IdempotencyKeyReusedProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    get_api_v1_budgets_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Budget id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The budget */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The identifier
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description The name
                         * @example Checkout team, monthly
                         */
                        name: string;
                        /**
                         * @description Whose usage counts
                         * @example org
                         * @enum {string}
                         */
                        scope: "org" | "team" | "project" | "user";
                        /**
                         * @description The team, project, user or organization
                         * @example checkout
                         */
                        scope_id: string;
                        /**
                         * @description What is counted
                         * @example cost_usd
                         * @enum {string}
                         */
                        metric: "cost_usd" | "tokens" | "tokens_in" | "tokens_out" | "signals" | "sessions" | "errors";
                        /**
                         * @description The amount at which it is exceeded, in the unit of the metric
                         * @example 500
                         */
                        threshold: number;
                        /**
                         * @description The time over which usage is counted
                         * @example monthly
                         * @enum {string}
                         */
                        window: "hourly" | "daily" | "weekly" | "monthly";
                        /**
                         * @description An IANA timezone
                         * @example Europe/Berlin
                         */
                        timezone: string;
                        /**
                         * @description Whether calls beyond the threshold are refused
                         * @example hard
                         * @enum {string}
                         */
                        enforce: "none" | "soft" | "hard";
                        /**
                         * @description What a hard budget says while usage cannot be read
                         * @example deny
                         * @enum {string}
                         */
                        on_error: "allow" | "deny";
                        /**
                         * @description Usage in the open window, in the unit of the threshold
                         * @example 412.5
                         */
                        current: number;
                        /**
                         * @description Up to the threshold; 0 beyond it
                         * @example 87.5
                         */
                        remaining: number;
                        /**
                         * @description Usage in percent of the threshold
                         * @example 82.5
                         */
                        utilization_pct: number;
                        /**
                         * Format: date-time
                         * @description When the open window began
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        window_start: string;
                        /**
                         * Format: date-time
                         * @description When the open window ends
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        window_end: string;
                        /**
                         * @description How it stands
                         * @example ok
                         * @enum {string}
                         */
                        state: "ok" | "warning" | "exceeded";
                        /**
                         * @description Usage at the window's end, if the rest of it goes on at the pace so far
                         * @example 540
                         */
                        forecast: number;
                        /**
                         * @description Signals of the window whose cost is not known, and counts as 0
                         * @example 0
                         */
                        unpriced_signals: number;
                        /**
                         * Format: date-time
                         * @description When the levels were last checked; null before the first time
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        last_evaluated_at: string | null;
                        /**
                         * @description Rises with every change that lets the levels fire again
                         * @example 1
                         */
                        revision: number;
                        /**
                         * Format: date-time
                         * @description When it was created
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        created_at: string;
                        /**
                         * Format: date-time
                         * @description When it was last changed
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        updated_at: string;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
        };
    };
    delete_api_v1_budgets_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Budget id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    patch_api_v1_budgets_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Budget id */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The name
                     * @example Checkout team, monthly
                     */
                    name?: string;
                    /**
                     * @description Whose usage counts
                     * @example org
                     * @enum {string}
                     */
                    scope?: "org" | "team" | "project" | "user";
                    /**
                     * @description Id of the team, project or user; may be left out for `org`
                     * @example checkout
                     */
                    scope_id?: string;
                    /**
                     * @description What is counted
                     * @example cost_usd
                     * @enum {string}
                     */
                    metric?: "cost_usd" | "tokens" | "tokens_in" | "tokens_out" | "signals" | "sessions" | "errors";
                    /**
                     * @description US dollars for `cost_usd`, else a count
                     * @example 500
                     */
                    threshold?: number;
                    /**
                     * @description A calendar interval; weeks begin on Monday
                     * @example monthly
                     * @enum {string}
                     */
                    window?: "hourly" | "daily" | "weekly" | "monthly";
                    /**
                     * @description IANA timezone of the window; the organization's by default
                     * @example Europe/Berlin
                     */
                    timezone?: string;
                    /**
                     * @description `hard` refuses checks and reservations beyond the threshold; `none` (default) and `soft` never do
                     * @example hard
                     * @enum {string}
                     */
                    enforce?: "none" | "soft" | "hard";
                    /**
                     * @description What a `hard` budget says to a check while usage cannot be read; `allow` by default
                     * @example deny
                     * @enum {string}
                     */
                    on_error?: "allow" | "deny";
                };
            };
        };
        responses: {
            /** @description The changed budget */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The identifier
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description The name
                         * @example Checkout team, monthly
                         */
                        name: string;
                        /**
                         * @description Whose usage counts
                         * @example org
                         * @enum {string}
                         */
                        scope: "org" | "team" | "project" | "user";
                        /**
                         * @description The team, project, user or organization
                         * @example checkout
                         */
                        scope_id: string;
                        /**
                         * @description What is counted
                         * @example cost_usd
                         * @enum {string}
                         */
                        metric: "cost_usd" | "tokens" | "tokens_in" | "tokens_out" | "signals" | "sessions" | "errors";
                        /**
                         * @description The amount at which it is exceeded, in the unit of the metric
                         * @example 500
                         */
                        threshold: number;
                        /**
                         * @description The time over which usage is counted
                         * @example monthly
                         * @enum {string}
                         */
                        window: "hourly" | "daily" | "weekly" | "monthly";
                        /**
                         * @description An IANA timezone
                         * @example Europe/Berlin
                         */
                        timezone: string;
                        /**
                         * @description Whether calls beyond the threshold are refused
                         * @example hard
                         * @enum {string}
                         */
                        enforce: "none" | "soft" | "hard";
                        /**
                         * @description What a hard budget says while usage cannot be read
                         * @example deny
                         * @enum {string}
                         */
                        on_error: "allow" | "deny";
                        /**
                         * @description Usage in the open window, in the unit of the threshold
                         * @example 412.5
                         */
                        current?: number;
                        /**
                         * @description Up to the threshold; 0 beyond it
                         * @example 87.5
                         */
                        remaining?: number;
                        /**
                         * @description Usage in percent of the threshold
                         * @example 82.5
                         */
                        utilization_pct?: number;
                        /**
                         * Format: date-time
                         * @description When the open window began
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        window_start: string;
                        /**
                         * Format: date-time
                         * @description When the open window ends
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        window_end: string;
                        /**
                         * @description How it stands
                         * @example ok
                         * @enum {string}
                         */
                        state?: "ok" | "warning" | "exceeded";
                        /**
                         * @description Usage at the window's end, if the rest of it goes on at the pace so far
                         * @example 540
                         */
                        forecast?: number;
                        /**
                         * @description Signals of the window whose cost is not known, and counts as 0
                         * @example 0
                         */
                        unpriced_signals?: number;
                        /**
                         * Format: date-time
                         * @description When the levels were last checked; null before the first time
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        last_evaluated_at?: string | null;
                        /**
                         * @description Rises with every change that lets the levels fire again
                         * @example 1
                         */
                        revision: number;
                        /**
                         * Format: date-time
                         * @description When it was created
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        created_at: string;
                        /**
                         * Format: date-time
                         * @description When it was last changed
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        updated_at: string;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    get_api_v1_budgets_id_events: {
        parameters: {
            query?: {
                /** @description The largest number of items of the page */
                limit?: number;
                /** @description The previous page's `cursor` */
                cursor?: string;
                /** @description The order: newest first (`desc`) or oldest first */
                order?: "desc" | "asc";
            };
            header?: never;
            path: {
                /** @description Budget id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them, newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of the page, or what the event tells */
                        data: {
                            /**
                             * @description What a row of the file is
                             * @example warning
                             * @enum {string}
                             */
                            level: "warning" | "exceeded";
                            /**
                             * @description Rises with every change that lets the levels fire again
                             * @example 1
                             */
                            revision: number;
                            /**
                             * Format: date-time
                             * @description When the open window began
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            window_start: string;
                            /**
                             * Format: date-time
                             * @description When the open window ends
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            window_end: string;
                            /**
                             * Format: date-time
                             * @description When it was raised
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            fired_at: string;
                            /**
                             * @description Null: it was reached in a closed window before this revision began, which raises no event
                             * @example evt_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            event_id: string | null;
                        }[];
                        /**
                         * @description Pass back as `cursor`; the last page's yields an empty page until more comes
                         * @example eyJhIjoxfQ.c2ln
                         */
                        cursor: string;
                        /**
                         * @description Whether there are more pages
                         * @example false
                         */
                        has_more: boolean;
                        /**
                         * @description Number of all that match, counted with the first page
                         * @example 42
                         */
                        total: number;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `invalid_cursor`: The cursor does not belong to this query */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["InvalidCursorProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
        };
    };
    get_api_v1_budgets_id_windows: {
        parameters: {
            query?: {
                /** @description How many, 1..100 */
                limit?: string;
            };
            header?: never;
            path: {
                /** @description Budget id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The windows */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of the page, or what the event tells */
                        data: {
                            /**
                             * Format: date-time
                             * @description When the bucket begins
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            start: string;
                            /**
                             * @description When it ends
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            end: string;
                            /**
                             * @description Usage in the open window, in the unit of the metric
                             * @example 412.5
                             */
                            current: number;
                            /**
                             * @description Of the present threshold
                             * @example 82.5
                             */
                            utilization_pct: number;
                        }[];
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
        };
    };
    post_api_v1_budgets_check: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Who makes the call; a bound key's own user by default
                     * @example ada
                     */
                    user_id?: string;
                    /**
                     * @description Where; the key's project by default
                     * @example checkout
                     */
                    project_id?: string;
                    /**
                     * @description With which model; budgets of today count all models
                     * @example claude-sonnet-4-5
                     */
                    model?: string;
                    /**
                     * @description What the call will cost, in US dollars
                     * @example 0.25
                     */
                    estimate_usd?: number;
                };
            };
        };
        responses: {
            /** @description Whether the call may be made */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description False when a hard budget refuses
                         * @example true
                         */
                        allow: boolean;
                        /**
                         * @description Names the first budget that refuses; else null
                         * @example receipt
                         */
                        reason: string | null;
                        /** @description Every budget that the call counts in, oldest first */
                        budgets: {
                            /**
                             * @description The identifier
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id: string;
                            /**
                             * @description The name
                             * @example Checkout team, monthly
                             */
                            name: string;
                            /**
                             * @description Whether calls beyond the threshold are refused
                             * @example hard
                             * @enum {string}
                             */
                            enforce: "none" | "soft" | "hard";
                            /**
                             * @description What neither usage nor an open reservation takes, in the unit of the metric
                             * @example 87.5
                             */
                            remaining: number;
                            /**
                             * @description Usage in percent of the threshold
                             * @example 82.5
                             */
                            utilization_pct: number;
                            /**
                             * Format: date-time
                             * @description When its next window begins
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            resets_at: string;
                        }[];
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    post_api_v1_budgets_reserve: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names this request: a repeat with it changes nothing and gets the same answer. 1 to 128 printable ASCII characters without a comma; a UUID is advised. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Who makes the call; a bound key's own user by default
                     * @example ada
                     */
                    user_id?: string;
                    /**
                     * @description Where; the key's project by default
                     * @example checkout
                     */
                    project_id?: string;
                    /**
                     * @description With which model; budgets of today count all models
                     * @example claude-sonnet-4-5
                     */
                    model?: string;
                    /**
                     * @description What the call will cost, in US dollars
                     * @example 0.25
                     */
                    estimate_usd: number;
                    /**
                     * @description Seconds after which the reservation ends by itself
                     * @example 300
                     */
                    ttl_s: number;
                };
            };
        };
        responses: {
            /** @description The reservation, or why there is none */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "Idempotency-Expires": components["headers"]["Idempotency-Expires"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The reservation
                         * @example res_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        reservation_id: string;
                        /**
                         * @description The methods that the path supports
                         * @example true
                         * @constant
                         */
                        allow: true;
                    } | {
                        /**
                         * @description The reservation
                         * @example null
                         */
                        reservation_id: null;
                        /**
                         * @description The methods that the path supports
                         * @example false
                         * @constant
                         */
                        allow: false;
                        /**
                         * @description Names the first budget that refuses
                         * @example receipt
                         */
                        reason: string;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used for another request */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["IdempotencyKeyReusedProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `rebuilding`: What Redis holds is being checked against the record; nothing was written. `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RebuildingProblem"] | components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    post_api_v1_budgets_release: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The reservation
                     * @example res_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    reservation_id: string;
                };
            };
        };
        responses: {
            /** @description The reservation holds nothing any more */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `rebuilding`: What Redis holds is being checked against the record; nothing was written. `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RebuildingProblem"] | components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    get_api_v1_me_budget: {
        parameters: {
            query?: {
                /** @description `line`: one line of text */
                format?: "line";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How they stand */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description False when a hard budget refuses
                         * @example true
                         */
                        allow: boolean;
                        /**
                         * @description Names the first budget that refuses; else null
                         * @example receipt
                         */
                        reason: string | null;
                        /** @description Every budget that the call counts in, oldest first */
                        budgets: {
                            /**
                             * @description The identifier
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id: string;
                            /**
                             * @description The name
                             * @example Checkout team, monthly
                             */
                            name: string;
                            /**
                             * @description Whether calls beyond the threshold are refused
                             * @example hard
                             * @enum {string}
                             */
                            enforce: "none" | "soft" | "hard";
                            /**
                             * @description What neither usage nor an open reservation takes, in the unit of the metric
                             * @example 87.5
                             */
                            remaining: number;
                            /**
                             * @description Usage in percent of the threshold
                             * @example 82.5
                             */
                            utilization_pct: number;
                            /**
                             * Format: date-time
                             * @description When its next window begins
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            resets_at: string;
                        }[];
                    };
                    "text/plain": string;
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
        };
    };
    post_hooks_claude_code: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The event; `UserPromptSubmit` and `PreToolUse` may be blocked
                     * @example PreToolUse
                     */
                    hook_event_name: string;
                };
            };
        };
        responses: {
            /** @description An empty object, or what blocks */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always `block`
                         * @example block
                         * @constant
                         */
                        decision: "block";
                        /**
                         * @description Why
                         * @example receipt
                         */
                        reason: string;
                    } | {
                        /** @description What denies the tool */
                        hookSpecificOutput: {
                            /**
                             * @description The event that is answered
                             * @example PreToolUse
                             * @constant
                             */
                            hookEventName: "PreToolUse";
                            /**
                             * @description Always `deny`
                             * @example deny
                             * @constant
                             */
                            permissionDecision: "deny";
                            /**
                             * @description Why: names the budget
                             * @example Budget "Ada, per day" has 0 of 5 cost_usd left until 2026-01-16T00:00:00.000Z.
                             */
                            permissionDecisionReason: string;
                        };
                    } | Record<string, never>;
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    get_api_v1_anomalies: {
        parameters: {
            query?: {
                /** @description Filter by user */
                user_id?: string;
                /** @description Filter by session */
                session_id?: string;
                /** @description Filter by type */
                anomaly_type?: "token_spike" | "cost_spike" | "error_spike" | "runaway_session";
                /** @description Detected at or after this time; a date is its midnight in the organization's timezone */
                from?: string;
                /** @description Detected before this time; a date likewise */
                to?: string;
                /** @description The largest number of items of the page */
                limit?: number;
                /** @description The previous page's `cursor` */
                cursor?: string;
                /** @description The order: newest first (`desc`) or oldest first */
                order?: "desc" | "asc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of anomalies, newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of the page, or what the event tells */
                        data: {
                            /**
                             * @description The identifier
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id: string;
                            /**
                             * @description What is unusual
                             * @example token_spike
                             * @enum {string}
                             */
                            anomaly_type: "token_spike" | "cost_spike" | "error_spike" | "runaway_session";
                            /**
                             * @description The user
                             * @example ada
                             */
                            user_id: string;
                            /**
                             * @description Tokens, US dollars or an error rate, by type
                             * @example 1800
                             */
                            baseline_avg: number;
                            /**
                             * @description What was seen, in the same unit
                             * @example 9400
                             */
                            observed: number;
                            /**
                             * @description How far that is above the usual, in percent
                             * @example 422.2
                             */
                            deviation_pct: number;
                            /**
                             * @description The session
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            session_id: string;
                            /**
                             * Format: date-time
                             * @description When it was first seen; the figures are those of the last report
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            detected_at: string;
                        }[];
                        /**
                         * @description Pass back as `cursor`; the last page's yields an empty page until more comes
                         * @example eyJhIjoxfQ.c2ln
                         */
                        cursor: string;
                        /**
                         * @description Whether there are more pages
                         * @example false
                         */
                        has_more: boolean;
                        /**
                         * @description Number of all that match, counted with the first page
                         * @example 42
                         */
                        total: number;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `invalid_cursor`: The cursor does not belong to this query */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["InvalidCursorProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
        };
    };
    post_v1_meter_consume: {
        parameters: {
            query?: never;
            header: {
                /** @description Names this request: a repeat with it changes nothing and gets the same answer. 1 to 128 printable ASCII characters without a comma; a UUID is advised. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description SHA-256 of the output to be signed
                     * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                     */
                    output_sha256: string;
                    /**
                     * @description What the output is
                     * @example tool_permission
                     */
                    kind?: string;
                };
            };
        };
        responses: {
            /** @description One credit was taken */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "Idempotency-Expires": components["headers"]["Idempotency-Expires"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Compact JWS (Ed25519); its keys are at /.well-known/jwks.json
                         * @example eyJhbGciOiJFZDI1NTE5In0.eyJpc3MiOiJ1cm4ifQ.c2ln
                         */
                        receipt: string;
                        /**
                         * @description The change: negative for a spend
                         * @example -1
                         * @constant
                         */
                        delta: -1;
                        /**
                         * @description The bucket that it was taken from or added to
                         * @example window
                         * @enum {string}
                         */
                        bucket: "window" | "monthly" | "paid" | "granted";
                        /**
                         * @description Why
                         * @example receipt
                         * @constant
                         */
                        reason: "receipt";
                        /** @description What is left by bucket */
                        balance: {
                            /**
                             * @description The time over which usage is counted
                             * @example 40
                             */
                            window: number;
                            /**
                             * @description Credits of the month
                             * @example 900
                             */
                            monthly: number;
                            /**
                             * @description Credits that were bought
                             * @example 0
                             */
                            paid: number;
                            /**
                             * @description Credits that were granted
                             * @example 5
                             */
                            granted: number;
                        };
                        /**
                         * @description Unix seconds
                         * @example 1768469400
                         */
                        created_at: number;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `insufficient_credits`: There are no credits left */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InsufficientCreditsProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used for another request */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["IdempotencyKeyReusedProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `signing_unavailable`: Receipts cannot be signed now; nothing was spent. `rebuilding`: What Redis holds is being checked against the record; nothing was written. `backpressure`: The ledger is too far behind; nothing was written. `store_unavailable`: A store cannot be reached; nothing was written. `overloaded`: The service is overloaded; try again later */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["SigningUnavailableProblem"] | components["schemas"]["RebuildingProblem"] | components["schemas"]["BackpressureProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["OverloadedProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    get_v1_ledger: {
        parameters: {
            query?: {
                /** @description The largest number of rows of the page; without it all rows come */
                limit?: number;
                /** @description The previous page's `cursor` */
                cursor?: string;
                /** @description Shows the id of each transaction, and device and receipt of spends */
                include?: "receipt";
                /** @description The bucket that it was taken from or added to */
                bucket?: "window" | "monthly" | "paid" | "granted";
                /** @description Why */
                reason?: "receipt" | "credit.grant" | "credit.purchase" | "window.reset" | "monthly.reset" | "credit.expire" | "credit.refund" | "credit.adjust";
                /** @description Rows at or after this time (Unix seconds) */
                from?: number;
                /** @description Rows before this time (Unix seconds) */
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Transactions */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Transactions, newest first */
                        transactions: {
                            /**
                             * @description Negative when spent
                             * @example -1
                             */
                            delta: number;
                            /**
                             * @description The bucket that it was taken from or added to
                             * @example window
                             * @enum {string}
                             */
                            bucket: "window" | "monthly" | "paid" | "granted";
                            /**
                             * @description Why
                             * @example receipt
                             * @enum {string}
                             */
                            reason: "receipt" | "credit.grant" | "credit.purchase" | "window.reset" | "monthly.reset" | "credit.expire" | "credit.refund" | "credit.adjust";
                            /**
                             * @description Unix seconds
                             * @example 1768469400
                             */
                            created_at: number;
                            /**
                             * @description With `include=receipt`: the id of the transaction
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id?: string;
                            /**
                             * @description With `include=receipt`, of a spend: the device that spent
                             * @example dev_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            device_id?: string;
                            /**
                             * @description With `include=receipt`, of a spend: the signed receipt (compact JWS)
                             * @example eyJhbGciOiJFZDI1NTE5In0.eyJpc3MiOiJ1cm4ifQ.c2ln
                             */
                            receipt?: string;
                        }[];
                        /**
                         * @description Whether there are more pages
                         * @example false
                         */
                        has_more: boolean;
                        /**
                         * @description Pass it back as `cursor` to get the next page
                         * @example eyJhIjoxfQ.c2ln
                         */
                        cursor: string;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `invalid_cursor`: The cursor does not belong to this query */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["InvalidCursorProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    get_v1_balance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Credits by bucket */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is left by bucket */
                        balances: {
                            /** @description The time over which usage is counted */
                            window: {
                                /**
                                 * @description A number of credits
                                 * @example 40
                                 */
                                credits: number;
                                /**
                                 * @description Unix seconds
                                 * @example 1768469400
                                 */
                                resets_at: number | null;
                            };
                            /** @description Credits of the month */
                            monthly: {
                                /**
                                 * @description A number of credits
                                 * @example 40
                                 */
                                credits: number;
                                /**
                                 * @description Unix seconds
                                 * @example 1768469400
                                 */
                                resets_at: number | null;
                            };
                            /** @description Credits that were bought */
                            paid: {
                                /**
                                 * @description A number of credits
                                 * @example 40
                                 */
                                credits: number;
                                /** @description Next to be spent first */
                                lots: {
                                    /**
                                     * @description A number of credits
                                     * @example 40
                                     */
                                    credits: number;
                                    /**
                                     * @description Unix seconds
                                     * @example 1768469400
                                     */
                                    expires_at: number | null;
                                }[];
                            };
                            /** @description Credits that were granted */
                            granted: {
                                /**
                                 * @description A number of credits
                                 * @example 40
                                 */
                                credits: number;
                                /** @description Next to be spent first */
                                lots: {
                                    /**
                                     * @description A number of credits
                                     * @example 40
                                     */
                                    credits: number;
                                    /**
                                     * @description Unix seconds
                                     * @example 1768469400
                                     */
                                    expires_at: number | null;
                                }[];
                            };
                        };
                        /**
                         * @description How many there are in all
                         * @example 42
                         */
                        total: number;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `rebuilding`: What Redis holds is being checked against the record; nothing was written. `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RebuildingProblem"] | components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    get_v1_org_orgId_balances: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Organization id */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The credits of each member */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of the page, or what the event tells */
                        data: {
                            /**
                             * @description The user
                             * @example ada
                             */
                            user_id: string;
                            /** @description What is left by bucket */
                            balances: {
                                /** @description The time over which usage is counted */
                                window: {
                                    /**
                                     * @description A number of credits
                                     * @example 40
                                     */
                                    credits: number;
                                    /**
                                     * @description Unix seconds
                                     * @example 1768469400
                                     */
                                    resets_at: number | null;
                                };
                                /** @description Credits of the month */
                                monthly: {
                                    /**
                                     * @description A number of credits
                                     * @example 40
                                     */
                                    credits: number;
                                    /**
                                     * @description Unix seconds
                                     * @example 1768469400
                                     */
                                    resets_at: number | null;
                                };
                                /** @description Credits that were bought */
                                paid: {
                                    /**
                                     * @description A number of credits
                                     * @example 40
                                     */
                                    credits: number;
                                    /** @description Next to be spent first */
                                    lots: {
                                        /**
                                         * @description A number of credits
                                         * @example 40
                                         */
                                        credits: number;
                                        /**
                                         * @description Unix seconds
                                         * @example 1768469400
                                         */
                                        expires_at: number | null;
                                    }[];
                                };
                                /** @description Credits that were granted */
                                granted: {
                                    /**
                                     * @description A number of credits
                                     * @example 40
                                     */
                                    credits: number;
                                    /** @description Next to be spent first */
                                    lots: {
                                        /**
                                         * @description A number of credits
                                         * @example 40
                                         */
                                        credits: number;
                                        /**
                                         * @description Unix seconds
                                         * @example 1768469400
                                         */
                                        expires_at: number | null;
                                    }[];
                                };
                            };
                            /**
                             * @description How many there are in all
                             * @example 42
                             */
                            total: number;
                        }[];
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `rebuilding`: What Redis holds is being checked against the record; nothing was written. `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RebuildingProblem"] | components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    get_v1_credits_price: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The price */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The price of one credit in US dollars
                         * @example 0.02
                         */
                        credit_price_usd: number | null;
                        /**
                         * @description How many can be bought at once, at least
                         * @example 25
                         */
                        least: number | null;
                        /**
                         * @description How many can be bought at once, at most
                         * @example 49999999
                         */
                        most: number | null;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
        };
    };
    post_v1_credits_checkout: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 48 hours: it creates nothing and gets the same answer. 1 to 128 printable ASCII characters without a comma; a UUID is advised. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description How many credits to buy
                     * @example 40
                     */
                    credits: number;
                };
            };
        };
        responses: {
            /** @description The page */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "Idempotency-Expires": components["headers"]["Idempotency-Expires"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uri
                         * @description Where the person pays, within 24 hours
                         * @example https://checkout.stripe.com/c/pay/cs_live_a1
                         */
                        url: string;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `conflict`: The request conflicts with the current state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ConflictProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used for another request */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["IdempotencyKeyReusedProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `not_ready`: This process cannot serve now. `payments_unavailable`: Stripe cannot be reached; nothing was charged. `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotReadyProblem"] | components["schemas"]["PaymentsUnavailableProblem"] | components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    get_v1_credits_checkout_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Checkout Session: what Stripe puts in place of `{CHECKOUT_SESSION_ID}` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether they have arrived */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Whether the credits are in your ledger
                         * @example true
                         */
                        arrived: boolean;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `rebuilding`: What Redis holds is being checked against the record; nothing was written. `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RebuildingProblem"] | components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    post_integrations_stripe_webhook: {
        parameters: {
            query?: never;
            header: {
                /** @description The time and the HMAC-SHA256 of time and body, with the secret of the webhook endpoint */
                "Stripe-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description What became of the event */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description `refused`: it was paid, and the operator has to look
                         * @example granted
                         * @enum {string}
                         */
                        outcome: "granted" | "repeated" | "unpaid" | "ignored" | "refused";
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `invalid_signature`: The signature is missing, wrong or too old. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["InvalidSignatureProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `conflict`: The request conflicts with the current state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ConflictProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `not_ready`: This process cannot serve now. `rebuilding`: What Redis holds is being checked against the record; nothing was written. `store_unavailable`: A store cannot be reached; nothing was written. `overloaded`: The service is overloaded; try again later */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotReadyProblem"] | components["schemas"]["RebuildingProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["OverloadedProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    get_well_known_jwks_json: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A JWK set (RFC 7517, RFC 8037) */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Public keys */
                        keys: {
                            /**
                             * @description The type of the key (RFC 7517)
                             * @example OKP
                             * @constant
                             */
                            kty: "OKP";
                            /**
                             * @description The curve (RFC 8037)
                             * @example Ed25519
                             * @constant
                             */
                            crv: "Ed25519";
                            /**
                             * @description The public key, base64url
                             * @example 11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo
                             */
                            x: string;
                            /**
                             * @description The id of the key
                             * @example key-2026-01
                             */
                            kid: string;
                            /**
                             * @description The algorithm
                             * @example Ed25519
                             * @constant
                             */
                            alg: "Ed25519";
                            /**
                             * @description What the key is for
                             * @example sig
                             * @constant
                             */
                            use: "sig";
                        }[];
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"];
                };
            };
        };
    };
    get_v1_devices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every device of the account */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Devices, newest first */
                        devices: {
                            /**
                             * @description The device
                             * @example dev_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            device_id: string;
                            /**
                             * @description The name
                             * @example Checkout team, monthly
                             */
                            name: string | null;
                            /**
                             * @description How it stands, or an HTTP status
                             * @example active
                             * @enum {string}
                             */
                            status: "active" | "revoked";
                            /**
                             * @description When it was created
                             * @example 1768469400
                             */
                            created_at: number;
                            /**
                             * @description Null until its first spend
                             * @example 1768469400
                             */
                            last_seen_at: number | null;
                        }[];
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
        };
    };
    post_v1_devices_revoke: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The device
                     * @example dev_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    device_id: string;
                };
            };
        };
        responses: {
            /** @description It is revoked */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true
                         * @example true
                         * @constant
                         */
                        revoked: true;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `rebuilding`: What Redis holds is being checked against the record; nothing was written. `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RebuildingProblem"] | components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    post_v1_device_authorization: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 48 hours: it creates nothing and gets the same answer. 1 to 128 printable ASCII characters without a comma; a UUID is advised. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /**
                     * @description Ignored: there is one client
                     * @example cli
                     */
                    client_id?: string;
                    /**
                     * @description What the list of devices shows
                     * @example Checkout team, monthly
                     */
                    name?: string;
                    /** @description Public key of the device as JWK; never answered again */
                    public_key?: {
                        /**
                         * @description The type of the key (RFC 7517)
                         * @example OKP
                         * @constant
                         */
                        kty: "OKP";
                        /**
                         * @description The curve (RFC 8037)
                         * @example Ed25519
                         * @constant
                         */
                        crv: "Ed25519";
                        /**
                         * @description The public key, base64url
                         * @example 11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo
                         */
                        x: string;
                        /**
                         * @description The id of the key
                         * @example key-2026-01
                         */
                        kid?: string;
                        /**
                         * @description The algorithm
                         * @example Ed25519
                         */
                        alg?: string;
                        /**
                         * @description What the key is for
                         * @example sig
                         * @constant
                         */
                        use?: "sig";
                    } | {
                        /**
                         * @description The type of the key (RFC 7517)
                         * @example EC
                         * @constant
                         */
                        kty: "EC";
                        /**
                         * @description The curve (RFC 8037)
                         * @example P-256
                         * @enum {string}
                         */
                        crv: "P-256" | "P-384" | "P-521";
                        /**
                         * @description The public key, base64url
                         * @example 11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo
                         */
                        x: string;
                        /**
                         * @description The second coordinate of a public key, base64url
                         * @example x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0
                         */
                        y: string;
                        /**
                         * @description The id of the key
                         * @example key-2026-01
                         */
                        kid?: string;
                        /**
                         * @description The algorithm
                         * @example Ed25519
                         */
                        alg?: string;
                        /**
                         * @description What the key is for
                         * @example sig
                         * @constant
                         */
                        use?: "sig";
                    } | {
                        /**
                         * @description The type of the key (RFC 7517)
                         * @example RSA
                         * @constant
                         */
                        kty: "RSA";
                        /**
                         * @description The modulus of an RSA key, base64url
                         * @example sXchDaQebHnPiGvyDOAT4saGEUetSyo9MKLOoWFsueri
                         */
                        n: string;
                        /**
                         * @description The exponent of an RSA key, base64url
                         * @example AQAB
                         */
                        e: string;
                        /**
                         * @description The id of the key
                         * @example key-2026-01
                         */
                        kid?: string;
                        /**
                         * @description The algorithm
                         * @example Ed25519
                         */
                        alg?: string;
                        /**
                         * @description What the key is for
                         * @example sig
                         * @constant
                         */
                        use?: "sig";
                    };
                };
                "application/json": {
                    /**
                     * @description Ignored: there is one client
                     * @example cli
                     */
                    client_id?: string;
                    /**
                     * @description What the list of devices shows
                     * @example Checkout team, monthly
                     */
                    name?: string;
                    /** @description Public key of the device as JWK; never answered again */
                    public_key?: {
                        /**
                         * @description The type of the key (RFC 7517)
                         * @example OKP
                         * @constant
                         */
                        kty: "OKP";
                        /**
                         * @description The curve (RFC 8037)
                         * @example Ed25519
                         * @constant
                         */
                        crv: "Ed25519";
                        /**
                         * @description The public key, base64url
                         * @example 11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo
                         */
                        x: string;
                        /**
                         * @description The id of the key
                         * @example key-2026-01
                         */
                        kid?: string;
                        /**
                         * @description The algorithm
                         * @example Ed25519
                         */
                        alg?: string;
                        /**
                         * @description What the key is for
                         * @example sig
                         * @constant
                         */
                        use?: "sig";
                    } | {
                        /**
                         * @description The type of the key (RFC 7517)
                         * @example EC
                         * @constant
                         */
                        kty: "EC";
                        /**
                         * @description The curve (RFC 8037)
                         * @example P-256
                         * @enum {string}
                         */
                        crv: "P-256" | "P-384" | "P-521";
                        /**
                         * @description The public key, base64url
                         * @example 11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo
                         */
                        x: string;
                        /**
                         * @description The second coordinate of a public key, base64url
                         * @example x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0
                         */
                        y: string;
                        /**
                         * @description The id of the key
                         * @example key-2026-01
                         */
                        kid?: string;
                        /**
                         * @description The algorithm
                         * @example Ed25519
                         */
                        alg?: string;
                        /**
                         * @description What the key is for
                         * @example sig
                         * @constant
                         */
                        use?: "sig";
                    } | {
                        /**
                         * @description The type of the key (RFC 7517)
                         * @example RSA
                         * @constant
                         */
                        kty: "RSA";
                        /**
                         * @description The modulus of an RSA key, base64url
                         * @example sXchDaQebHnPiGvyDOAT4saGEUetSyo9MKLOoWFsueri
                         */
                        n: string;
                        /**
                         * @description The exponent of an RSA key, base64url
                         * @example AQAB
                         */
                        e: string;
                        /**
                         * @description The id of the key
                         * @example key-2026-01
                         */
                        kid?: string;
                        /**
                         * @description The algorithm
                         * @example Ed25519
                         */
                        alg?: string;
                        /**
                         * @description What the key is for
                         * @example sig
                         * @constant
                         */
                        use?: "sig";
                    };
                };
            };
        };
        responses: {
            /** @description The codes */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "Idempotency-Expires": components["headers"]["Idempotency-Expires"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The code that the device polls with
                         * @example GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS
                         */
                        device_code: string;
                        /**
                         * @description The code that the person enters
                         * @example WDJB-MJHT
                         */
                        user_code: string;
                        /**
                         * Format: uri
                         * @description Where the person enters the code
                         * @example https://governor.example.com/activate
                         */
                        verification_uri: string;
                        /**
                         * Format: uri
                         * @description The same with the code filled in
                         * @example https://governor.example.com/activate?user_code=WDJB-MJHT
                         */
                        verification_uri_complete: string;
                        /**
                         * @description Seconds until the codes expire
                         * @example 900
                         */
                        expires_in: number;
                        /**
                         * @description The length of the buckets of `series`, or the seconds between two polls
                         * @example 5
                         */
                        interval: number;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `conflict`: The request conflicts with the current state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used for another request */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `store_unavailable`: A store cannot be reached; nothing was written. `overloaded`: The service is overloaded; try again later */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    post_v1_device_authorization_lookup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description As the device shows it; case and dashes do not matter
                     * @example WDJB-MJHT
                     */
                    user_code: string;
                };
            };
        };
        responses: {
            /** @description The device that asks */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description By its own account
                         * @example Checkout team, monthly
                         */
                        name: string | null;
                        /**
                         * @description When it asked, Unix seconds
                         * @example 1768469400
                         */
                        created_at: number;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `invalid_grant`: The code is not valid. `expired_token`: The code has expired. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["InvalidGrantProblem"] | components["schemas"]["ExpiredTokenProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    post_v1_device_authorization_approve: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description As the device shows it; case and dashes do not matter
                     * @example WDJB-MJHT
                     */
                    user_code: string;
                };
            };
        };
        responses: {
            /** @description Approved: the device gets its token with its next poll */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The request is not valid. `invalid_grant`: The code is not valid. `expired_token`: The code has expired. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["InvalidGrantProblem"] | components["schemas"]["ExpiredTokenProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_devices`: The account has as many devices as it may have */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyDevicesProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    post_v1_device_authorization_deny: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description As the device shows it; case and dashes do not matter
                     * @example WDJB-MJHT
                     */
                    user_code: string;
                };
            };
        };
        responses: {
            /** @description Denied */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The request is not valid. `invalid_grant`: The code is not valid. `expired_token`: The code has expired. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["InvalidGrantProblem"] | components["schemas"]["ExpiredTokenProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    post_v1_token: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /**
                     * @description `urn:ietf:params:oauth:grant-type:device_code`
                     * @example urn:ietf:params:oauth:grant-type:device_code
                     */
                    grant_type: string;
                    /**
                     * @description The code that the device polls with
                     * @example GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS
                     */
                    device_code: string;
                    /**
                     * @description Ignored: there is one client
                     * @example cli
                     */
                    client_id?: string;
                };
                "application/json": {
                    /**
                     * @description `urn:ietf:params:oauth:grant-type:device_code`
                     * @example urn:ietf:params:oauth:grant-type:device_code
                     */
                    grant_type: string;
                    /**
                     * @description The code that the device polls with
                     * @example GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS
                     */
                    device_code: string;
                    /**
                     * @description Ignored: there is one client
                     * @example cli
                     */
                    client_id?: string;
                };
            };
        };
        responses: {
            /** @description The token; it is not shown again */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The device token; it is not shown again
                         * @example ugd_…
                         */
                        access_token: string;
                        /**
                         * @description How the token is sent
                         * @example Bearer
                         * @constant
                         */
                        token_type: "Bearer";
                        /**
                         * @description The device
                         * @example dev_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        device_id: string;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `authorization_pending`: The user code has not been approved yet. `slow_down`: The device polls too often. `expired_token`: The code has expired. `invalid_grant`: The code is not valid. `access_denied`: The device cannot be linked. `unsupported_grant_type`: The grant type is not supported. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `store_unavailable`: A store cannot be reached; nothing was written. `rebuilding`: What Redis holds is being checked against the record; nothing was written. `overloaded`: The service is overloaded; try again later */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    post_admin_credits: {
        parameters: {
            query?: never;
            header: {
                /** @description Names this request: a repeat with it changes nothing and gets the same answer. 1 to 128 printable ASCII characters without a comma; a UUID is advised. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The organization
                     * @example org_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    org_id: string;
                    /**
                     * @description The user
                     * @example ada
                     */
                    user_id: string;
                    /**
                     * @description The bucket that it was taken from or added to
                     * @example paid
                     * @enum {string}
                     */
                    bucket: "paid" | "granted";
                    /**
                     * @description How many credits
                     * @example 100
                     */
                    amount: number;
                    /**
                     * @description Unix seconds; without it, never
                     * @example 1768469400
                     */
                    expires_at?: number;
                };
            };
        };
        responses: {
            /** @description The ledger row */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Negative when spent
                         * @example -1
                         */
                        delta: number;
                        /**
                         * @description The bucket that it was taken from or added to
                         * @example window
                         * @enum {string}
                         */
                        bucket: "window" | "monthly" | "paid" | "granted";
                        /**
                         * @description Why
                         * @example receipt
                         * @enum {string}
                         */
                        reason: "receipt" | "credit.grant" | "credit.purchase" | "window.reset" | "monthly.reset" | "credit.expire" | "credit.refund" | "credit.adjust";
                        /**
                         * @description Unix seconds
                         * @example 1768469400
                         */
                        created_at: number;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `conflict`: The request conflicts with the current state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ConflictProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used for another request */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["IdempotencyKeyReusedProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `rebuilding`: What Redis holds is being checked against the record; nothing was written. `store_unavailable`: A store cannot be reached; nothing was written. `overloaded`: The service is overloaded; try again later */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RebuildingProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["OverloadedProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    get_api_v1_organization: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization and the key */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The `orgId` of `/api/v1/org/{orgId}/…`
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description The name
                         * @example Checkout team, monthly
                         */
                        name: string;
                        /**
                         * @description The organization's plan
                         * @example team
                         * @enum {string}
                         */
                        plan: "free" | "team" | "enterprise";
                        /**
                         * @description An IANA timezone
                         * @example Europe/Berlin
                         */
                        timezone: string;
                        /**
                         * @description Seconds of silence that end a session
                         * @example 1800
                         */
                        session_timeout: number;
                        /**
                         * @description The least number of members behind a figure of analytics
                         * @example 5
                         */
                        k_anonymity: number;
                        /** @description What names the group, or the key */
                        key: {
                            /**
                             * @description The identifier
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id: string;
                            /**
                             * @description What the key may do
                             * @example [
                             *       "usage:read"
                             *     ]
                             */
                            scopes: ("signals:write" | "usage:read" | "org:read" | "webhooks:write" | "budgets:write" | "budgets:check")[];
                            /**
                             * @description The one user that the key sees and reports, or null
                             * @example ada
                             */
                            user_id: string | null;
                            /**
                             * @description The project of signals that name none, or null
                             * @example checkout
                             */
                            project_id: string | null;
                        };
                        /** @description What the service takes of this organization */
                        limits: {
                            /**
                             * @description Requests per second and key
                             * @example 600
                             */
                            requests_per_second: number;
                            /**
                             * @description Bytes of a body, after inflating
                             * @example 1048576
                             */
                            body_bytes: number;
                            /**
                             * @description Signals per request
                             * @example 1000
                             */
                            signals_per_request: number;
                            /**
                             * @description Webhooks of the organization, at most
                             * @example 1000
                             */
                            webhooks: number;
                        };
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
        };
    };
    get_api_v1_usage: {
        parameters: {
            query?: {
                /** @description Rounded down to 15 minutes; a date is its midnight in `timezone`. Default: 30 days before `to` */
                from?: string;
                /** @description Rounded up to 15 minutes; exclusive. Default: now */
                to?: string;
                /** @description IANA timezone; default: the organization's */
                timezone?: string;
                /** @description Length of the buckets of `series`; weeks begin on Monday */
                interval?: "none" | "hour" | "day" | "week" | "month";
                /** @description One or two of user_id, project_id, model, adapter, separated by a comma */
                group_by?: string;
                /** @description A series of each group too; needs one `group_by` and an `interval` */
                series?: "groups";
                /** @description With `series=groups`: how many groups, those that cost most, 1..20; default 8 */
                top?: string;
                /** @description Filter by user */
                user_id?: string;
                /** @description Filter by project */
                project_id?: string;
                /** @description Filter by model, exactly */
                model?: string;
                /** @description Filter by adapter */
                adapter?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Totals, buckets and groups */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description The beginning of the range, inclusive
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        from: string;
                        /**
                         * Format: date-time
                         * @description The end of the range, exclusive
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        to: string;
                        /**
                         * @description The length of the buckets of `series`, or the seconds between two polls
                         * @example day
                         * @enum {string}
                         */
                        interval: "none" | "hour" | "day" | "week" | "month";
                        /**
                         * @description An IANA timezone
                         * @example Europe/Berlin
                         */
                        timezone: string;
                        /** @description Sums over the whole range */
                        totals: {
                            /**
                             * @description Sessions that started in the period
                             * @example 4
                             */
                            sessions: number;
                            /**
                             * @description Signals
                             * @example 12
                             */
                            signals: number;
                            /**
                             * @description Signals with an error, or what was wrong field by field
                             * @example 1
                             */
                            errors: number;
                            /**
                             * @description The number of interventions
                             * @example 0
                             */
                            interventions: number;
                            /**
                             * @description Input tokens, cached ones included
                             * @example 1200
                             */
                            tokens_in: number;
                            /**
                             * @description Output tokens
                             * @example 340
                             */
                            tokens_out: number;
                            /**
                             * @description Input tokens that were read from a cache
                             * @example 900
                             */
                            cache_read_tokens: number;
                            /**
                             * @description Input tokens that were written to a cache
                             * @example 0
                             */
                            cache_write_tokens: number;
                            /**
                             * @description Of the signals whose price is known
                             * @example 0.0123
                             */
                            cost_usd: number;
                            /**
                             * @description Signals whose price is not known
                             * @example 0
                             */
                            unpriced_signals: number;
                            /**
                             * @description Users with any usage in the range; with `series=groups`
                             * @example 9
                             */
                            active_users?: number;
                        };
                        /** @description Sums by bucket, oldest first */
                        series: {
                            /**
                             * Format: date-time
                             * @description When the bucket begins
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            start: string;
                            /**
                             * @description Sessions that started in the period
                             * @example 4
                             */
                            sessions: number;
                            /**
                             * @description Signals
                             * @example 12
                             */
                            signals: number;
                            /**
                             * @description Signals with an error, or what was wrong field by field
                             * @example 1
                             */
                            errors: number;
                            /**
                             * @description The number of interventions
                             * @example 0
                             */
                            interventions: number;
                            /**
                             * @description Input tokens, cached ones included
                             * @example 1200
                             */
                            tokens_in: number;
                            /**
                             * @description Output tokens
                             * @example 340
                             */
                            tokens_out: number;
                            /**
                             * @description Input tokens that were read from a cache
                             * @example 900
                             */
                            cache_read_tokens: number;
                            /**
                             * @description Input tokens that were written to a cache
                             * @example 0
                             */
                            cache_write_tokens: number;
                            /**
                             * @description Of the signals whose price is known
                             * @example 0.0123
                             */
                            cost_usd: number;
                            /**
                             * @description Signals whose price is not known
                             * @example 0
                             */
                            unpriced_signals: number;
                        }[];
                        /** @description Sums by group */
                        groups: {
                            /**
                             * @description Null: all that are not among the `top`
                             * @example {
                             *       "model": "claude-sonnet-4-5"
                             *     }
                             */
                            key: {
                                [key: string]: string | null;
                            } | null;
                            /**
                             * @description Sessions that started in the period
                             * @example 4
                             */
                            sessions: number;
                            /**
                             * @description Signals
                             * @example 12
                             */
                            signals: number;
                            /**
                             * @description Signals with an error, or what was wrong field by field
                             * @example 1
                             */
                            errors: number;
                            /**
                             * @description The number of interventions
                             * @example 0
                             */
                            interventions: number;
                            /**
                             * @description Input tokens, cached ones included
                             * @example 1200
                             */
                            tokens_in: number;
                            /**
                             * @description Output tokens
                             * @example 340
                             */
                            tokens_out: number;
                            /**
                             * @description Input tokens that were read from a cache
                             * @example 900
                             */
                            cache_read_tokens: number;
                            /**
                             * @description Input tokens that were written to a cache
                             * @example 0
                             */
                            cache_write_tokens: number;
                            /**
                             * @description Of the signals whose price is known
                             * @example 0.0123
                             */
                            cost_usd: number;
                            /**
                             * @description Signals whose price is not known
                             * @example 0
                             */
                            unpriced_signals: number;
                            /** @description With `series=groups` */
                            series?: {
                                /**
                                 * Format: date-time
                                 * @description When the bucket begins
                                 * @example 2026-01-15T09:30:00.000Z
                                 */
                                start: string;
                                /**
                                 * @description Sessions that started in the period
                                 * @example 4
                                 */
                                sessions: number;
                                /**
                                 * @description Signals
                                 * @example 12
                                 */
                                signals: number;
                                /**
                                 * @description Signals with an error, or what was wrong field by field
                                 * @example 1
                                 */
                                errors: number;
                                /**
                                 * @description The number of interventions
                                 * @example 0
                                 */
                                interventions: number;
                                /**
                                 * @description Input tokens, cached ones included
                                 * @example 1200
                                 */
                                tokens_in: number;
                                /**
                                 * @description Output tokens
                                 * @example 340
                                 */
                                tokens_out: number;
                                /**
                                 * @description Input tokens that were read from a cache
                                 * @example 900
                                 */
                                cache_read_tokens: number;
                                /**
                                 * @description Input tokens that were written to a cache
                                 * @example 0
                                 */
                                cache_write_tokens: number;
                                /**
                                 * @description Of the signals whose price is known
                                 * @example 0.0123
                                 */
                                cost_usd: number;
                                /**
                                 * @description Signals whose price is not known
                                 * @example 0
                                 */
                                unpriced_signals: number;
                            }[];
                        }[];
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
        };
    };
    get_api_v1_usage_export: {
        parameters: {
            query?: {
                /** @description How events are written */
                format?: "csv" | "ndjson" | "parquet";
                /** @description What a row of the file is */
                level?: "sessions" | "daily";
                /** @description Rounded down to 15 minutes; a date is its midnight in `timezone`. Default: 30 days before `to` */
                from?: string;
                /** @description Rounded up to 15 minutes; exclusive. Default: now */
                to?: string;
                /** @description IANA timezone; default: the organization's */
                timezone?: string;
                /** @description Filter by user */
                user_id?: string;
                /** @description Filter by project */
                project_id?: string;
                /** @description Filter by model, exactly */
                model?: string;
                /** @description Filter by adapter */
                adapter?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, streamed */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    /** @description The name of the file: level, range and format */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv; charset=utf-8; header=present": string;
                    "application/x-ndjson": string;
                    "application/vnd.apache.parquet": string;
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
        };
    };
    get_api_v1_org_orgId_usage: {
        parameters: {
            query?: {
                /** @description Rounded down to 15 minutes; a date is its midnight in `timezone`. Default: 30 days before `to` */
                from?: string;
                /** @description Rounded up to 15 minutes; exclusive. Default: now */
                to?: string;
                /** @description IANA timezone; default: the organization's */
                timezone?: string;
                /** @description Length of the buckets of `series`; weeks begin on Monday */
                interval?: "none" | "hour" | "day" | "week" | "month";
                /** @description One or two of user_id, project_id, model, adapter, team, separated by a comma */
                group_by?: string;
                /** @description Filter by user */
                user_id?: string;
                /** @description Filter by project */
                project_id?: string;
                /** @description Filter by model, exactly */
                model?: string;
                /** @description Filter by adapter */
                adapter?: string;
                /** @description Filter by team: its members now */
                team?: string;
            };
            header?: never;
            path: {
                /** @description Organization id */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Totals, buckets and groups */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description The beginning of the range, inclusive
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        from: string;
                        /**
                         * Format: date-time
                         * @description The end of the range, exclusive
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        to: string;
                        /**
                         * @description The length of the buckets of `series`, or the seconds between two polls
                         * @example day
                         * @enum {string}
                         */
                        interval: "none" | "hour" | "day" | "week" | "month";
                        /**
                         * @description An IANA timezone
                         * @example Europe/Berlin
                         */
                        timezone: string;
                        /** @description Sums over the whole range */
                        totals: {
                            /**
                             * @description Sessions that started in the period
                             * @example 4
                             */
                            sessions: number;
                            /**
                             * @description Signals
                             * @example 12
                             */
                            signals: number;
                            /**
                             * @description Signals with an error, or what was wrong field by field
                             * @example 1
                             */
                            errors: number;
                            /**
                             * @description The number of interventions
                             * @example 0
                             */
                            interventions: number;
                            /**
                             * @description Input tokens, cached ones included
                             * @example 1200
                             */
                            tokens_in: number;
                            /**
                             * @description Output tokens
                             * @example 340
                             */
                            tokens_out: number;
                            /**
                             * @description Input tokens that were read from a cache
                             * @example 900
                             */
                            cache_read_tokens: number;
                            /**
                             * @description Input tokens that were written to a cache
                             * @example 0
                             */
                            cache_write_tokens: number;
                            /**
                             * @description Of the signals whose price is known
                             * @example 0.0123
                             */
                            cost_usd: number;
                            /**
                             * @description Signals whose price is not known
                             * @example 0
                             */
                            unpriced_signals: number;
                        };
                        /** @description Sums by bucket, oldest first */
                        series: {
                            /**
                             * Format: date-time
                             * @description When the bucket begins
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            start: string;
                            /**
                             * @description Sessions that started in the period
                             * @example 4
                             */
                            sessions: number;
                            /**
                             * @description Signals
                             * @example 12
                             */
                            signals: number;
                            /**
                             * @description Signals with an error, or what was wrong field by field
                             * @example 1
                             */
                            errors: number;
                            /**
                             * @description The number of interventions
                             * @example 0
                             */
                            interventions: number;
                            /**
                             * @description Input tokens, cached ones included
                             * @example 1200
                             */
                            tokens_in: number;
                            /**
                             * @description Output tokens
                             * @example 340
                             */
                            tokens_out: number;
                            /**
                             * @description Input tokens that were read from a cache
                             * @example 900
                             */
                            cache_read_tokens: number;
                            /**
                             * @description Input tokens that were written to a cache
                             * @example 0
                             */
                            cache_write_tokens: number;
                            /**
                             * @description Of the signals whose price is known
                             * @example 0.0123
                             */
                            cost_usd: number;
                            /**
                             * @description Signals whose price is not known
                             * @example 0
                             */
                            unpriced_signals: number;
                        }[];
                        /** @description Sums by group */
                        groups: {
                            /**
                             * @description What names the group, or the key
                             * @example {
                             *       "model": "claude-sonnet-4-5"
                             *     }
                             */
                            key: {
                                [key: string]: string | null;
                            };
                            /**
                             * @description Sessions that started in the period
                             * @example 4
                             */
                            sessions: number;
                            /**
                             * @description Signals
                             * @example 12
                             */
                            signals: number;
                            /**
                             * @description Signals with an error, or what was wrong field by field
                             * @example 1
                             */
                            errors: number;
                            /**
                             * @description The number of interventions
                             * @example 0
                             */
                            interventions: number;
                            /**
                             * @description Input tokens, cached ones included
                             * @example 1200
                             */
                            tokens_in: number;
                            /**
                             * @description Output tokens
                             * @example 340
                             */
                            tokens_out: number;
                            /**
                             * @description Input tokens that were read from a cache
                             * @example 900
                             */
                            cache_read_tokens: number;
                            /**
                             * @description Input tokens that were written to a cache
                             * @example 0
                             */
                            cache_write_tokens: number;
                            /**
                             * @description Of the signals whose price is known
                             * @example 0.0123
                             */
                            cost_usd: number;
                            /**
                             * @description Signals whose price is not known
                             * @example 0
                             */
                            unpriced_signals: number;
                        }[];
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `plan_required`: The organization's plan does not include this. `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PlanRequiredProblem"] | components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
        };
    };
    get_api_v1_org_orgId_analytics: {
        parameters: {
            query?: {
                /** @description A Monday 00:00 of the organization's timezone. Default: four weeks before `to` */
                from?: string;
                /** @description A Monday 00:00, exclusive, not in the future. Default: this week’s */
                to?: string;
                /** @description What the cells are told apart by */
                dimension?: "none" | "model" | "adapter" | "project" | "team" | "hour_of_week";
            };
            header?: never;
            path: {
                /** @description Organization id */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Totals, cells by value, and totals by week */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description The beginning of the range, inclusive
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        from: string;
                        /**
                         * Format: date-time
                         * @description The end of the range, exclusive
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        to: string;
                        /**
                         * @description What the cells are told apart by
                         * @example model
                         * @enum {string}
                         */
                        dimension: "none" | "model" | "adapter" | "project" | "team" | "hour_of_week";
                        /**
                         * @description The least number of members behind a figure
                         * @example 5
                         */
                        k: number;
                        /** @description Sums over the whole range */
                        totals: {
                            /**
                             * @description Users with at least one signal
                             * @example 9
                             */
                            active_users: number;
                            /**
                             * @description The number of sessions
                             * @example 4
                             */
                            sessions: number;
                            /**
                             * @description Signals
                             * @example 12
                             */
                            signals: number;
                            /**
                             * @description Signals with an error, or what was wrong field by field
                             * @example 1
                             */
                            errors: number;
                            /**
                             * @description Input tokens, cached ones included
                             * @example 1200
                             */
                            tokens_in: number;
                            /**
                             * @description Output tokens
                             * @example 340
                             */
                            tokens_out: number;
                            /**
                             * @description Cost in US dollars
                             * @example 0.0123
                             */
                            cost_usd: number;
                            /**
                             * @description Per active user, blurred; null below 2k users
                             * @example 3.2
                             */
                            median_cost_usd: number | null;
                            /**
                             * @description Weeks that are not in the sums, because too few were active in them
                             * @example 0
                             */
                            hidden_weeks: number;
                        } | {
                            /**
                             * @description Always true: too few members share this to show it
                             * @example true
                             * @constant
                             */
                            suppressed: true;
                        } | {
                            /**
                             * @description Not frozen yet
                             * @example true
                             * @constant
                             */
                            pending: true;
                        };
                        /** @description Sums by value of the dimension */
                        cells: ({
                            /**
                             * @description What names the group, or the key
                             * @example {
                             *       "model": "claude-sonnet-4-5"
                             *     }
                             */
                            key: {
                                [key: string]: string | number | null;
                            };
                            /**
                             * @description Users with at least one signal
                             * @example 9
                             */
                            active_users: number;
                            /**
                             * @description The number of sessions
                             * @example 4
                             */
                            sessions: number;
                            /**
                             * @description Signals
                             * @example 12
                             */
                            signals: number;
                            /**
                             * @description Signals with an error, or what was wrong field by field
                             * @example 1
                             */
                            errors: number;
                            /**
                             * @description Input tokens, cached ones included
                             * @example 1200
                             */
                            tokens_in: number;
                            /**
                             * @description Output tokens
                             * @example 340
                             */
                            tokens_out: number;
                            /**
                             * @description Cost in US dollars
                             * @example 0.0123
                             */
                            cost_usd: number;
                            /**
                             * @description Per active user, blurred; null below 2k users
                             * @example 3.2
                             */
                            median_cost_usd: number | null;
                            /**
                             * @description Weeks that are not in the sums, because too few were active in them
                             * @example 0
                             */
                            hidden_weeks: number;
                        } | {
                            /**
                             * @description What names the group, or the key
                             * @example {
                             *       "model": "claude-sonnet-4-5"
                             *     }
                             */
                            key: {
                                [key: string]: string | number | null;
                            };
                            /**
                             * @description Always true: too few members share this to show it
                             * @example true
                             * @constant
                             */
                            suppressed: true;
                        })[];
                        /** @description Sums by week, oldest first */
                        trend: ({
                            /**
                             * Format: date-time
                             * @description When the bucket begins
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            start: string;
                            /**
                             * @description Users with at least one signal
                             * @example 9
                             */
                            active_users: number;
                            /**
                             * @description The number of sessions
                             * @example 4
                             */
                            sessions: number;
                            /**
                             * @description Signals
                             * @example 12
                             */
                            signals: number;
                            /**
                             * @description Signals with an error, or what was wrong field by field
                             * @example 1
                             */
                            errors: number;
                            /**
                             * @description Input tokens, cached ones included
                             * @example 1200
                             */
                            tokens_in: number;
                            /**
                             * @description Output tokens
                             * @example 340
                             */
                            tokens_out: number;
                            /**
                             * @description Cost in US dollars
                             * @example 0.0123
                             */
                            cost_usd: number;
                        } | {
                            /**
                             * Format: date-time
                             * @description When the bucket begins
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            start: string;
                            /**
                             * @description Always true: too few members share this to show it
                             * @example true
                             * @constant
                             */
                            suppressed: true;
                        } | {
                            /**
                             * Format: date-time
                             * @description When the bucket begins
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            start: string;
                            /**
                             * @description Not frozen yet
                             * @example true
                             * @constant
                             */
                            pending: true;
                        })[];
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
        };
    };
    get_api_v1_webhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All webhooks, oldest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of the page, or what the event tells */
                        data: {
                            /**
                             * @description The identifier
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id: string;
                            /**
                             * @description Delivery target; of any format but `json` only `https://HOST/…`
                             * @example https://hooks.example.com/governor
                             */
                            url: string;
                            /**
                             * @description The types of events
                             * @example [
                             *       "session.ended"
                             *     ]
                             */
                            events: ("session.started" | "session.ended" | "budget.exceeded" | "budget.warning" | "anomaly.detected" | "credit.low" | "credit.depleted")[];
                            /**
                             * @description Whether events are sent
                             * @example true
                             */
                            enabled: boolean;
                            /**
                             * Format: date-time
                             * @description When it was created
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            created_at: string;
                            /**
                             * @description How events are written
                             * @example slack
                             * @enum {string}
                             */
                            format: "json" | "slack" | "teams" | "discord" | "ntfy" | "email";
                            /**
                             * @description Per cents of a budget: `budget.threshold` is sent for each that is reached
                             * @example [
                             *       50,
                             *       90
                             *     ]
                             */
                            alert_at: number[];
                            /**
                             * @description Whether `budget.forecast` is sent once a budget will be exceeded at the pace so far
                             * @example true
                             */
                            forecast: boolean;
                            /** @description Hours that delay everything but `budget.exceeded` and `credit.depleted` */
                            quiet_hours: {
                                /**
                                 * @description The time of day at which they begin
                                 * @example 22:00
                                 */
                                from: string;
                                /**
                                 * @description The time of day at which they end
                                 * @example 07:00
                                 */
                                to: string;
                                /**
                                 * @description An IANA timezone
                                 * @example Europe/Berlin
                                 */
                                timezone: string;
                            } | null;
                            /**
                             * @description Collects everything but `budget.exceeded` and `credit.depleted` into one message
                             * @example daily
                             * @enum {string}
                             */
                            digest: "none" | "daily" | "weekly";
                            /**
                             * @description Failing: delivery is paused until it is enabled again
                             * @example active
                             * @enum {string}
                             */
                            status: "active" | "failing";
                            /**
                             * @description Since when it is failing, or null
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            failing_since: string | null;
                            /**
                             * Format: date-time
                             * @description When the admins were told that it is failing
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            alerted_at: string | null;
                            /**
                             * @description Deliveries that wait for that
                             * @example 0
                             */
                            held: number;
                            /** @description The newest delivery, or null */
                            last_delivery: {
                                /**
                                 * @description The identifier
                                 * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                                 */
                                id: string;
                                /**
                                 * @description The event
                                 * @example evt_3Kf9XqLm2TzVb7Rw8YcN1p
                                 */
                                event_id: string;
                                /**
                                 * @description The type
                                 * @example session.started
                                 * @enum {string}
                                 */
                                type: "session.started" | "session.ended" | "budget.exceeded" | "budget.warning" | "anomaly.detected" | "credit.low" | "credit.depleted" | "budget.threshold" | "budget.forecast" | "digest";
                                /**
                                 * @description How it stands, or an HTTP status
                                 * @example pending
                                 * @enum {string}
                                 */
                                status: "pending" | "succeeded" | "held" | "exhausted" | "cancelled" | "expired" | "collected" | "digested";
                                /** @description What was tried, oldest first */
                                attempts: {
                                    /**
                                     * @description 1..5; also sent as X-Service-Attempt
                                     * @example 1
                                     */
                                    number: number;
                                    /**
                                     * Format: date-time
                                     * @description When it was made
                                     * @example 2026-01-15T09:30:00.000Z
                                     */
                                    at: string;
                                    /**
                                     * @description HTTP status, or code of the mail server; null when there was no answer
                                     * @example 200
                                     */
                                    status: number | null;
                                    /**
                                     * @description How long it took, in milliseconds
                                     * @example 812
                                     */
                                    latency_ms: number;
                                    /**
                                     * @description What went wrong; absent when nothing did
                                     * @example null
                                     */
                                    error: ("dns" | "connect" | "tls" | "timeout" | "http" | "mail" | "blocked") | null;
                                    /**
                                     * @description At most 16 KiB of the answer
                                     * @example ok
                                     */
                                    answer: string | null;
                                }[];
                                /**
                                 * Format: date-time
                                 * @description When it is tried again; null when it is not
                                 * @example 2026-01-15T09:30:00.000Z
                                 */
                                next_attempt_at: string | null;
                            } | null;
                        }[];
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
        };
    };
    post_api_v1_webhooks: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 48 hours: it creates nothing and gets the same answer. 1 to 128 printable ASCII characters without a comma; a UUID is advised. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: uri
                     * @description Delivery target: https, on port 443 or 8443, at a public address
                     * @example https://hooks.example.com/governor
                     */
                    url: string;
                    /**
                     * @description The types of events
                     * @example [
                     *       "session.ended"
                     *     ]
                     */
                    events: ("session.started" | "session.ended" | "budget.exceeded" | "budget.warning" | "anomaly.detected" | "credit.low" | "credit.depleted")[];
                    /**
                     * @description Signs each delivery; never shown again. Needed for `json`
                     * @example a-secret-of-at-least-32-characters
                     */
                    secret?: string;
                    /**
                     * @description How events are written. Of any but `json` the URL is a secret
                     * @default json
                     * @example slack
                     * @enum {string}
                     */
                    format?: "json" | "slack" | "teams" | "discord" | "ntfy" | "email";
                    /**
                     * @description Per cents of a budget: `budget.threshold` is sent for each that is reached
                     * @default []
                     * @example [
                     *       50,
                     *       90
                     *     ]
                     */
                    alert_at?: number[];
                    /**
                     * @description Whether `budget.forecast` is sent once a budget will be exceeded at the pace so far
                     * @default false
                     * @example true
                     */
                    forecast?: boolean;
                    /** @description Hours that delay everything but `budget.exceeded` and `credit.depleted` */
                    quiet_hours?: {
                        /**
                         * @description The time of day at which they begin
                         * @example 22:00
                         */
                        from: string;
                        /**
                         * @description The time of day at which they end
                         * @example 07:00
                         */
                        to: string;
                        /**
                         * @description An IANA timezone
                         * @example Europe/Berlin
                         */
                        timezone: string;
                    } | null;
                    /**
                     * @description Collects everything but `budget.exceeded` and `credit.depleted` into one message
                     * @default none
                     * @example daily
                     * @enum {string}
                     */
                    digest?: "none" | "daily" | "weekly";
                };
            };
        };
        responses: {
            /** @description The webhook, without its secret */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "Idempotency-Expires": components["headers"]["Idempotency-Expires"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The identifier
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description Delivery target; of any format but `json` only `https://HOST/…`
                         * @example https://hooks.example.com/governor
                         */
                        url: string;
                        /**
                         * @description The types of events
                         * @example [
                         *       "session.ended"
                         *     ]
                         */
                        events: ("session.started" | "session.ended" | "budget.exceeded" | "budget.warning" | "anomaly.detected" | "credit.low" | "credit.depleted")[];
                        /**
                         * @description Whether events are sent
                         * @example true
                         */
                        enabled: boolean;
                        /**
                         * Format: date-time
                         * @description When it was created
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description How events are written
                         * @example slack
                         * @enum {string}
                         */
                        format?: "json" | "slack" | "teams" | "discord" | "ntfy" | "email";
                        /**
                         * @description Per cents of a budget: `budget.threshold` is sent for each that is reached
                         * @example [
                         *       50,
                         *       90
                         *     ]
                         */
                        alert_at?: number[];
                        /**
                         * @description Whether `budget.forecast` is sent once a budget will be exceeded at the pace so far
                         * @example true
                         */
                        forecast?: boolean;
                        /** @description Hours that delay everything but `budget.exceeded` and `credit.depleted` */
                        quiet_hours?: {
                            /**
                             * @description The time of day at which they begin
                             * @example 22:00
                             */
                            from: string;
                            /**
                             * @description The time of day at which they end
                             * @example 07:00
                             */
                            to: string;
                            /**
                             * @description An IANA timezone
                             * @example Europe/Berlin
                             */
                            timezone: string;
                        } | null;
                        /**
                         * @description Collects everything but `budget.exceeded` and `credit.depleted` into one message
                         * @example daily
                         * @enum {string}
                         */
                        digest?: "none" | "daily" | "weekly";
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `conflict`: The request conflicts with the current state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ConflictProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used for another request */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["IdempotencyKeyReusedProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    post_api_v1_webhooks_test: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The webhook
                     * @example whk_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    webhook_id: string;
                };
            };
        };
        responses: {
            /** @description What the endpoint answered */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The event
                         * @example evt_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        event_id: string;
                        /**
                         * @description HTTP status, or code of the mail server; null when there was no answer
                         * @example 200
                         */
                        status: number | null;
                        /**
                         * @description How long it took, in milliseconds
                         * @example 812
                         */
                        latency_ms: number;
                        /**
                         * @description What went wrong; absent when nothing did
                         * @example null
                         */
                        error: ("dns" | "connect" | "tls" | "timeout" | "http" | "mail" | "blocked") | null;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    post_api_v1_webhooks_preview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description How events are written
                     * @example slack
                     * @enum {string}
                     */
                    format: "json" | "slack" | "teams" | "discord" | "ntfy" | "email";
                    /**
                     * @description The type
                     * @example session.started
                     * @enum {string}
                     */
                    type: "session.started" | "session.ended" | "budget.exceeded" | "budget.warning" | "anomaly.detected" | "credit.low" | "credit.depleted" | "budget.threshold" | "budget.forecast" | "digest";
                };
            };
        };
        responses: {
            /** @description The message */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Those that belong to the format
                         * @example {
                         *       "content-type": "application/json"
                         *     }
                         */
                        headers: {
                            [key: string]: string;
                        };
                        /**
                         * @description What is sent
                         * @example {"id":"evt_3Kf9"}
                         */
                        body: string;
                        /** @description The event in words, as every format but `json` has it */
                        message: {
                            /**
                             * @description What happened
                             * @example Budget “Research” is exceeded
                             */
                            title: string;
                            /**
                             * @description How soon somebody should look
                             * @example high
                             * @enum {string}
                             */
                            urgency: "low" | "medium" | "high";
                            /** @description What there is to know */
                            facts: {
                                /**
                                 * @description What it is
                                 * @example Used
                                 */
                                label: string;
                                /**
                                 * @description How it stands
                                 * @example 512.5 of 500 USD
                                 */
                                value: string;
                            }[];
                        };
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    get_api_v1_webhooks_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Webhook id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The identifier
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description Delivery target; of any format but `json` only `https://HOST/…`
                         * @example https://hooks.example.com/governor
                         */
                        url: string;
                        /**
                         * @description The types of events
                         * @example [
                         *       "session.ended"
                         *     ]
                         */
                        events: ("session.started" | "session.ended" | "budget.exceeded" | "budget.warning" | "anomaly.detected" | "credit.low" | "credit.depleted")[];
                        /**
                         * @description Whether events are sent
                         * @example true
                         */
                        enabled: boolean;
                        /**
                         * Format: date-time
                         * @description When it was created
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description How events are written
                         * @example slack
                         * @enum {string}
                         */
                        format: "json" | "slack" | "teams" | "discord" | "ntfy" | "email";
                        /**
                         * @description Per cents of a budget: `budget.threshold` is sent for each that is reached
                         * @example [
                         *       50,
                         *       90
                         *     ]
                         */
                        alert_at: number[];
                        /**
                         * @description Whether `budget.forecast` is sent once a budget will be exceeded at the pace so far
                         * @example true
                         */
                        forecast: boolean;
                        /** @description Hours that delay everything but `budget.exceeded` and `credit.depleted` */
                        quiet_hours: {
                            /**
                             * @description The time of day at which they begin
                             * @example 22:00
                             */
                            from: string;
                            /**
                             * @description The time of day at which they end
                             * @example 07:00
                             */
                            to: string;
                            /**
                             * @description An IANA timezone
                             * @example Europe/Berlin
                             */
                            timezone: string;
                        } | null;
                        /**
                         * @description Collects everything but `budget.exceeded` and `credit.depleted` into one message
                         * @example daily
                         * @enum {string}
                         */
                        digest: "none" | "daily" | "weekly";
                        /**
                         * @description Failing: delivery is paused until it is enabled again
                         * @example active
                         * @enum {string}
                         */
                        status: "active" | "failing";
                        /**
                         * @description Since when it is failing, or null
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        failing_since: string | null;
                        /**
                         * Format: date-time
                         * @description When the admins were told that it is failing
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        alerted_at: string | null;
                        /**
                         * @description Deliveries that wait for that
                         * @example 0
                         */
                        held: number;
                        /** @description The newest delivery, or null */
                        last_delivery: {
                            /**
                             * @description The identifier
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id: string;
                            /**
                             * @description The event
                             * @example evt_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            event_id: string;
                            /**
                             * @description The type
                             * @example session.started
                             * @enum {string}
                             */
                            type: "session.started" | "session.ended" | "budget.exceeded" | "budget.warning" | "anomaly.detected" | "credit.low" | "credit.depleted" | "budget.threshold" | "budget.forecast" | "digest";
                            /**
                             * @description How it stands, or an HTTP status
                             * @example pending
                             * @enum {string}
                             */
                            status: "pending" | "succeeded" | "held" | "exhausted" | "cancelled" | "expired" | "collected" | "digested";
                            /** @description What was tried, oldest first */
                            attempts: {
                                /**
                                 * @description 1..5; also sent as X-Service-Attempt
                                 * @example 1
                                 */
                                number: number;
                                /**
                                 * Format: date-time
                                 * @description When it was made
                                 * @example 2026-01-15T09:30:00.000Z
                                 */
                                at: string;
                                /**
                                 * @description HTTP status, or code of the mail server; null when there was no answer
                                 * @example 200
                                 */
                                status: number | null;
                                /**
                                 * @description How long it took, in milliseconds
                                 * @example 812
                                 */
                                latency_ms: number;
                                /**
                                 * @description What went wrong; absent when nothing did
                                 * @example null
                                 */
                                error: ("dns" | "connect" | "tls" | "timeout" | "http" | "mail" | "blocked") | null;
                                /**
                                 * @description At most 16 KiB of the answer
                                 * @example ok
                                 */
                                answer: string | null;
                            }[];
                            /**
                             * Format: date-time
                             * @description When it is tried again; null when it is not
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            next_attempt_at: string | null;
                        } | null;
                        /**
                         * @description Until then the former secret signs too
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        old_secret_until: string | null;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
        };
    };
    delete_api_v1_webhooks_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Webhook id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    patch_api_v1_webhooks_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Webhook id */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The types of events
                     * @example [
                     *       "session.ended"
                     *     ]
                     */
                    events?: ("session.started" | "session.ended" | "budget.exceeded" | "budget.warning" | "anomaly.detected" | "credit.low" | "credit.depleted")[];
                    /**
                     * @description Signs each delivery; never shown again
                     * @example a-secret-of-at-least-32-characters
                     */
                    secret?: string;
                    /**
                     * @description False holds its deliveries; true sends what was held
                     * @example true
                     */
                    enabled?: boolean;
                    /**
                     * @description Per cents of a budget: `budget.threshold` is sent for each that is reached
                     * @example [
                     *       50,
                     *       90
                     *     ]
                     */
                    alert_at?: number[];
                    /**
                     * @description Whether `budget.forecast` is sent once a budget will be exceeded at the pace so far
                     * @example true
                     */
                    forecast?: boolean;
                    /** @description Hours that delay everything but `budget.exceeded` and `credit.depleted` */
                    quiet_hours?: {
                        /**
                         * @description The time of day at which they begin
                         * @example 22:00
                         */
                        from: string;
                        /**
                         * @description The time of day at which they end
                         * @example 07:00
                         */
                        to: string;
                        /**
                         * @description An IANA timezone
                         * @example Europe/Berlin
                         */
                        timezone: string;
                    } | null;
                    /**
                     * @description Collects everything but `budget.exceeded` and `credit.depleted` into one message
                     * @example daily
                     * @enum {string}
                     */
                    digest?: "none" | "daily" | "weekly";
                };
            };
        };
        responses: {
            /** @description The changed webhook */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The identifier
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description Delivery target; of any format but `json` only `https://HOST/…`
                         * @example https://hooks.example.com/governor
                         */
                        url: string;
                        /**
                         * @description The types of events
                         * @example [
                         *       "session.ended"
                         *     ]
                         */
                        events: ("session.started" | "session.ended" | "budget.exceeded" | "budget.warning" | "anomaly.detected" | "credit.low" | "credit.depleted")[];
                        /**
                         * @description Whether events are sent
                         * @example true
                         */
                        enabled: boolean;
                        /**
                         * Format: date-time
                         * @description When it was created
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description How events are written
                         * @example slack
                         * @enum {string}
                         */
                        format: "json" | "slack" | "teams" | "discord" | "ntfy" | "email";
                        /**
                         * @description Per cents of a budget: `budget.threshold` is sent for each that is reached
                         * @example [
                         *       50,
                         *       90
                         *     ]
                         */
                        alert_at: number[];
                        /**
                         * @description Whether `budget.forecast` is sent once a budget will be exceeded at the pace so far
                         * @example true
                         */
                        forecast: boolean;
                        /** @description Hours that delay everything but `budget.exceeded` and `credit.depleted` */
                        quiet_hours: {
                            /**
                             * @description The time of day at which they begin
                             * @example 22:00
                             */
                            from: string;
                            /**
                             * @description The time of day at which they end
                             * @example 07:00
                             */
                            to: string;
                            /**
                             * @description An IANA timezone
                             * @example Europe/Berlin
                             */
                            timezone: string;
                        } | null;
                        /**
                         * @description Collects everything but `budget.exceeded` and `credit.depleted` into one message
                         * @example daily
                         * @enum {string}
                         */
                        digest: "none" | "daily" | "weekly";
                        /**
                         * @description Failing: delivery is paused until it is enabled again
                         * @example active
                         * @enum {string}
                         */
                        status: "active" | "failing";
                        /**
                         * @description Since when it is failing, or null
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        failing_since: string | null;
                        /**
                         * Format: date-time
                         * @description When the admins were told that it is failing
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        alerted_at: string | null;
                        /**
                         * @description Deliveries that wait for that
                         * @example 0
                         */
                        held: number;
                        /** @description The newest delivery, or null */
                        last_delivery: {
                            /**
                             * @description The identifier
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id: string;
                            /**
                             * @description The event
                             * @example evt_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            event_id: string;
                            /**
                             * @description The type
                             * @example session.started
                             * @enum {string}
                             */
                            type: "session.started" | "session.ended" | "budget.exceeded" | "budget.warning" | "anomaly.detected" | "credit.low" | "credit.depleted" | "budget.threshold" | "budget.forecast" | "digest";
                            /**
                             * @description How it stands, or an HTTP status
                             * @example pending
                             * @enum {string}
                             */
                            status: "pending" | "succeeded" | "held" | "exhausted" | "cancelled" | "expired" | "collected" | "digested";
                            /** @description What was tried, oldest first */
                            attempts: {
                                /**
                                 * @description 1..5; also sent as X-Service-Attempt
                                 * @example 1
                                 */
                                number: number;
                                /**
                                 * Format: date-time
                                 * @description When it was made
                                 * @example 2026-01-15T09:30:00.000Z
                                 */
                                at: string;
                                /**
                                 * @description HTTP status, or code of the mail server; null when there was no answer
                                 * @example 200
                                 */
                                status: number | null;
                                /**
                                 * @description How long it took, in milliseconds
                                 * @example 812
                                 */
                                latency_ms: number;
                                /**
                                 * @description What went wrong; absent when nothing did
                                 * @example null
                                 */
                                error: ("dns" | "connect" | "tls" | "timeout" | "http" | "mail" | "blocked") | null;
                                /**
                                 * @description At most 16 KiB of the answer
                                 * @example ok
                                 */
                                answer: string | null;
                            }[];
                            /**
                             * Format: date-time
                             * @description When it is tried again; null when it is not
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            next_attempt_at: string | null;
                        } | null;
                        /**
                         * @description Until then the former secret signs too
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        old_secret_until: string | null;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    get_api_v1_webhooks_id_deliveries: {
        parameters: {
            query?: {
                /** @description The largest number of items of the page */
                limit?: number;
                /** @description The previous page's `cursor` */
                cursor?: string;
                /** @description The order: newest first (`desc`) or oldest first */
                order?: "desc" | "asc";
                /** @description Only deliveries with this status */
                status?: "pending" | "succeeded" | "held" | "exhausted" | "cancelled" | "expired" | "collected" | "digested";
                /** @description Only deliveries of this type of event */
                type?: "session.started" | "session.ended" | "budget.exceeded" | "budget.warning" | "anomaly.detected" | "credit.low" | "credit.depleted" | "budget.threshold" | "budget.forecast" | "digest";
            };
            header?: never;
            path: {
                /** @description Webhook id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of the page, or what the event tells */
                        data: {
                            /**
                             * @description The identifier
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id: string;
                            /**
                             * @description The event
                             * @example evt_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            event_id: string;
                            /**
                             * @description The type
                             * @example session.started
                             * @enum {string}
                             */
                            type: "session.started" | "session.ended" | "budget.exceeded" | "budget.warning" | "anomaly.detected" | "credit.low" | "credit.depleted" | "budget.threshold" | "budget.forecast" | "digest";
                            /**
                             * @description How it stands, or an HTTP status
                             * @example pending
                             * @enum {string}
                             */
                            status: "pending" | "succeeded" | "held" | "exhausted" | "cancelled" | "expired" | "collected" | "digested";
                            /** @description What was tried, oldest first */
                            attempts: {
                                /**
                                 * @description 1..5; also sent as X-Service-Attempt
                                 * @example 1
                                 */
                                number: number;
                                /**
                                 * Format: date-time
                                 * @description When it was made
                                 * @example 2026-01-15T09:30:00.000Z
                                 */
                                at: string;
                                /**
                                 * @description HTTP status, or code of the mail server; null when there was no answer
                                 * @example 200
                                 */
                                status: number | null;
                                /**
                                 * @description How long it took, in milliseconds
                                 * @example 812
                                 */
                                latency_ms: number;
                                /**
                                 * @description What went wrong; absent when nothing did
                                 * @example null
                                 */
                                error: ("dns" | "connect" | "tls" | "timeout" | "http" | "mail" | "blocked") | null;
                                /**
                                 * @description At most 16 KiB of the answer
                                 * @example ok
                                 */
                                answer: string | null;
                            }[];
                            /**
                             * Format: date-time
                             * @description When it is tried again; null when it is not
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            next_attempt_at: string | null;
                        }[];
                        /**
                         * @description Pass back as `cursor`; the last page's yields an empty page until more comes
                         * @example eyJhIjoxfQ.c2ln
                         */
                        cursor: string;
                        /**
                         * @description Whether there are more pages
                         * @example false
                         */
                        has_more: boolean;
                        /**
                         * @description Number of all that match, counted with the first page
                         * @example 42
                         */
                        total: number;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `invalid_cursor`: The cursor does not belong to this query */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["InvalidCursorProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
        };
    };
    get_api_v1_webhooks_id_deliveries_delivery_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Webhook id */
                id: string;
                /** @description Delivery id */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The identifier
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description The event
                         * @example evt_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        event_id: string;
                        /**
                         * @description The type
                         * @example session.started
                         * @enum {string}
                         */
                        type: "session.started" | "session.ended" | "budget.exceeded" | "budget.warning" | "anomaly.detected" | "credit.low" | "credit.depleted" | "budget.threshold" | "budget.forecast" | "digest";
                        /**
                         * @description How it stands, or an HTTP status
                         * @example pending
                         * @enum {string}
                         */
                        status: "pending" | "succeeded" | "held" | "exhausted" | "cancelled" | "expired" | "collected" | "digested";
                        /** @description What was tried, oldest first */
                        attempts: {
                            /**
                             * @description 1..5; also sent as X-Service-Attempt
                             * @example 1
                             */
                            number: number;
                            /**
                             * Format: date-time
                             * @description When it was made
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            at: string;
                            /**
                             * @description HTTP status, or code of the mail server; null when there was no answer
                             * @example 200
                             */
                            status: number | null;
                            /**
                             * @description How long it took, in milliseconds
                             * @example 812
                             */
                            latency_ms: number;
                            /**
                             * @description What went wrong; absent when nothing did
                             * @example null
                             */
                            error: ("dns" | "connect" | "tls" | "timeout" | "http" | "mail" | "blocked") | null;
                            /**
                             * @description At most 16 KiB of the answer
                             * @example ok
                             */
                            answer: string | null;
                        }[];
                        /**
                         * Format: date-time
                         * @description When it is tried again; null when it is not
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        next_attempt_at: string | null;
                        /** @description What is sent */
                        request: {
                            /**
                             * @description Those that are the same for every attempt
                             * @example {
                             *       "content-type": "application/json"
                             *     }
                             */
                            headers: {
                                [key: string]: string;
                            };
                            /**
                             * @description Null when the event is older than its retention
                             * @example {"id":"evt_3Kf9"}
                             */
                            body: string | null;
                        };
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
        };
    };
    post_api_v1_webhooks_id_deliveries_delivery_id_redeliver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Webhook id */
                id: string;
                /** @description Delivery id */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is on its way */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The identifier
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description The event
                         * @example evt_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        event_id: string;
                        /**
                         * @description The type
                         * @example session.started
                         * @enum {string}
                         */
                        type: "session.started" | "session.ended" | "budget.exceeded" | "budget.warning" | "anomaly.detected" | "credit.low" | "credit.depleted" | "budget.threshold" | "budget.forecast" | "digest";
                        /**
                         * @description How it stands, or an HTTP status
                         * @example pending
                         * @enum {string}
                         */
                        status: "pending" | "succeeded" | "held" | "exhausted" | "cancelled" | "expired" | "collected" | "digested";
                        /** @description What was tried, oldest first */
                        attempts: {
                            /**
                             * @description 1..5; also sent as X-Service-Attempt
                             * @example 1
                             */
                            number: number;
                            /**
                             * Format: date-time
                             * @description When it was made
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            at: string;
                            /**
                             * @description HTTP status, or code of the mail server; null when there was no answer
                             * @example 200
                             */
                            status: number | null;
                            /**
                             * @description How long it took, in milliseconds
                             * @example 812
                             */
                            latency_ms: number;
                            /**
                             * @description What went wrong; absent when nothing did
                             * @example null
                             */
                            error: ("dns" | "connect" | "tls" | "timeout" | "http" | "mail" | "blocked") | null;
                            /**
                             * @description At most 16 KiB of the answer
                             * @example ok
                             */
                            answer: string | null;
                        }[];
                        /**
                         * Format: date-time
                         * @description When it is tried again; null when it is not
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        next_attempt_at: string | null;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    post_api_v1_webhooks_id_recover: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Webhook id */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description ISO 8601 time, at most as far back as the delivery log (30 days)
                     * @example 2026-01-15T09:30:00.000Z
                     */
                    since: string;
                };
            };
        };
        responses: {
            /** @description They are queued */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Number of deliveries
                         * @example 12
                         */
                        queued: number;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    post_v1_webhooks_id_enable: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Webhook id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The identifier
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description Delivery target; of any format but `json` only `https://HOST/…`
                         * @example https://hooks.example.com/governor
                         */
                        url: string;
                        /**
                         * @description The types of events
                         * @example [
                         *       "session.ended"
                         *     ]
                         */
                        events: ("session.started" | "session.ended" | "budget.exceeded" | "budget.warning" | "anomaly.detected" | "credit.low" | "credit.depleted")[];
                        /**
                         * @description Whether events are sent
                         * @example true
                         */
                        enabled: boolean;
                        /**
                         * Format: date-time
                         * @description When it was created
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        created_at: string;
                        /**
                         * @description How events are written
                         * @example slack
                         * @enum {string}
                         */
                        format?: "json" | "slack" | "teams" | "discord" | "ntfy" | "email";
                        /**
                         * @description Per cents of a budget: `budget.threshold` is sent for each that is reached
                         * @example [
                         *       50,
                         *       90
                         *     ]
                         */
                        alert_at?: number[];
                        /**
                         * @description Whether `budget.forecast` is sent once a budget will be exceeded at the pace so far
                         * @example true
                         */
                        forecast?: boolean;
                        /** @description Hours that delay everything but `budget.exceeded` and `credit.depleted` */
                        quiet_hours?: {
                            /**
                             * @description The time of day at which they begin
                             * @example 22:00
                             */
                            from: string;
                            /**
                             * @description The time of day at which they end
                             * @example 07:00
                             */
                            to: string;
                            /**
                             * @description An IANA timezone
                             * @example Europe/Berlin
                             */
                            timezone: string;
                        } | null;
                        /**
                         * @description Collects everything but `budget.exceeded` and `credit.depleted` into one message
                         * @example daily
                         * @enum {string}
                         */
                        digest?: "none" | "daily" | "weekly";
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    get_v1_unsubscribe_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As the mail has it */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"];
                };
            };
        };
    };
    post_v1_unsubscribe_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As the mail has it */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page that says so */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"];
                };
            };
        };
    };
    get_v1_members: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The members */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of the page, or what the event tells */
                        data: {
                            /**
                             * @description The user
                             * @example ada
                             */
                            user_id: string;
                            /**
                             * @description The e-mail address
                             * @example ada@example.org
                             */
                            email: string | null;
                            /**
                             * @description The name
                             * @example Checkout team, monthly
                             */
                            name: string | null;
                            /**
                             * @description What the person may do
                             * @example member
                             * @enum {string}
                             */
                            role: "member" | "admin";
                            /**
                             * @description The teams
                             * @example [
                             *       "checkout"
                             *     ]
                             */
                            teams: string[];
                            /**
                             * @description Whether the person has joined
                             * @example true
                             */
                            linked: boolean;
                            /**
                             * @description Whether the person has turned the invitation down; another `email` renews it
                             * @example false
                             */
                            declined: boolean;
                            /**
                             * @description Unix seconds
                             * @example 1768469400
                             */
                            created_at: number;
                        }[];
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
        };
    };
    post_v1_members: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 48 hours: it creates nothing and gets the same answer. 1 to 128 printable ASCII characters without a comma; a UUID is advised. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Who signs in with this verified e-mail is asked to join
                     * @example ada@example.org
                     */
                    email: string;
                    /**
                     * @description What the person may do
                     * @example member
                     * @enum {string}
                     */
                    role: "member" | "admin";
                    /**
                     * @description The name
                     * @example Checkout team, monthly
                     */
                    name?: string;
                    /**
                     * @description As signals name the person; default: the account's id
                     * @example ada
                     */
                    user_id?: string;
                    /**
                     * @description Exactly these; new ones exist from then on
                     * @example [
                     *       "checkout"
                     *     ]
                     */
                    teams?: string[];
                };
            };
        };
        responses: {
            /** @description The member */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "Idempotency-Expires": components["headers"]["Idempotency-Expires"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The user
                         * @example ada
                         */
                        user_id: string;
                        /**
                         * @description The e-mail address
                         * @example ada@example.org
                         */
                        email: string | null;
                        /**
                         * @description The name
                         * @example Checkout team, monthly
                         */
                        name: string | null;
                        /**
                         * @description What the person may do
                         * @example member
                         * @enum {string}
                         */
                        role: "member" | "admin";
                        /**
                         * @description The teams
                         * @example [
                         *       "checkout"
                         *     ]
                         */
                        teams: string[];
                        /**
                         * @description Whether the person has joined
                         * @example true
                         */
                        linked: boolean;
                        /**
                         * @description Whether the person has turned the invitation down; another `email` renews it
                         * @example false
                         */
                        declined: boolean;
                        /**
                         * @description Unix seconds
                         * @example 1768469400
                         */
                        created_at: number;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `conflict`: The request conflicts with the current state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ConflictProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used for another request */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["IdempotencyKeyReusedProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    delete_v1_members_user_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description User id */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gone */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `conflict`: The request conflicts with the current state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ConflictProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    patch_v1_members_user_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description User id */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What the person may do
                     * @example member
                     * @enum {string}
                     */
                    role?: "member" | "admin";
                    /**
                     * @description Exactly these; new ones exist from then on
                     * @example [
                     *       "checkout"
                     *     ]
                     */
                    teams?: string[];
                    /**
                     * @description The name
                     * @example Checkout team, monthly
                     */
                    name?: string;
                    /**
                     * @description Who signs in with this verified e-mail is asked to join
                     * @example ada@example.org
                     */
                    email?: string;
                };
            };
        };
        responses: {
            /** @description The member */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The user
                         * @example ada
                         */
                        user_id: string;
                        /**
                         * @description The e-mail address
                         * @example ada@example.org
                         */
                        email: string | null;
                        /**
                         * @description The name
                         * @example Checkout team, monthly
                         */
                        name: string | null;
                        /**
                         * @description What the person may do
                         * @example member
                         * @enum {string}
                         */
                        role: "member" | "admin";
                        /**
                         * @description The teams
                         * @example [
                         *       "checkout"
                         *     ]
                         */
                        teams: string[];
                        /**
                         * @description Whether the person has joined
                         * @example true
                         */
                        linked: boolean;
                        /**
                         * @description Whether the person has turned the invitation down; another `email` renews it
                         * @example false
                         */
                        declined: boolean;
                        /**
                         * @description Unix seconds
                         * @example 1768469400
                         */
                        created_at: number;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `conflict`: The request conflicts with the current state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ConflictProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    get_v1_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Keys, oldest first, never the key itself */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of the page, or what the event tells */
                        data: {
                            /**
                             * @description The identifier
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id: string;
                            /**
                             * @description The name
                             * @example Checkout team, monthly
                             */
                            name: string;
                            /**
                             * @description What the key may do
                             * @example [
                             *       "usage:read"
                             *     ]
                             */
                            scopes: ("signals:write" | "usage:read" | "org:read" | "webhooks:write" | "budgets:write" | "budgets:check")[];
                            /**
                             * @description The user
                             * @example ada
                             */
                            user_id: string | null;
                            /**
                             * @description The project
                             * @example checkout
                             */
                            project_id: string | null;
                            /**
                             * @description Unix seconds
                             * @example 1768469400
                             */
                            expires_at: number | null;
                            /**
                             * @description Unix seconds
                             * @example 1768469400
                             */
                            created_at: number;
                            /** @description Unix seconds */
                            revoked_at: number | null;
                            /** @description Unix seconds */
                            last_used_at: number | null;
                        }[];
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
        };
    };
    post_v1_keys: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 48 hours: it creates nothing and gets the same answer. 1 to 128 printable ASCII characters without a comma; a UUID is advised. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The name
                     * @example Checkout team, monthly
                     */
                    name: string;
                    /**
                     * @description What the key may do
                     * @example [
                     *       "usage:read"
                     *     ]
                     */
                    scopes: ("signals:write" | "usage:read" | "org:read" | "webhooks:write" | "budgets:write" | "budgets:check")[];
                    /**
                     * @description Bound to this user: it sees and reports nobody else
                     * @example ada
                     */
                    user_id?: string;
                    /**
                     * @description The project of signals that name none
                     * @example checkout
                     */
                    project_id?: string;
                    /**
                     * @description Unix seconds
                     * @example 1768469400
                     */
                    expires_at?: number;
                };
            };
        };
        responses: {
            /** @description The key, shown this once */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "Idempotency-Expires": components["headers"]["Idempotency-Expires"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The identifier
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description The name
                         * @example Checkout team, monthly
                         */
                        name: string;
                        /**
                         * @description What the key may do
                         * @example [
                         *       "usage:read"
                         *     ]
                         */
                        scopes: ("signals:write" | "usage:read" | "org:read" | "webhooks:write" | "budgets:write" | "budgets:check")[];
                        /**
                         * @description The user
                         * @example ada
                         */
                        user_id: string | null;
                        /**
                         * @description The project
                         * @example checkout
                         */
                        project_id: string | null;
                        /**
                         * @description Unix seconds
                         * @example 1768469400
                         */
                        expires_at: number | null;
                        /**
                         * @description Unix seconds
                         * @example 1768469400
                         */
                        created_at: number;
                        /** @description Unix seconds */
                        revoked_at: number | null;
                        /** @description Unix seconds */
                        last_used_at: number | null;
                        /**
                         * @description Shown this once
                         * @example ugk_…
                         */
                        key: string;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `conflict`: The request conflicts with the current state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ConflictProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used for another request */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["IdempotencyKeyReusedProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    post_v1_keys_id_rotate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repeat safe for 48 hours: it creates nothing and gets the same answer. 1 to 128 printable ASCII characters without a comma; a UUID is advised. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Key id */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Seconds for which the old key goes on
                     * @default 86400
                     * @example 86400
                     */
                    grace_s?: number;
                };
            };
        };
        responses: {
            /** @description The new key, shown this once */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "Idempotency-Expires": components["headers"]["Idempotency-Expires"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The identifier
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description The name
                         * @example Checkout team, monthly
                         */
                        name: string;
                        /**
                         * @description What the key may do
                         * @example [
                         *       "usage:read"
                         *     ]
                         */
                        scopes: ("signals:write" | "usage:read" | "org:read" | "webhooks:write" | "budgets:write" | "budgets:check")[];
                        /**
                         * @description The user
                         * @example ada
                         */
                        user_id: string | null;
                        /**
                         * @description The project
                         * @example checkout
                         */
                        project_id: string | null;
                        /**
                         * @description Unix seconds
                         * @example 1768469400
                         */
                        expires_at: number | null;
                        /**
                         * @description Unix seconds
                         * @example 1768469400
                         */
                        created_at: number;
                        /** @description Unix seconds */
                        revoked_at: number | null;
                        /** @description Unix seconds */
                        last_used_at: number | null;
                        /**
                         * @description Shown this once
                         * @example ugk_…
                         */
                        key: string;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `conflict`: The request conflicts with the current state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ConflictProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used for another request */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["IdempotencyKeyReusedProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    delete_v1_keys_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `not_found`: There is no such object */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    get_v1_organization: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The identifier
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description The name
                         * @example Checkout team, monthly
                         */
                        name: string;
                        /**
                         * @description The organization's plan
                         * @example team
                         * @enum {string}
                         */
                        plan: "free" | "team" | "enterprise";
                        /**
                         * @description An IANA timezone
                         * @example Europe/Berlin
                         */
                        timezone: string;
                        /** @description A change that does not hold yet */
                        next_timezone: {
                            /**
                             * @description An IANA timezone
                             * @example Europe/Berlin
                             */
                            timezone: string;
                            /**
                             * @description Unix seconds
                             * @example 1768469400
                             */
                            from: number;
                        } | null;
                        /**
                         * @description Seconds of silence that end a session
                         * @example 1800
                         */
                        session_timeout: number;
                        /**
                         * @description The least number of members behind a figure of analytics
                         * @example 5
                         */
                        k_anonymity: number;
                        /**
                         * @description Where alerts go
                         * @example [
                         *       "ops@example.org"
                         *     ]
                         */
                        admin_emails: string[];
                        /**
                         * @description The teams
                         * @example [
                         *       "checkout"
                         *     ]
                         */
                        teams: string[];
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
        };
    };
    patch_v1_organization: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The name
                     * @example Checkout team, monthly
                     */
                    name?: string;
                    /**
                     * @description Holds from tomorrow
                     * @example Europe/Berlin
                     */
                    timezone?: string;
                    /**
                     * @description Seconds of silence that end a session
                     * @example 1800
                     */
                    session_timeout?: number;
                    /**
                     * @description The least number of members behind a figure of analytics
                     * @example 5
                     */
                    k_anonymity?: number;
                    /**
                     * @description Who is told of a failing webhook
                     * @example [
                     *       "ops@example.org"
                     *     ]
                     */
                    admin_emails?: string[];
                };
            };
        };
        responses: {
            /** @description The organization */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The identifier
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description The name
                         * @example Checkout team, monthly
                         */
                        name: string;
                        /**
                         * @description The organization's plan
                         * @example team
                         * @enum {string}
                         */
                        plan: "free" | "team" | "enterprise";
                        /**
                         * @description An IANA timezone
                         * @example Europe/Berlin
                         */
                        timezone: string;
                        /** @description A change that does not hold yet */
                        next_timezone: {
                            /**
                             * @description An IANA timezone
                             * @example Europe/Berlin
                             */
                            timezone: string;
                            /**
                             * @description Unix seconds
                             * @example 1768469400
                             */
                            from: number;
                        } | null;
                        /**
                         * @description Seconds of silence that end a session
                         * @example 1800
                         */
                        session_timeout: number;
                        /**
                         * @description The least number of members behind a figure of analytics
                         * @example 5
                         */
                        k_anonymity: number;
                        /**
                         * @description Where alerts go
                         * @example [
                         *       "ops@example.org"
                         *     ]
                         */
                        admin_emails: string[];
                        /**
                         * @description The teams
                         * @example [
                         *       "checkout"
                         *     ]
                         */
                        teams: string[];
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `malformed_json`: The body cannot be read */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["MalformedJsonProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The type or encoding of the body is not supported */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
            /** @description `outcome_unknown`: A store did not answer in time; the outcome is not known */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OutcomeUnknownProblem"];
                };
            };
        };
    };
    get_v1_audit: {
        parameters: {
            query?: {
                /** @description The largest number of items of the page */
                limit?: number;
                /** @description The previous page's `cursor` */
                cursor?: string;
                /** @description The order: newest first (`desc`) or oldest first */
                order?: "desc" | "asc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of changes, newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of the page, or what the event tells */
                        data: {
                            /**
                             * @description The identifier
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id: string;
                            /**
                             * @description Unix seconds
                             * @example 1768469400
                             */
                            at: number;
                            /**
                             * @description An account, the id of an API key, or `cli` and the like for an operator
                             * @example usr_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            actor: string;
                            /**
                             * @description What happened
                             * @example block
                             */
                            action: string;
                            /** @description What was changed */
                            details: {
                                [key: string]: unknown;
                            };
                        }[];
                        /**
                         * @description Pass back as `cursor`; the last page's yields an empty page until more comes
                         * @example eyJhIjoxfQ.c2ln
                         */
                        cursor: string;
                        /**
                         * @description Whether there are more pages
                         * @example false
                         */
                        has_more: boolean;
                        /**
                         * @description Number of all that match, counted with the first page
                         * @example 42
                         */
                        total: number;
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid. `invalid_cursor`: The cursor does not belong to this query */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["InvalidCursorProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `missing_scope`: The credential does not allow this */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingScopeProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later. `store_unavailable`: A store cannot be reached; nothing was written. `issuer_unavailable`: The identity provider cannot be reached */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"] | components["schemas"]["StoreUnavailableProblem"] | components["schemas"]["IssuerUnavailableProblem"];
                };
            };
        };
    };
    get_healthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description How it stands, or an HTTP status
                         * @example ok
                         * @constant
                         */
                        status: "ok";
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
        };
    };
    get_readyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It can, at least in part; the failing part is named */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description How it stands, or an HTTP status
                         * @example ready
                         * @enum {string}
                         */
                        status: "ready" | "degraded";
                        /** @description How each store stands */
                        parts: {
                            /**
                             * @description How MongoDB stands
                             * @example ok
                             * @enum {string}
                             */
                            mongo: "ok" | "failing";
                            /**
                             * @description How Redis stands
                             * @example ok
                             * @enum {string}
                             */
                            redis: "ok" | "failing";
                        };
                        /** @description What an operator should look at */
                        warnings?: string[];
                    };
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `not_ready`: This process cannot serve now */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotReadyProblem"];
                };
            };
        };
    };
    get_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Prometheus text format */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; version=0.0.4": string;
                };
            };
            /** @description `invalid_request`: The request is not valid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InvalidRequestProblem"];
                };
            };
            /** @description `unauthorized`: The credential is missing or not valid */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnauthorizedProblem"];
                };
            };
            /** @description `request_timeout`: The request took too long to arrive */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
                };
            };
            /** @description `too_many_requests`: There were too many requests */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
                };
            };
            /** @description `headers_too_large`: The headers are too large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HeadersTooLargeProblem"];
                };
            };
            /** @description `internal`: Something failed on our side */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `overloaded`: The service is overloaded; try again later */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["OverloadedProblem"];
                };
            };
        };
    };
    session_started: {
        parameters: {
            query?: never;
            header: {
                /** @description sha256= and the HMAC-SHA256 of the body with the secret, hex */
                "X-Service-Signature": string;
                /** @description The number of the attempt, 1 to 5 */
                "X-Service-Attempt": string;
                /** @description The id of the event: the same for every attempt */
                "webhook-id": string;
                /** @description The time of the attempt, Unix seconds */
                "webhook-timestamp": string;
                /** @description The signature as standardwebhooks.com has it */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The identifier
                     * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    id: string;
                    /**
                     * @description The type
                     * @example session.started
                     * @constant
                     */
                    type: "session.started";
                    /**
                     * @description The organization
                     * @example org_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    org_id: string;
                    /**
                     * Format: date-time
                     * @description When it happened
                     * @example 2026-01-15T09:30:00.000Z
                     */
                    ts: string;
                    /** @description The items of the page, or what the event tells */
                    data: {
                        /**
                         * @description The identifier
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description The user
                         * @example ada
                         */
                        user_id: string;
                        /**
                         * @description The project
                         * @example checkout
                         */
                        project_id: string;
                        /**
                         * Format: date-time
                         * @description When it started
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        started_at: string;
                        /**
                         * Format: date-time
                         * @description While open: the last activity so far
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        ended_at: string;
                        /**
                         * @description From start to end, in seconds
                         * @example 1260
                         */
                        duration_s: number;
                        /**
                         * @description The model
                         * @example claude-sonnet-4-5
                         */
                        model: string;
                        /**
                         * @description All models, the primary one included
                         * @example [
                         *       "claude-sonnet-4-5"
                         *     ]
                         */
                        models: string[];
                        /**
                         * @description Input tokens, cached ones included
                         * @example 1200
                         */
                        tokens_in: number;
                        /**
                         * @description Output tokens
                         * @example 340
                         */
                        tokens_out: number;
                        /**
                         * @description Cost in US dollars
                         * @example 0.0123
                         */
                        cost_usd: number;
                        /**
                         * @description The number of signals
                         * @example 12
                         */
                        signal_count: number;
                        /**
                         * @description The number of signals with an error
                         * @example 1
                         */
                        error_count: number;
                        /**
                         * @description The tool that reported it
                         * @example claude-code
                         */
                        adapter: string;
                        /**
                         * @description How it stands
                         * @example open
                         * @enum {string}
                         */
                        state: "open" | "ended";
                        /**
                         * @description What ended it; null while it is open
                         * @example timeout
                         */
                        end_reason: ("timeout" | "closed") | null;
                        /**
                         * @description The number of interventions
                         * @example 0
                         */
                        intervention_count: number;
                        /**
                         * @description Signals whose cost is not known, and counts as 0
                         * @example 0
                         */
                        unpriced_signals: number;
                        /**
                         * Format: date-time
                         * @description When the last signal happened
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        last_activity_at: string;
                        /**
                         * @description Only in the event of `POST /api/v1/webhooks/test`
                         * @example true
                         * @constant
                         */
                        test?: true;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Anything else, and no answer within 10 s, is a failed attempt */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    session_ended: {
        parameters: {
            query?: never;
            header: {
                /** @description sha256= and the HMAC-SHA256 of the body with the secret, hex */
                "X-Service-Signature": string;
                /** @description The number of the attempt, 1 to 5 */
                "X-Service-Attempt": string;
                /** @description The id of the event: the same for every attempt */
                "webhook-id": string;
                /** @description The time of the attempt, Unix seconds */
                "webhook-timestamp": string;
                /** @description The signature as standardwebhooks.com has it */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The identifier
                     * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    id: string;
                    /**
                     * @description The type
                     * @example session.ended
                     * @constant
                     */
                    type: "session.ended";
                    /**
                     * @description The organization
                     * @example org_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    org_id: string;
                    /**
                     * Format: date-time
                     * @description When it happened
                     * @example 2026-01-15T09:30:00.000Z
                     */
                    ts: string;
                    /** @description The items of the page, or what the event tells */
                    data: {
                        /**
                         * @description The identifier
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        id: string;
                        /**
                         * @description The user
                         * @example ada
                         */
                        user_id: string;
                        /**
                         * @description The project
                         * @example checkout
                         */
                        project_id: string;
                        /**
                         * Format: date-time
                         * @description When it started
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        started_at: string;
                        /**
                         * Format: date-time
                         * @description While open: the last activity so far
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        ended_at: string;
                        /**
                         * @description From start to end, in seconds
                         * @example 1260
                         */
                        duration_s: number;
                        /**
                         * @description The model
                         * @example claude-sonnet-4-5
                         */
                        model: string;
                        /**
                         * @description All models, the primary one included
                         * @example [
                         *       "claude-sonnet-4-5"
                         *     ]
                         */
                        models: string[];
                        /**
                         * @description Input tokens, cached ones included
                         * @example 1200
                         */
                        tokens_in: number;
                        /**
                         * @description Output tokens
                         * @example 340
                         */
                        tokens_out: number;
                        /**
                         * @description Cost in US dollars
                         * @example 0.0123
                         */
                        cost_usd: number;
                        /**
                         * @description The number of signals
                         * @example 12
                         */
                        signal_count: number;
                        /**
                         * @description The number of signals with an error
                         * @example 1
                         */
                        error_count: number;
                        /**
                         * @description The tool that reported it
                         * @example claude-code
                         */
                        adapter: string;
                        /**
                         * @description How it stands
                         * @example open
                         * @enum {string}
                         */
                        state: "open" | "ended";
                        /**
                         * @description What ended it; null while it is open
                         * @example timeout
                         */
                        end_reason: ("timeout" | "closed") | null;
                        /**
                         * @description The number of interventions
                         * @example 0
                         */
                        intervention_count: number;
                        /**
                         * @description Signals whose cost is not known, and counts as 0
                         * @example 0
                         */
                        unpriced_signals: number;
                        /**
                         * Format: date-time
                         * @description When the last signal happened
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        last_activity_at: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Anything else, and no answer within 10 s, is a failed attempt */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    budget_exceeded: {
        parameters: {
            query?: never;
            header: {
                /** @description sha256= and the HMAC-SHA256 of the body with the secret, hex */
                "X-Service-Signature": string;
                /** @description The number of the attempt, 1 to 5 */
                "X-Service-Attempt": string;
                /** @description The id of the event: the same for every attempt */
                "webhook-id": string;
                /** @description The time of the attempt, Unix seconds */
                "webhook-timestamp": string;
                /** @description The signature as standardwebhooks.com has it */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The identifier
                     * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    id: string;
                    /**
                     * @description The type
                     * @example budget.exceeded
                     * @constant
                     */
                    type: "budget.exceeded";
                    /**
                     * @description The organization
                     * @example org_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    org_id: string;
                    /**
                     * Format: date-time
                     * @description When it happened
                     * @example 2026-01-15T09:30:00.000Z
                     */
                    ts: string;
                    /** @description The items of the page, or what the event tells */
                    data: {
                        /**
                         * @description The budget
                         * @example bud_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        budget_id: string;
                        /**
                         * @description The budget's name
                         * @example Checkout team, monthly
                         */
                        budget_name: string;
                        /**
                         * @description Whose usage counts
                         * @example org
                         * @enum {string}
                         */
                        scope: "org" | "team" | "project" | "user";
                        /**
                         * @description The team, project, user or organization
                         * @example checkout
                         */
                        scope_id: string;
                        /**
                         * @description The amount at which it is exceeded, in the unit of the metric
                         * @example 500
                         */
                        threshold: number;
                        /**
                         * @description Usage in the open window, in the unit of the metric
                         * @example 412.5
                         */
                        current: number;
                        /**
                         * @description The time over which usage is counted
                         * @example monthly
                         * @enum {string}
                         */
                        window: "hourly" | "daily" | "weekly" | "monthly";
                        /**
                         * @description What is counted
                         * @example cost_usd
                         * @enum {string}
                         */
                        metric: "cost_usd" | "tokens" | "tokens_in" | "tokens_out" | "signals" | "sessions" | "errors";
                    };
                };
            };
        };
        responses: {
            /** @description Received. Anything else, and no answer within 10 s, is a failed attempt */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    budget_warning: {
        parameters: {
            query?: never;
            header: {
                /** @description sha256= and the HMAC-SHA256 of the body with the secret, hex */
                "X-Service-Signature": string;
                /** @description The number of the attempt, 1 to 5 */
                "X-Service-Attempt": string;
                /** @description The id of the event: the same for every attempt */
                "webhook-id": string;
                /** @description The time of the attempt, Unix seconds */
                "webhook-timestamp": string;
                /** @description The signature as standardwebhooks.com has it */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The identifier
                     * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    id: string;
                    /**
                     * @description The type
                     * @example budget.warning
                     * @constant
                     */
                    type: "budget.warning";
                    /**
                     * @description The organization
                     * @example org_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    org_id: string;
                    /**
                     * Format: date-time
                     * @description When it happened
                     * @example 2026-01-15T09:30:00.000Z
                     */
                    ts: string;
                    /** @description The items of the page, or what the event tells */
                    data: {
                        /**
                         * @description The budget
                         * @example bud_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        budget_id: string;
                        /**
                         * @description The budget's name
                         * @example Checkout team, monthly
                         */
                        budget_name: string;
                        /**
                         * @description Whose usage counts
                         * @example org
                         * @enum {string}
                         */
                        scope: "org" | "team" | "project" | "user";
                        /**
                         * @description The team, project, user or organization
                         * @example checkout
                         */
                        scope_id: string;
                        /**
                         * @description The amount at which it is exceeded, in the unit of the metric
                         * @example 500
                         */
                        threshold: number;
                        /**
                         * @description Usage in the open window, in the unit of the metric
                         * @example 412.5
                         */
                        current: number;
                        /**
                         * @description The event
                         * @example evt_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        event_id: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Anything else, and no answer within 10 s, is a failed attempt */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    anomaly_detected: {
        parameters: {
            query?: never;
            header: {
                /** @description sha256= and the HMAC-SHA256 of the body with the secret, hex */
                "X-Service-Signature": string;
                /** @description The number of the attempt, 1 to 5 */
                "X-Service-Attempt": string;
                /** @description The id of the event: the same for every attempt */
                "webhook-id": string;
                /** @description The time of the attempt, Unix seconds */
                "webhook-timestamp": string;
                /** @description The signature as standardwebhooks.com has it */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The identifier
                     * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    id: string;
                    /**
                     * @description The type
                     * @example anomaly.detected
                     * @constant
                     */
                    type: "anomaly.detected";
                    /**
                     * @description The organization
                     * @example org_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    org_id: string;
                    /**
                     * Format: date-time
                     * @description When it happened
                     * @example 2026-01-15T09:30:00.000Z
                     */
                    ts: string;
                    /** @description The items of the page, or what the event tells */
                    data: {
                        /**
                         * @description What is unusual
                         * @example token_spike
                         * @enum {string}
                         */
                        anomaly_type: "token_spike" | "cost_spike" | "error_spike" | "runaway_session";
                        /**
                         * @description The user
                         * @example ada
                         */
                        user_id: string;
                        /**
                         * @description What is usual: tokens, US dollars or an error rate, by type
                         * @example 1800
                         */
                        baseline_avg: number;
                        /**
                         * @description What was seen, in the same unit
                         * @example 9400
                         */
                        observed: number;
                        /**
                         * @description How far that is above the usual, in percent
                         * @example 422.2
                         */
                        deviation_pct: number;
                        /**
                         * @description The session
                         * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        session_id: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Anything else, and no answer within 10 s, is a failed attempt */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    budget_threshold: {
        parameters: {
            query?: never;
            header: {
                /** @description sha256= and the HMAC-SHA256 of the body with the secret, hex */
                "X-Service-Signature": string;
                /** @description The number of the attempt, 1 to 5 */
                "X-Service-Attempt": string;
                /** @description The id of the event: the same for every attempt */
                "webhook-id": string;
                /** @description The time of the attempt, Unix seconds */
                "webhook-timestamp": string;
                /** @description The signature as standardwebhooks.com has it */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The identifier
                     * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    id: string;
                    /**
                     * @description The type
                     * @example budget.threshold
                     * @constant
                     */
                    type: "budget.threshold";
                    /**
                     * @description The organization
                     * @example org_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    org_id: string;
                    /**
                     * Format: date-time
                     * @description When it happened
                     * @example 2026-01-15T09:30:00.000Z
                     */
                    ts: string;
                    /** @description The items of the page, or what the event tells */
                    data: {
                        /**
                         * @description The budget
                         * @example bud_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        budget_id: string;
                        /**
                         * @description The budget's name
                         * @example Checkout team, monthly
                         */
                        budget_name: string;
                        /**
                         * @description Whose usage counts
                         * @example org
                         * @enum {string}
                         */
                        scope: "org" | "team" | "project" | "user";
                        /**
                         * @description The team, project, user or organization
                         * @example checkout
                         */
                        scope_id: string;
                        /**
                         * @description The amount at which it is exceeded, in the unit of the metric
                         * @example 500
                         */
                        threshold: number;
                        /**
                         * @description Usage in the open window, in the unit of the metric
                         * @example 412.5
                         */
                        current: number;
                        /**
                         * @description The time over which usage is counted
                         * @example monthly
                         * @enum {string}
                         */
                        window: "hourly" | "daily" | "weekly" | "monthly";
                        /**
                         * @description What is counted
                         * @example cost_usd
                         * @enum {string}
                         */
                        metric: "cost_usd" | "tokens" | "tokens_in" | "tokens_out" | "signals" | "sessions" | "errors";
                        /**
                         * @description Per cents of a budget at which the webhook is told
                         * @example 50
                         */
                        alert_at: number;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Anything else, and no answer within 10 s, is a failed attempt */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    budget_forecast: {
        parameters: {
            query?: never;
            header: {
                /** @description sha256= and the HMAC-SHA256 of the body with the secret, hex */
                "X-Service-Signature": string;
                /** @description The number of the attempt, 1 to 5 */
                "X-Service-Attempt": string;
                /** @description The id of the event: the same for every attempt */
                "webhook-id": string;
                /** @description The time of the attempt, Unix seconds */
                "webhook-timestamp": string;
                /** @description The signature as standardwebhooks.com has it */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The identifier
                     * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    id: string;
                    /**
                     * @description The type
                     * @example budget.forecast
                     * @constant
                     */
                    type: "budget.forecast";
                    /**
                     * @description The organization
                     * @example org_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    org_id: string;
                    /**
                     * Format: date-time
                     * @description When it happened
                     * @example 2026-01-15T09:30:00.000Z
                     */
                    ts: string;
                    /** @description The items of the page, or what the event tells */
                    data: {
                        /**
                         * @description The budget
                         * @example bud_3Kf9XqLm2TzVb7Rw8YcN1p
                         */
                        budget_id: string;
                        /**
                         * @description The budget's name
                         * @example Checkout team, monthly
                         */
                        budget_name: string;
                        /**
                         * @description Whose usage counts
                         * @example org
                         * @enum {string}
                         */
                        scope: "org" | "team" | "project" | "user";
                        /**
                         * @description The team, project, user or organization
                         * @example checkout
                         */
                        scope_id: string;
                        /**
                         * @description The amount at which it is exceeded, in the unit of the metric
                         * @example 500
                         */
                        threshold: number;
                        /**
                         * @description Usage in the open window, in the unit of the metric
                         * @example 412.5
                         */
                        current: number;
                        /**
                         * @description The time over which usage is counted
                         * @example monthly
                         * @enum {string}
                         */
                        window: "hourly" | "daily" | "weekly" | "monthly";
                        /**
                         * @description What is counted
                         * @example cost_usd
                         * @enum {string}
                         */
                        metric: "cost_usd" | "tokens" | "tokens_in" | "tokens_out" | "signals" | "sessions" | "errors";
                        /**
                         * @description Usage at the window's end if it goes on at the pace so far
                         * @example 540
                         */
                        forecast: number;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Anything else, and no answer within 10 s, is a failed attempt */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    credit_low: {
        parameters: {
            query?: never;
            header: {
                /** @description sha256= and the HMAC-SHA256 of the body with the secret, hex */
                "X-Service-Signature": string;
                /** @description The number of the attempt, 1 to 5 */
                "X-Service-Attempt": string;
                /** @description The id of the event: the same for every attempt */
                "webhook-id": string;
                /** @description The time of the attempt, Unix seconds */
                "webhook-timestamp": string;
                /** @description The signature as standardwebhooks.com has it */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The identifier
                     * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    id: string;
                    /**
                     * @description The type
                     * @example credit.low
                     * @constant
                     */
                    type: "credit.low";
                    /**
                     * @description The organization
                     * @example org_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    org_id: string;
                    /**
                     * Format: date-time
                     * @description When it happened
                     * @example 2026-01-15T09:30:00.000Z
                     */
                    ts: string;
                    /** @description The items of the page, or what the event tells */
                    data: {
                        /**
                         * @description The user
                         * @example ada
                         */
                        user_id: string;
                        /**
                         * @description How many there are in all
                         * @example 42
                         */
                        total: number;
                        /** @description What is left by bucket */
                        balances: {
                            /**
                             * @description The time over which usage is counted
                             * @example 40
                             */
                            window: number;
                            /**
                             * @description Credits of the month
                             * @example 900
                             */
                            monthly: number;
                            /**
                             * @description Credits that were bought
                             * @example 0
                             */
                            paid: number;
                            /**
                             * @description Credits that were granted
                             * @example 5
                             */
                            granted: number;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Received. Anything else, and no answer within 10 s, is a failed attempt */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    credit_depleted: {
        parameters: {
            query?: never;
            header: {
                /** @description sha256= and the HMAC-SHA256 of the body with the secret, hex */
                "X-Service-Signature": string;
                /** @description The number of the attempt, 1 to 5 */
                "X-Service-Attempt": string;
                /** @description The id of the event: the same for every attempt */
                "webhook-id": string;
                /** @description The time of the attempt, Unix seconds */
                "webhook-timestamp": string;
                /** @description The signature as standardwebhooks.com has it */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The identifier
                     * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    id: string;
                    /**
                     * @description The type
                     * @example credit.depleted
                     * @constant
                     */
                    type: "credit.depleted";
                    /**
                     * @description The organization
                     * @example org_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    org_id: string;
                    /**
                     * Format: date-time
                     * @description When it happened
                     * @example 2026-01-15T09:30:00.000Z
                     */
                    ts: string;
                    /** @description The items of the page, or what the event tells */
                    data: {
                        /**
                         * @description The user
                         * @example ada
                         */
                        user_id: string;
                        /**
                         * @description How many there are in all
                         * @example 42
                         */
                        total: number;
                        /** @description What is left by bucket */
                        balances: {
                            /**
                             * @description The time over which usage is counted
                             * @example 40
                             */
                            window: number;
                            /**
                             * @description Credits of the month
                             * @example 900
                             */
                            monthly: number;
                            /**
                             * @description Credits that were bought
                             * @example 0
                             */
                            paid: number;
                            /**
                             * @description Credits that were granted
                             * @example 5
                             */
                            granted: number;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Received. Anything else, and no answer within 10 s, is a failed attempt */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    digest: {
        parameters: {
            query?: never;
            header: {
                /** @description sha256= and the HMAC-SHA256 of the body with the secret, hex */
                "X-Service-Signature": string;
                /** @description The number of the attempt, 1 to 5 */
                "X-Service-Attempt": string;
                /** @description The id of the event: the same for every attempt */
                "webhook-id": string;
                /** @description The time of the attempt, Unix seconds */
                "webhook-timestamp": string;
                /** @description The signature as standardwebhooks.com has it */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The identifier
                     * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    id: string;
                    /**
                     * @description The type
                     * @example digest
                     * @constant
                     */
                    type: "digest";
                    /**
                     * @description The organization
                     * @example org_3Kf9XqLm2TzVb7Rw8YcN1p
                     */
                    org_id: string;
                    /**
                     * Format: date-time
                     * @description When it happened
                     * @example 2026-01-15T09:30:00.000Z
                     */
                    ts: string;
                    /** @description The items of the page, or what the event tells */
                    data: {
                        /**
                         * Format: date-time
                         * @description The beginning of the range, inclusive
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        from: string;
                        /**
                         * Format: date-time
                         * @description The end of the range, exclusive
                         * @example 2026-01-15T09:30:00.000Z
                         */
                        to: string;
                        /**
                         * @description The types of events
                         * @example []
                         */
                        events: {
                            /**
                             * @description The identifier
                             * @example ses_3Kf9XqLm2TzVb7Rw8YcN1p
                             */
                            id: string;
                            /**
                             * @description The type
                             * @example session.started
                             * @enum {string}
                             */
                            type: "session.started" | "session.ended" | "budget.exceeded" | "budget.warning" | "anomaly.detected" | "credit.low" | "credit.depleted" | "budget.threshold" | "budget.forecast" | "digest";
                            /**
                             * Format: date-time
                             * @description When it happened
                             * @example 2026-01-15T09:30:00.000Z
                             */
                            ts: string;
                            /**
                             * @description The items of the page, or what the event tells
                             * @example {
                             *       "alert_at": 50
                             *     }
                             */
                            data: {
                                [key: string]: unknown;
                            };
                        }[];
                    };
                };
            };
        };
        responses: {
            /** @description Received. Anything else, and no answer within 10 s, is a failed attempt */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
