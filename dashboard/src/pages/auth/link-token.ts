import { useState } from 'react';

/** The token of the mailed link that led here; empty without one. */
export function useLinkToken(): string {
  const [token] = useState(() => new URLSearchParams(window.location.search).get('token') ?? '');
  return token;
}

/** Takes the token out of the address, so that the history does not keep it for whoever comes next. */
export function forgetLinkToken(): void {
  window.history.replaceState(window.history.state, '', window.location.pathname);
}
