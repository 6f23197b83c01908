import { Anchor, Button, Divider, PasswordInput, Stack, TextInput } from '@mantine/core';
import { Link, useLocation, useSearch } from 'wouter';
import { Login } from '#contract/accounts/accounts.ts';
import { signInRoutes } from '#contract/routes/accounts/sign-in.ts';
import { call } from '../../api/call.ts';
import { useApiForm } from '../../api/forms/use-api-form.ts';
import { useLocalStatus } from '../../api/local-service.ts';
import { beginSession } from '../../api/session.ts';
import { Notice } from '../../components/feedback/notice.tsx';
import { FormFoot } from '../../components/forms/form-foot.tsx';
import { returnPath } from '../../lib/return-path.ts';
import { GoogleSignIn } from './google/google-sign-in.tsx';
import { AuthLayout } from './layout/auth-layout.tsx';
import { useOwnDocument } from './use-own-document.ts';
import { useSignedInRedirect } from './use-signed-in-redirect.ts';

const labels = { email: 'Email', password: 'Password' };

export default function LoginPage() {
  useOwnDocument();
  const [, go] = useLocation();
  const search = useSearch();
  const demo = useLocalStatus()?.demo;
  const isConfirming = returnPath(search).startsWith('/confirm?');
  const enter = () => go(returnPath(search), { replace: true });
  useSignedInRedirect(enter);
  const { form, submit, isRunning, error } = useApiForm({
    initial: { email: '', password: '' },
    schema: Login,
    labels,
    act: async (body) => beginSession(await call(signInRoutes.login, { body })),
    onDone: enter,
  });

  function useDemo(): void {
    if (demo) form.setValues({ email: demo.email, password: demo.password });
    submit();
  }

  return (
    <AuthLayout
      title="Sign in"
      lead="API keys, credits and usage in one place."
      foot={
        <>
          New here?{' '}
          <Anchor component={Link} href={`/register${search && `?${search}`}`} inherit fw={600}>
            Create an account
          </Anchor>
        </>
      }
    >
      <Stack gap="md">
        {isConfirming && (
          <Notice tone="info" icon="mail">
            Sign in to confirm your email.
          </Notice>
        )}
        {new URLSearchParams(search).has('ended') && (
          <Notice tone="warning">Your session has ended. Sign in to continue where you left off.</Notice>
        )}
        {new URLSearchParams(search).has('deleted') && (
          <Notice tone="info">Your account is deleted. Its API keys no longer work.</Notice>
        )}
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
            <TextInput label="Email" type="email" autoComplete="username" {...form.getInputProps('email')} />
            <PasswordInput label="Password" autoComplete="current-password" {...form.getInputProps('password')} />
            <Anchor component={Link} href="/forgot-password" size="sm" style={{ justifySelf: 'start' }} w="fit-content">
              Forgot password?
            </Anchor>
            <FormFoot error={error} isRunning={isRunning} asksPassword fullWidth size="md">
              Sign in
            </FormFoot>
          </Stack>
        </form>
        <GoogleSignIn onDone={enter} />
        {demo && (
          <>
            <Divider label="local development" />
            <Button variant="default" fullWidth onClick={useDemo} disabled={isRunning}>
              Use the demo account
            </Button>
          </>
        )}
      </Stack>
    </AuthLayout>
  );
}
