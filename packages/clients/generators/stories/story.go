// The story of generators.ts, told with the client that oapi-codegen makes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"governor/client"
)

func must[Value any](value Value, err error) Value {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func signal(id string, tokens int) client.SignalInput {
	user, model, at := "ada", "gpt-4o-mini", time.Now().UTC().Format(time.RFC3339)
	return client.SignalInput{
		Id: id, Ts: at, UserId: &user, Adapter: "story-" + id, Model: &model, TokensIn: &tokens, TokensOut: &tokens,
	}
}

func main() {
	ctx := context.Background()
	withKey := client.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("GOVERNOR_API_KEY"))
		return nil
	})
	api := must(client.NewClientWithResponses(os.Getenv("GOVERNOR_API"), withKey))

	var one, batch client.PostApiV1SignalsBody
	must(0, one.FromSignalInput(signal("one", 100)))
	signals := []client.SignalInput{signal("two", 10), signal("three", 1)}
	must(0, batch.FromPostApiV1SignalsBody0(client.PostApiV1SignalsBody0{Signals: signals}))
	posted := must(api.PostApiV1SignalsWithResponse(ctx, one))
	accepted := must(posted.JSON200.Results[0].AsPostApiV1Signals200JSONResponseBodyResults0())
	more := must(api.PostApiV1SignalsWithResponse(ctx, batch))

	limit, from := 2, time.Now().UTC().Format(time.DateOnly)
	seen := []string{}
	sessions := must(api.GetApiV1SessionsWithResponse(ctx, &client.GetApiV1SessionsParams{Limit: &limit, From: &from}))
	total := sessions.JSON200.Total
	for page := sessions; ; {
		for _, session := range page.JSON200.Data {
			seen = append(seen, session.Id)
		}
		if !page.JSON200.HasMore {
			break
		}
		next := client.GetApiV1SessionsParams{Limit: &limit, From: &from, Cursor: &page.JSON200.Cursor}
		page = must(api.GetApiV1SessionsWithResponse(ctx, &next))
	}
	session := must(api.GetApiV1SessionsIdWithResponse(ctx, accepted.SessionId, nil)).JSON200

	usage := must(api.GetApiV1UsageWithResponse(ctx, nil)).JSON200.Totals
	wrong := 1000
	refused := must(api.GetApiV1SessionsWithResponse(ctx, &client.GetApiV1SessionsParams{Limit: &wrong}))
	problem := must(refused.ApplicationproblemJSON400.AsInvalidRequestProblem())
	secret := "a-secret-of-at-least-32-characters"
	hook := must(api.PostApiV1WebhooksWithResponse(ctx, nil, client.PostApiV1WebhooksJSONRequestBody{
		Url: "https://hooks.example.com/go", Events: []client.PostApiV1WebhooksJSONBodyEvents{"session.ended"}, Secret: &secret,
	}))
	missing := must(api.GetApiV1SessionsIdWithResponse(ctx, "ses_none", nil)).ApplicationproblemJSON404

	must(0, json.NewEncoder(os.Stdout).Encode(map[string]any{
		"posted":   []any{accepted.Id, accepted.Status},
		"batch":    len(more.JSON200.Results),
		"sessions": []any{total, len(seen)},
		"session":  []any{session.StartedAt.Location() != nil, session.TokensIn, session.Signals[0].Id},
		"usage":    []any{usage.TokensIn, usage.CostUsd},
		"problem":  []any{problem.Status, problem.Code, *(*problem.Errors)[0].Parameter},
		"webhook":  []any{hook.StatusCode(), hook.JSON201.Enabled},
		"missing":  []any{missing.Status, missing.Code},
	}))
}
