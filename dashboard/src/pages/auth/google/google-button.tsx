import { Box } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { loadGoogle } from './load-google.ts';

/** Google's own button, which its script draws (Google Identity Services, "Sign in with Google JavaScript API"). */
export function GoogleButton({ clientId, onToken }: { clientId: string; onToken: (token: string) => void }) {
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
