/** A browser as far as HTTP goes: keeps cookies, follows redirects, runs no script. */
export interface HttpClient {
  cookies: Map<string, string>;
  /** Every Set-Cookie line so far. */
  setCookies: string[];
  /** Where the last `follow` ended. */
  url: string;
  /** A GET, or a POST of a form, and all redirects after it. */
  follow(url: string, form?: URLSearchParams): Promise<Response>;
  get(url: string): Promise<HttpAnswer>;
  post(url: string, body: unknown, headers: Record<string, string>): Promise<HttpAnswer>;
}

interface HttpAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  body: any;
}

export function createHttpClient(): HttpClient {
  const cookies = new Map<string, string>();
  const setCookies: string[] = [];
  const send = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string>), Cookie: cookie };
    const response = await fetch(url, { ...init, redirect: 'manual', headers });
    for (const line of response.headers.getSetCookie()) {
      setCookies.push(line);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
  const answer = async (response: Response): Promise<HttpAnswer> => {
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  };
  const client: HttpClient = {
    cookies,
    setCookies,
    url: '',
    follow: async (url, form) => {
      let response = await send(url, form ? { method: 'POST', body: form } : {});
      client.url = url;
      for (
        let location = response.headers.get('location');
        location;
        location = response.headers.get('location')
      ) {
        await response.body?.cancel();
        client.url = new URL(location, client.url).href;
        response = await send(client.url);
      }
      return response;
    },
    get: async (url) => answer(await send(url)),
    post: async (url, body, headers) =>
      answer(
        await send(url, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'Content-Type': 'application/json', ...headers },
        }),
      ),
  };
  return client;
}
