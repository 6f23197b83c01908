import { useAction } from '../api/actions.ts';
import { toApiError } from '../api/response.ts';
import { signOut } from '../api/session.ts';
import { notify } from './notifications.tsx';

/** Signs out. If that fails, a notification says that the user is still signed in. */
export function useSignOut(): () => void {
  const { run } = useAction(() =>
    signOut().catch((error: unknown) => {
      notify({ message: `You are still signed in. ${toApiError(error).message}`, color: 'red' });
      throw error;
    }),
  );
  return () => void run(undefined);
}
