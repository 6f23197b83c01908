import { useQuery } from '@tanstack/react-query';
import { readStored, removeStored, store } from '../lib/storage.ts';

/**
 * The account known here to be unconfirmed. The API returns it only in refusals (ACCOUNT_NOT_CONFIRMED), so it is
 * kept until the confirmation, or the end of the session.
 */
const name = 'unconfirmed-account';
export const confirmationKey = 'confirmation';

export const unconfirmed = {
  add: (accountId: number): void => void store('localStorage', name, String(accountId)),
  clear: (): void => removeStored('localStorage', name),
};

/** True where this browser knows that the account's address is not confirmed. */
export function useUnconfirmed(accountId: number | undefined): boolean {
  const { data = false } = useQuery({
    queryKey: [confirmationKey, accountId],
    queryFn: () => readStored('localStorage', name) === String(accountId),
    enabled: accountId !== undefined,
    staleTime: 0,
  });
  return data;
}
