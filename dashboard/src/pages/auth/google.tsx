import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Box, Button, Divider, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import { signInRoutes } from '#contract/routes/sign-in.ts';
import { useAction } from '../../api/actions.ts';
import { call } from '../../api/call.ts';
import { useConfig } from '../../api/config.ts';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { beginSession, useSecondStep } from '../../components/session.ts';
import { language } from '../../lib/language.ts';
import { lateDialog } from '../../lib/load.ts';

interface GoogleSignInProps {
  readonly onDone: () => void;
  /** Button label for a signed-in user. Defaults to "Continue with Google", below the form. */
  readonly label?: string;
}

/** Google sign-in if configured. In local mode, a local issuer takes its place. */
export function GoogleSignIn({ onDone, label }: GoogleSignInProps) {
  const { googleClientId, local } = useConfig();
  const toSecondStep = useSecondStep();
  const { run, error } = useAction(
    async (token: string) => {
      const user = await call(signInRoutes.loginWithGoogle, { body: { token, language } }).catch(toSecondStep);
      await beginSession(user);
      return user;
    },
    [signInRoutes.listSessions],
  );
  const enter = (token: string) => void run(token).then((user) => user && onDone());
  if (googleClientId === null && !local) return null;
  return (
    <Stack gap="sm">
      {label === undefined && (
        <Divider label={t({ message: 'or', comment: 'Between the form and “Continue with Google”' })} />
      )}
      <GoogleToken label={label ?? t`Continue with Google`} onToken={enter} />
      {error?.code === 'IDENTITY_NOT_LINKED' ? (
        <Notice tone="warning">
          <Trans>
            This email has an account with a password. Sign in with the password, then link Google in Settings.
          </Trans>
        </Notice>
      ) : (
        error && <ErrorNotice error={error} />
      )}
    </Stack>
  );
}

interface GoogleTokenProps {
  readonly label: string;
  readonly onToken: (token: string) => void;
}

export function GoogleToken({ label, onToken }: GoogleTokenProps) {
  const { googleClientId, local } = useConfig();
  if (googleClientId !== null) return <GoogleButton clientId={googleClientId} onToken={onToken} />;
  return local ? <LocalGoogle onToken={onToken} label={label} /> : null;
}

/** Google's own button, drawn by its script (Google Identity Services, "Sign in with Google JavaScript API"). */
function GoogleButton({ clientId, onToken }: { clientId: string; onToken: (token: string) => void }) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(onToken);
  latest.current = onToken;
  useEffect(() => {
    let isGone = false;
    async function draw(): Promise<void> {
      const identity = await loadGoogle();
      if (isGone || !place.current) return;
      identity.initialize({ client_id: clientId, callback: ({ credential }) => latest.current(credential) });
      identity.renderButton(place.current, { theme: 'outline', size: 'large', width: 320 });
    }
    void draw();
    return () => {
      isGone = true;
    };
  }, [clientId]);
  return <Box ref={place} mih={44} style={{ display: 'grid', placeItems: 'center' }} />;
}

/** The part of Google Identity Services used here. */
interface GoogleIdentity {
  initialize(options: { client_id: string; callback: (response: { credential: string }) => void }): void;
  renderButton(place: HTMLElement, options: { theme: string; size: string; width: number }): void;
}

declare global {
  interface Window {
    google?: { accounts: { id: GoogleIdentity } };
  }
}

let loading: Promise<GoogleIdentity> | undefined;

/** Loads Google's script once. Never resolves if the script cannot be loaded. */
function loadGoogle(): Promise<GoogleIdentity> {
  loading ??= new Promise((resolve) => {
    const script = document.createElement('script');
    script.src = 'https://accounts.google.com/gsi/client';
    script.addEventListener('load', () => window.google && resolve(window.google.accounts.id));
    document.head.append(script);
  });
  return loading;
}

const LocalGoogleDialog = lateDialog(async () => (await import('./local-google-dialog.tsx')).LocalGoogleDialog);

function LocalGoogle({ onToken, label }: { onToken: (token: string) => void; label: string }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" fullWidth leftSection={<GoogleMark />} onClick={open}>
        {label}
      </Button>
      <LocalGoogleDialog isOpen={isOpen} onClose={close} onToken={onToken} />
    </>
  );
}

function GoogleMark() {
  return (
    <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true" focusable="false">
      <path
        fill="#4285F4"
        d="M17.6 9.2c0-.6-.1-1.2-.2-1.7H9v3.3h4.8a4.1 4.1 0 0 1-1.8 2.7v2.3h2.9c1.7-1.6 2.7-3.9 2.7-6.6"
      />
      <path fill="#34A853" d="M9 18c2.4 0 4.5-.8 6-2.2l-3-2.3a5.4 5.4 0 0 1-8-2.8H1v2.3A9 9 0 0 0 9 18" />
      <path fill="#FBBC05" d="M4 10.7a5.4 5.4 0 0 1 0-3.4V5H1a9 9 0 0 0 0 8z" />
      <path fill="#EA4335" d="M9 3.6c1.3 0 2.5.5 3.4 1.3L15 2.3A9 9 0 0 0 1 5l3 2.3a5.4 5.4 0 0 1 5-3.7" />
    </svg>
  );
}
