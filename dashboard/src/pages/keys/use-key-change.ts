import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { InferInput } from 'valibot';
import type { KeyChange } from '#contract/accounts/keys.ts';
import { keyRoutes } from '#contract/routes/keys.ts';
import { perform } from '../../api/call.ts';
import { toApiError } from '../../api/http/api-error.ts';
import type { KeyRecord } from '../../api/keys/key-list.ts';
import { notify } from '../../components/feedback/notifications.tsx';

interface Change {
  readonly id: string;
  readonly to: InferInput<typeof KeyChange>;
}

const queryKey = [keyRoutes.listKeys.id, {}];

/** Changes a key's name or state: shown immediately, reverted with a notice when refused. */
export function useKeyChange() {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: ({ id, to }: Change) => perform(keyRoutes.changeKey, { path: { id }, body: to }),
    onMutate: async ({ id, to: { name, status } }) => {
      await client.cancelQueries({ queryKey });
      const before = client.getQueryData<KeyRecord[]>(queryKey);
      const changed = before?.map((key) =>
        key.id === id ? { ...key, ...(name !== undefined && { name }), ...(status && { status }) } : key,
      );
      client.setQueryData(queryKey, changed);
      return before;
    },
    onError: (error, _, before) => {
      client.setQueryData(queryKey, before);
      notify({ message: toApiError(error).message, color: 'red' });
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
  return { change: (id: string, to: Change['to']) => mutate({ id, to }) };
}
