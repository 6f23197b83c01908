import { useQuery } from '@tanstack/react-query';

/**
 * Accounts known here to be unconfirmed. The API tells it only by refusing (ACCOUNT_NOT_CONFIRMED), so what was
 * learnt by registering or by a refusal is kept until the confirmation.
 */
const name = 'unconfirmed-account';
export const confirmationKey = 'confirmation';

export const unconfirmed = {
  add: (accountId: number): void => localStorage.setItem(name, String(accountId)),
  clear: (): void => localStorage.removeItem(name),
};

/** True where this browser knows that the account's address is not confirmed. */
export function useUnconfirmed(accountId: number | undefined): boolean {
  const { data = false } = useQuery({
    queryKey: [confirmationKey, accountId],
    queryFn: () => localStorage.getItem(name) === String(accountId),
    enabled: accountId !== undefined,
    staleTime: 0,
  });
  return data;
}
