import { t } from '@lingui/core/macro';
import { TextInput, type TextInputProps } from '@mantine/core';

/** A code of the app has six digits. Everything else is a recovery code. */
export function factorOf(factor: string) {
  const code = factor.replaceAll(/\s/g, '');
  return /^\d{6}$/.test(code) ? { code } : { recoveryCode: factor };
}

/** A field for the code of an account with two-step sign-in. */
export function FactorField(field: TextInputProps) {
  return (
    <TextInput
      label={t`Code`}
      description={t`From your authenticator app, or a recovery code`}
      autoComplete="one-time-code"
      {...field}
    />
  );
}
