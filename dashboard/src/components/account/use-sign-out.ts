import { toApiError } from '../../api/http/api-error.ts';
import { signOut } from '../../api/session.ts';
import { useAction } from '../../api/use-data.ts';
import { notify } from '../feedback/notifications.tsx';

/** Signs out; where that fails, a notification shows that the session goes on. */
export function useSignOut(): () => void {
  const { run } = useAction(() =>
    signOut().catch((error: unknown) => {
      notify({ message: `You are still signed in. ${toApiError(error).message}`, color: 'red' });
      throw error;
    }),
  );
  return () => void run(undefined);
}
