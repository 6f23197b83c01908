import { Button } from '@mantine/core';
import { useState } from 'react';
import { useConfig } from '../../api/config.ts';
import { Icon } from '../../components/icon.tsx';

/** Token from the link in an email, or an empty string. */
export function useLinkToken(): string {
  const [token] = useState(() => new URLSearchParams(window.location.search).get('token') ?? '');
  return token;
}

/** Removes the token from the URL, so that the browser history does not keep it. */
export function forgetLinkToken(): void {
  window.history.replaceState(window.history.state, '', window.location.pathname);
}

/** Link to the inbox of the local service, which stores emails instead of sending them. */
export function InboxLink() {
  if (!useConfig().local) return null;
  return (
    <Button component="a" href="/_local/inbox" size="md" leftSection={<Icon name="mail" />}>
      Open local inbox
    </Button>
  );
}
