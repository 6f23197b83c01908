import { Stack, Text, TextInput } from '@mantine/core';
import * as v from 'valibot';
import { EmailChange } from '#contract/accounts/accounts.ts';
import { accountRoutes } from '#contract/routes/accounts/accounts.ts';
import { perform } from '../../api/call.ts';
import { useApiForm } from '../../api/forms/use-api-form.ts';
import { useMe } from '../../api/reads.ts';
import { notify } from '../../components/feedback/notifications.tsx';
import { FormFoot } from '../../components/forms/form-foot.tsx';
import { noProof, OwnerProof, proofFields, proofOf } from './owner-proof.tsx';

/** Requests a change of the email address, with a proof of the owner. */
export function EmailForm({ onRequested }: { onRequested: () => void }) {
  const { data: me } = useMe();
  const hasPassword = me?.hasPassword ?? true;
  const { form, submit, isRunning, error } = useApiForm({
    initial: { email: '', ...noProof },
    schema: v.omit(EmailChange, hasPassword ? ['identityToken'] : ['password', 'identityToken']),
    labels: { email: 'New email', password: 'Password' },
    act: ({ email, ...proof }) => perform(accountRoutes.requestEmailChange, { body: { email, ...proofOf(proof) } }),
    onDone: (_, { email }) => {
      notify({ message: `Links sent to ${me?.email ?? 'your email'} and ${email}.` });
      onRequested();
    },
    invalidates: [accountRoutes.me],
    fieldOf: proofFields(hasPassword),
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          A link goes to both addresses. Your email changes when both are confirmed, within 24 hours.
        </Text>
        <TextInput
          label="New email"
          type="email"
          autoComplete="email"
          data-autofocus
          {...form.getInputProps('email')}
        />
        <OwnerProof password={form.getInputProps('password')} identityToken={form.getInputProps('identityToken')} />
        <FormFoot error={error} isRunning={isRunning} asksPassword={hasPassword}>
          Send links
        </FormFoot>
      </Stack>
    </form>
  );
}
