import { useState } from 'react';

/** Token from the link in an email, or an empty string. */
export function useLinkToken(): string {
  const [token] = useState(() => new URLSearchParams(window.location.search).get('token') ?? '');
  return token;
}

/** Removes the token from the URL, so that the browser history does not keep it. */
export function forgetLinkToken(): void {
  window.history.replaceState(window.history.state, '', window.location.pathname);
}
