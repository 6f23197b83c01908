import { Button, type ButtonProps, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiError } from '../../api/http/api-error.ts';
import { ErrorNotice } from '../feedback/error-notice.tsx';

interface FormFootProps extends ButtonProps {
  readonly error: ApiError | null;
  readonly isRunning: boolean;
  readonly asksPassword?: boolean;
  /** Label of the submit button. */
  readonly children: ReactNode;
}

/** The end of a form: what went wrong with it as a whole, and its button. */
export function FormFoot({ error, isRunning, asksPassword, children, ...button }: FormFootProps) {
  return (
    <Stack gap="sm" mt="xs">
      {error && <ErrorNotice error={error} asksPassword={asksPassword} />}
      <Button type="submit" loading={isRunning} {...button}>
        {children}
      </Button>
    </Stack>
  );
}
