import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect } from 'react';
import * as v from 'valibot';
import { Link, useLocation, useSearch } from 'wouter';
import { Login } from '#contract/accounts/accounts.ts';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { signInRoutes } from '#contract/routes/sign-in.ts';
import { clearTabMemory } from '../../api/account-storage.ts';
import { call, send } from '../../api/call.ts';
import { useConfig } from '../../api/config.ts';
import { useApiForm } from '../../api/form.ts';
import { ApiError, readJson, readResponse } from '../../api/response.ts';
import { hasTerms, TermsInSentence } from '../../components/brand.tsx';
import { FormFoot, Notice } from '../../components/notice.tsx';
import {
  beginSession,
  canUsePasskeys,
  emailIn,
  returnPath,
  secondStep,
  useOwnDocument,
  useSecondStep,
} from '../../components/session.ts';
import { lazyComponent } from '../../lib/load.ts';
import { AuthLayout, FootLink } from './auth-layout.tsx';
import { GoogleSignIn } from './google.tsx';

const PasskeySignIn = lazyComponent(async () => (await import('./passkey.tsx')).PasskeySignIn);
const SecondStep = lazyComponent(async () => (await import('./second-step.tsx')).SecondStep);

export default function LoginPage() {
  useOwnDocument();
  const [, go] = useLocation();
  const search = useSearch();
  const query = new URLSearchParams(search);
  const demo = useDemoAccount();
  const { googleClientId, local } = useConfig();
  const hasGoogle = googleClientId !== null || local;
  const isConfirming = returnPath(search).startsWith('/confirm?');
  const isInvited = returnPath(search).startsWith('/invitation?');
  const enter = () => go(returnPath(search), { replace: true });
  useSignedInRedirect(enter);
  const toSecondStep = useSecondStep();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { email: emailIn(returnPath(search)), password: '' },
    schema: Login,
    labels: { email: t`Email`, password: t`Password` },
    act: async (body) => beginSession(await call(signInRoutes.login, { body }).catch(toSecondStep)),
    onDone: enter,
  });

  function useDemo(): void {
    if (demo) form.setValues({ email: demo.email, password: demo.password });
    submit();
  }

  if (query.has(secondStep)) return <SecondStep query={query} onDone={enter} />;
  return (
    <AuthLayout
      title={t`Sign in`}
      lead={t`API keys, credits and usage in one place.`}
      foot={
        <Trans>
          New here? <FootLink href={`/register${search && `?${search}`}`}>Create an account</FootLink>
        </Trans>
      }
    >
      <Stack gap="md">
        {isConfirming && (
          <Notice tone="info" icon="mail">
            <Trans>Sign in to confirm your email.</Trans>
          </Notice>
        )}
        {isInvited && (
          <Notice tone="info" icon="mail">
            <Trans>Sign in with the email that received the invitation.</Trans>
          </Notice>
        )}
        {query.has('ended') && (
          <Notice tone="warning">
            <Trans>Your session has expired. Sign in again.</Trans>
          </Notice>
        )}
        {query.has('deleted') && (
          <Notice tone="info">
            <Trans>Your account is deleted. Its API keys no longer work.</Trans>
          </Notice>
        )}
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
            <TextInput label={t`Email`} type="email" autoComplete="username" {...form.getInputProps('email')} />
            <PasswordInput label={t`Password`} autoComplete="current-password" {...form.getInputProps('password')} />
            <Anchor component={Link} href="/forgot-password" size="sm" style={{ justifySelf: 'start' }} w="fit-content">
              <Trans>Forgot password?</Trans>
            </Anchor>
            <FormFoot error={error} isRunning={isRunning} asksPassword fullWidth size="md">
              <Trans>Sign in</Trans>
            </FormFoot>
          </Stack>
        </form>
        {canUsePasskeys() && (
          <Suspense fallback={<div style={{ height: 36 }} />}>
            <PasskeySignIn onDone={enter} />
          </Suspense>
        )}
        <GoogleSignIn onDone={enter} />
        {hasTerms && hasGoogle && (
          <Text size="sm" c="dimmed">
            <Trans>
              If you have no account, signing in with Google creates one, and you agree to the <TermsInSentence />.
            </Trans>
          </Text>
        )}
        {demo && (
          <>
            <Divider label={t`local development`} />
            <Button variant="default" fullWidth onClick={useDemo} disabled={isRunning}>
              <Trans>Use the demo account</Trans>
            </Button>
          </>
        )}
      </Stack>
    </AuthLayout>
  );
}

const LocalStatus = v.object({ demo: v.nullable(v.object({ email: v.string(), password: v.string() })) });

/** The demo account of a local service. */
function useDemoAccount() {
  const { local } = useConfig();
  const { data } = useQuery({
    queryKey: ['local'],
    queryFn: () => readJson('/_local/status', LocalStatus),
    enabled: local,
  });
  return data?.demo;
}

/** Redirects a signed-in user. Bypasses `loadCurrentUser`, since the document of a sign-in page has no account yet. */
function useSignedInRedirect(go: () => void): void {
  useEffect(() => {
    const control = new AbortController();
    async function look(): Promise<void> {
      try {
        await readResponse(accountRoutes.me, await send(accountRoutes.me, {}, { signal: control.signal }));
        if (!control.signal.aborted) go();
      } catch (error) {
        if (error instanceof ApiError && error.code === 'INVALID_API_KEY') clearTabMemory();
      }
    }
    void look();
    return () => control.abort();
    // `go` changes at each render, but the check runs once.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
}
