import type { ComponentProps } from 'react';
import { Confirmations } from '../overlays/confirm.tsx';
import { Shell } from './shell.tsx';

/** What is around every page but those to sign in, and the dialogs of all of them. */
export default function Frame(props: ComponentProps<typeof Shell>) {
  return (
    <>
      <Shell {...props} />
      <Confirmations />
    </>
  );
}
