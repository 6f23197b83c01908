import { useConfig } from '../../../api/config.ts';
import { GoogleButton } from './google-button.tsx';
import { LocalGoogle } from './local-google.tsx';

interface GoogleTokenProps {
  readonly label: string;
  readonly onToken: (token: string) => void;
}

/** A button that gets an identity token of Google where it is configured; on one machine the local issuer stands in. */
export function GoogleToken({ label, onToken }: GoogleTokenProps) {
  const { googleClientId, local } = useConfig();
  if (googleClientId !== null) return <GoogleButton clientId={googleClientId} onToken={onToken} />;
  return local ? <LocalGoogle onToken={onToken} label={label} /> : null;
}
