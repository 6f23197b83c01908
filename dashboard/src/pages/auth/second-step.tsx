import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import * as v from 'valibot';
import { totpCode } from '#contract/accounts/accounts.ts';
import { secondFactorRoutes } from '#contract/routes/second-factor.ts';
import { text } from '#contract/shared/fields.ts';
import { call } from '../../api/call.ts';
import { useApiForm } from '../../api/form.ts';
import { FormFoot } from '../../components/notice.tsx';
import { beginSession, secondStep } from '../../components/session.ts';
import { AuthLayout, FootLink } from './auth-layout.tsx';

const schemas = { code: v.object({ value: totpCode }), recoveryCode: v.object({ value: text(64) }) };

interface SecondStepProps {
  /** Query of the sign-in page. */
  readonly query: URLSearchParams;
  readonly onDone: () => void;
}

/** The second step of a sign-in, within 5 minutes of the first. */
export function SecondStep({ query, onDone }: SecondStepProps) {
  const first = new URLSearchParams(query);
  first.delete(secondStep);
  return (
    <AuthLayout
      title={t`Two-step sign-in`}
      lead={t`Your account asks for a second step.`}
      foot={
        <FootLink href={`/login?${first.toString()}`}>
          <Trans>Back to sign in</Trans>
        </FootLink>
      }
    >
      <CodeForm onDone={onDone} />
    </AuthLayout>
  );
}

function CodeForm({ onDone }: Pick<SecondStepProps, 'onDone'>) {
  const [kind, setKind] = useState<keyof typeof schemas>('code');
  const isApp = kind === 'code';
  const label = isApp ? t`Code` : t`Recovery code`;
  const { form, submit, isRunning, error } = useApiForm({
    initial: { value: '' },
    schema: schemas[kind],
    labels: { value: label },
    act: async ({ value }) => beginSession(await call(secondFactorRoutes.completeSignIn, { body: { [kind]: value } })),
    onDone,
    fieldOf: { INVALID_CREDENTIALS: { field: 'value' } },
  });
  function toggle(): void {
    form.reset();
    setKind(isApp ? 'recoveryCode' : 'code');
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          key={kind}
          label={label}
          description={isApp ? t`Six digits, from your authenticator app` : t`Each one works once`}
          autoComplete={isApp ? 'one-time-code' : 'off'}
          inputMode={isApp ? 'numeric' : 'text'}
          autoFocus
          {...form.getInputProps('value')}
        />
        <Anchor component="button" type="button" size="sm" onClick={toggle} w="fit-content">
          {isApp ? t`Use a recovery code` : t`Use the authenticator app`}
        </Anchor>
        <FormFoot error={error} isRunning={isRunning} fullWidth size="md">
          <Trans>Continue</Trans>
        </FormFoot>
      </Stack>
    </form>
  );
}
