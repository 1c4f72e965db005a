/** Somebody who can sign in at the embedded identity provider. */
export interface IdpPerson {
  sub: string;
  name: string;
  email: string;
  organization: string;
}

/** Everybody as a button: there are no passwords to know in a demonstration. */
export function loginPage(uid: string, people: readonly IdpPerson[]): string {
  const buttons = people.map(
    ({ sub, name, email, organization }) =>
      `<button name="sub" value="${html(sub)}"><b>${html(name)}</b> ${html(email)} <i>${html(organization)}</i></button>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in (development)</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 30rem; margin: 4rem auto; padding: 0 1rem; color-scheme: light dark }
button { display: block; width: 100%; margin: .5rem 0; padding: .75rem 1rem; font: inherit; text-align: left; cursor: pointer }
i { float: right; opacity: .6 }
</style></head>
<body><h1>Sign in as</h1>
<form method="post" action="/login/${html(uid)}">${buttons.join('\n')}</form>
<p>This is the identity provider for development. It lets everybody in.</p>
</body></html>`;
}

function html(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
