import type { Role } from '../../shared/platform/basics/contract.ts';

/** Somebody who can sign in at the embedded identity provider. */
export interface IdpPerson {
  sub: string;
  name: string;
  email: string;
  organization: string;
  role: Role;
}

/** Everybody as a button: there are no passwords to know in a demonstration. */
export function loginPage(uid: string, people: readonly IdpPerson[]): string {
  const organizations = [...new Set(people.map(({ organization }) => organization))];
  const groups = organizations.map((name) => {
    const buttons = people.filter(({ organization }) => organization === name).map(button);
    return `<h2>${html(name)}</h2>\n${buttons.join('\n')}`;
  });
  return page(
    'Sign in as',
    `<form method="post" action="/login/${html(uid)}">${groups.join('\n')}</form>
<form method="post" action="/login/${html(uid)}">
<label>Another e-mail address, for example an invited one <input type="email" name="sub" required></label>
<button>Sign in</button></form>`,
  );
}

function button({ sub, name, email, role }: IdpPerson): string {
  return `<button name="sub" value="${html(sub)}"><b>${html(name)}</b><i>${role}</i><span>${html(email)}</span></button>`;
}

/** Asks once more before signing out of the identity provider too. */
export function logoutPage(form: string): string {
  return page(
    'Sign out?',
    `${form}<button form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button>
<button form="op.logoutForm">Stay signed in at the identity provider</button>`,
  );
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} (development)</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 30rem; margin: 4rem auto; padding: 0 1rem; color-scheme: light dark }
h2 { margin: 1.5rem 0 0; font-size: 1rem }
button { display: block; width: 100%; margin: .5rem 0; padding: .75rem 1rem; font: inherit; text-align: left; cursor: pointer }
input { display: block; width: 100%; box-sizing: border-box; padding: .75rem 1rem; font: inherit }
form + form { margin-top: 2rem }
button:has(span) { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 1rem; overflow-wrap: anywhere }
button span { grid-column: 1 / -1; opacity: .75 }
</style></head>
<body><h1>${title}</h1>
${content}
<p>This is the identity provider for development. It lets everybody in.</p>
</body></html>`;
}

function html(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
