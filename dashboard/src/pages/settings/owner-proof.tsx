import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { PasswordInput, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { type ApiForm, type ApiFormOptions, type Form, useApiForm } from '../../api/form.ts';
import { useMe } from '../../api/reads.ts';
import { toApiError } from '../../api/response.ts';
import { FactorField, factorOf } from '../../components/credential-fields.tsx';
import { FormFoot } from '../../components/notice.tsx';
import { GoogleToken } from '../auth/google.tsx';

/**
 * Form fields that prove the owner of the account. The user fills in the first or the second, and the third if asked.
 */
export const noProof = { password: '', identityToken: '', factor: '' };
type Proof = typeof noProof;

/** Returns the filled-in fields for the request body. */
export function proofOf({ password, identityToken, factor }: Proof) {
  return {
    ...(password !== '' && { password }),
    ...(identityToken !== '' && { identityToken }),
    ...(factor !== '' && factorOf(factor)),
  };
}

/** Shows a refused proof next to its field. */
export function useProofFields() {
  const { data: me } = useMe();
  const wrong = me?.hasSecondFactor ? t`Incorrect password or code` : t`Incorrect password`;
  return {
    INVALID_CREDENTIALS:
      (me?.hasPassword ?? true)
        ? { field: 'password', text: wrong }
        : { field: 'identityToken', text: t`Confirm with Google first` },
    INVALID_IDENTITY_TOKEN: { field: 'identityToken', text: t`Google did not confirm this account. Try again.` },
    SECOND_FACTOR_REQUIRED: { field: 'factor', text: t`Code is required` },
  };
}

/** A form that asks for a proof after the first refusal, if the sign-in is too old. */
export function useLateProof<Values extends Proof, Result>(options: Omit<ApiFormOptions<Values, Result>, 'fieldOf'>) {
  const [isNeeded, setNeeded] = useState(false);
  const fields = useProofFields();
  const { field } = fields.INVALID_CREDENTIALS;
  const first = { field, text: t`You signed in more than 10 minutes ago. Confirm that it is you.` };
  const form = useApiForm({
    ...options,
    labels: { ...options.labels, password: t`Password`, factor: t`Code` },
    act: async (values: Values) => {
      try {
        return await options.act(values);
      } catch (error) {
        const { code } = toApiError(error);
        if (code === 'INVALID_CREDENTIALS' || code === 'SECOND_FACTOR_REQUIRED') setNeeded(true);
        throw error;
      }
    },
    fieldOf: { ...fields, ...(!isNeeded && { INVALID_CREDENTIALS: first }) },
  });
  return { ...form, isNeeded };
}

interface LateProofFormProps<Values extends Proof> {
  readonly late: ApiForm<Values> & { readonly isNeeded: boolean };
  /** Fields and texts above the proof. */
  readonly children?: ReactNode;
  /** Label of the submit button. */
  readonly action: string;
  readonly isDanger?: boolean;
}

export function LateProofForm<Values extends Proof>(props: LateProofFormProps<Values>) {
  const { late, children, action, isDanger = false } = props;
  const { form, submit, isRunning, error, isNeeded } = late;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {children}
        {isNeeded && <OwnerProof fieldOf={form.getInputProps} />}
        <FormFoot error={error} isRunning={isRunning} asksPassword={isNeeded} {...(isDanger && { color: 'red.8' })}>
          {action}
        </FormFoot>
      </Stack>
    </form>
  );
}

type FieldProps = ReturnType<Form<Proof>['getInputProps']>;

/** The password, or Google for users without one, and the second factor of an account that has one. */
export function OwnerProof({ fieldOf }: { readonly fieldOf: (name: keyof Proof) => FieldProps }) {
  const { data: me } = useMe();
  return (
    <>
      {(me?.hasPassword ?? true) ? (
        <PasswordInput label={t`Password`} autoComplete="current-password" {...fieldOf('password')} />
      ) : (
        <GoogleProof {...fieldOf('identityToken')} />
      )}
      {me?.hasSecondFactor && <FactorField {...fieldOf('factor')} />}
    </>
  );
}

function GoogleProof({ value, error, onChange }: FieldProps) {
  if (value !== '' && error === undefined)
    return (
      <Text size="sm">
        <Trans>Confirmed with Google.</Trans>
      </Text>
    );
  return (
    <div>
      <GoogleToken label={t`Confirm with Google`} onToken={onChange} />
      {error !== undefined && (
        <Text size="sm" mt={4} role="alert" style={{ color: 'var(--danger-ink)' }}>
          {error}
        </Text>
      )}
    </div>
  );
}
