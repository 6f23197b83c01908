import type { ReactNode } from 'react';
import { Confirmations } from './confirm.tsx';
import { Shell } from './shell.tsx';

/** What is around every page but those to sign in, and the dialogs of all of them. */
export default function Frame({ children }: { readonly children: ReactNode }) {
  return (
    <>
      <Shell>{children}</Shell>
      <Confirmations />
    </>
  );
}
