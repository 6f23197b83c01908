import { useConfig } from '../../../api/config.ts';
import { GoogleButton } from './google-button.tsx';
import { LocalGoogle } from './local-google.tsx';

interface GoogleTokenProps {
  readonly label: string;
  readonly onToken: (token: string) => void;
}

/** Button that requests an identity token from Google, if configured, or from the local issuer. */
export function GoogleToken({ label, onToken }: GoogleTokenProps) {
  const { googleClientId, local } = useConfig();
  if (googleClientId !== null) return <GoogleButton clientId={googleClientId} onToken={onToken} />;
  return local ? <LocalGoogle onToken={onToken} label={label} /> : null;
}
