import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { planReads } from '../../../api/reads.ts';
import { useAction } from '../../../api/use-data.ts';
import { ErrorNotice } from '../../../components/feedback/error-notice.tsx';
import { notify } from '../../../components/feedback/notifications.tsx';

interface ChangeButtonProps {
  readonly act: () => Promise<unknown>;
  /** The confirmation shown afterwards. */
  readonly done: string;
  readonly onDone: () => void;
  readonly children: ReactNode;
}

/** Changes the plan, and confirms it. */
export function ChangeButton({ act, done, onDone, children }: ChangeButtonProps) {
  const { run, isRunning, error } = useAction(async () => ({ result: await act() }), planReads);
  async function change(): Promise<void> {
    if (!(await run(undefined))) return;
    notify({ message: done });
    onDone();
  }
  return (
    <Stack gap="sm">
      {error && <ErrorNotice error={error} />}
      <Button loading={isRunning} onClick={() => void change()} data-autofocus>
        {children}
      </Button>
    </Stack>
  );
}
