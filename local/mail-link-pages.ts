import { escapeHtml, pageLayout } from './page-layout.ts';

/** Where the links of mails lead as long as there is no dashboard: what to do with the token. */
export function confirmPage(apiUrl: string, token: string): string {
  const address = `${apiUrl}/auth/confirm?token=${pasteable(token)}`;
  return pageLayout(
    'Confirm your e-mail address',
    `<header><h1>Confirm your e-mail address</h1></header>
<section>
<h2>Signed in with this browser</h2>
<p><a href="${escapeHtml(address)}">Confirm now</a></p>
</section>
<section>
<h2>Signed in elsewhere</h2>
<p>Send the token along with the session cookie's value from register or login, or with an API key.</p>
<pre>${escapeHtml(`curl -s "${address}" -H "Authorization: Bearer SESSION_OR_KEY"`)}</pre>
</section>`,
  );
}

export function resetPasswordPage(apiUrl: string, token: string): string {
  const body = `{"token":"${pasteable(token)}","newPassword":"YOUR NEW PASSWORD"}`;
  return commandPage('Choose a new password', `${apiUrl}/auth/reset-password`, body);
}

export function forgotPasswordPage(apiUrl: string): string {
  return commandPage('Ask for a new password', `${apiUrl}/auth/forgot-password`, '{"email":"YOUR E-MAIL ADDRESS"}');
}

function commandPage(title: string, address: string, body: string): string {
  const line = `curl -s ${address} -H "Content-Type: application/json" -d '${body}'`;
  return pageLayout(
    title,
    `<header><h1>${title}</h1></header>
<section>
<p>Put yours into this line and run it in a terminal.</p>
<pre>${escapeHtml(line)}</pre>
</section>`,
  );
}

/** Only what a token is made of, so that a link cannot put a command of its own into a line to paste. */
function pasteable(token: string): string {
  return token.replaceAll(/[^\w.~-]/g, '');
}
