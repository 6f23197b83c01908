import { PasswordInput, Text } from '@mantine/core';
import type { Form } from '../../api/form.ts';
import { useMe } from '../../api/reads.ts';
import { GoogleToken } from '../auth/google.tsx';

/** Form fields that prove the owner of the account. The user fills in one of them. */
export const noProof = { password: '', identityToken: '' };

/** Returns the filled-in field for the request body. */
export function proofOf({ password, identityToken }: typeof noProof) {
  return { ...(password !== '' && { password }), ...(identityToken !== '' && { identityToken }) };
}

/** Shows a refused proof next to its field. */
export const proofFields = (hasPassword: boolean) => ({
  INVALID_CREDENTIALS: hasPassword
    ? { field: 'password', text: 'Incorrect password' }
    : { field: 'identityToken', text: 'Confirm with Google first' },
  INVALID_IDENTITY_TOKEN: { field: 'identityToken', text: 'Google did not confirm this account. Try again.' },
});

type FieldProps = ReturnType<Form<typeof noProof>['getInputProps']>;

/** Password field. Users without a password confirm with Google instead. */
export function OwnerProof({ password, identityToken }: Record<keyof typeof noProof, FieldProps>) {
  const { data: me } = useMe();
  if (me?.hasPassword ?? true) return <PasswordInput label="Password" autoComplete="current-password" {...password} />;
  const { value, error, onChange } = identityToken;
  if (value !== '' && error === undefined) return <Text size="sm">Confirmed with Google.</Text>;
  return (
    <div>
      <GoogleToken label="Confirm with Google" onToken={onChange} />
      {error !== undefined && (
        <Text size="sm" mt={4} role="alert" style={{ color: 'var(--danger-ink)' }}>
          {error}
        </Text>
      )}
    </div>
  );
}
