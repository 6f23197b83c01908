/** What is used of Google Identity Services. */
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

/** Loads Google's script once; only pages with its button call this. Never resolves where it cannot be had. */
export function loadGoogle(): Promise<GoogleIdentity> {
  loading ??= new Promise((resolve) => {
    const script = document.createElement('script');
    script.src = 'https://accounts.google.com/gsi/client';
    script.addEventListener('load', () => window.google && resolve(window.google.accounts.id));
    document.head.append(script);
  });
  return loading;
}
