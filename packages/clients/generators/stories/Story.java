import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.SessionsApi;
import org.openapitools.client.api.SignalsApi;
import org.openapitools.client.api.UsageApi;
import org.openapitools.client.api.WebhooksApi;
import org.openapitools.client.model.*;

/** The story of generators.ts, told with the client that openapi-generator makes. */
public class Story {
    private static final ObjectMapper JSON = ApiClient.createDefaultObjectMapper();

    public static void main(String[] args) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(System.getenv("GOVERNOR_API"));
        client.setRequestInterceptor(
            request -> request.header("Authorization", "Bearer " + System.getenv("GOVERNOR_API_KEY")));
        SignalsApi signals = new SignalsApi(client);
        SessionsApi sessions = new SessionsApi(client);

        PostApiV1Signals200ResponseResultsInner result =
            signals.postApiV1Signals(new PostApiV1SignalsBody(signal("one", 100))).getResults().get(0);
        PostApiV1Signals200ResponseResultsInnerOneOf accepted =
            (PostApiV1Signals200ResponseResultsInnerOneOf) result.getActualInstance();
        PostApiV1SignalsBodyAnyOf batch =
            new PostApiV1SignalsBodyAnyOf().signals(List.of(signal("two", 10), signal("three", 1)));
        PostApiV1Signals200Response more = signals.postApiV1Signals(new PostApiV1SignalsBody(batch));

        String from = LocalDate.now(ZoneOffset.UTC).toString();
        List<String> seen = new ArrayList<>();
        GetApiV1Sessions200Response first = list(sessions, from, 2, null);
        for (GetApiV1Sessions200Response page = first; ; page = list(sessions, from, 2, page.getCursor())) {
            page.getData().forEach(session -> seen.add(session.getId()));
            if (!page.getHasMore()) break;
        }
        GetApiV1SessionsId200Response session = sessions.getApiV1SessionsId(accepted.getSessionId(), null);

        GetApiV1Usage200ResponseTotals totals =
            new UsageApi(client)
                .getApiV1Usage(
                    null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null)
                .getTotals();
        InvalidRequestProblem refused = null;
        try {
            list(sessions, from, 1000, null);
        } catch (ApiException error) {
            refused = JSON.readValue(error.getResponseBody(), InvalidRequestProblem.class);
        }
        PostApiV1Webhooks201Response hook =
            new WebhooksApi(client)
                .postApiV1Webhooks(
                    new PostApiV1WebhooksRequest()
                        .url(java.net.URI.create("https://hooks.example.com/java"))
                        .addEventsItem(PostApiV1WebhooksRequest.EventsEnum.SESSION_ENDED)
                        .secret("a-secret-of-at-least-32-characters"),
                    null);
        NotFoundProblem missing = null;
        try {
            sessions.getApiV1SessionsId("ses_none", null);
        } catch (ApiException error) {
            missing = JSON.readValue(error.getResponseBody(), NotFoundProblem.class);
        }

        System.out.println(JSON.writeValueAsString(Map.of(
            "posted", List.of(accepted.getId(), accepted.getStatus()),
            "batch", more.getResults().size(),
            "sessions", List.of(first.getTotal(), seen.size()),
            "session", List.of(
                session.getStartedAt().getOffset() != null,
                session.getTokensIn(),
                ((Map<?, ?>) JSON.convertValue(session.getSignals().get(0), Map.class)).get("id")),
            "usage", List.of(totals.getTokensIn(), totals.getCostUsd()),
            "problem", List.of(refused.getStatus(), refused.getCode(), refused.getErrors().get(0).getParameter()),
            "webhook", List.of(201, hook.getEnabled()),
            "missing", List.of(missing.getStatus(), missing.getCode()))));
    }

    private static SignalInput signal(String id, int tokens) {
        return new SignalInput()
            .id(id)
            .ts(Instant.now().toString())
            .userId("ada")
            .adapter("story-" + id)
            .model("gpt-4o-mini")
            .tokensIn(tokens)
            .tokensOut(tokens);
    }

    private static GetApiV1Sessions200Response list(SessionsApi api, String from, int limit, String cursor)
        throws ApiException {
        return api.getApiV1Sessions(
            null, null, null, null, from, null, null, null, null, null, null, null, null, null, null, null, limit, cursor,
            null);
    }
}
