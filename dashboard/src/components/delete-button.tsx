import { t } from '@lingui/core/macro';
import { ActionIcon } from '@mantine/core';
import type { Route } from '#contract/http/route.ts';
import { useAction } from '../api/actions.ts';
import { rescueFocus } from '../lib/focus.ts';
import { Icon, Tip } from './icon.tsx';
import { notifyError } from './notifications.tsx';
import { confirm, type ConfirmOptions } from './overlays.tsx';

interface DeleteButtonProps {
  /** Names the item for screen readers. */
  readonly label: string;
  readonly question: Omit<ConfirmOptions, 'onConfirm'>;
  readonly onDelete: () => Promise<void>;
  /** Lists to refetch, even if the deletion fails. */
  readonly invalidates: readonly Route[];
}

/** Deletes a row of a list after a confirmation. */
export function DeleteButton({ label, question, onDelete, invalidates }: DeleteButtonProps) {
  const deletion = useAction(async () => {
    await onDelete().catch(notifyError);
    rescueFocus();
  }, invalidates);
  return (
    <Tip label={t`Delete`}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={label}
        loading={deletion.isRunning}
        onClick={() => confirm({ ...question, onConfirm: () => void deletion.run(undefined) })}
      >
        <Icon name="trash" />
      </ActionIcon>
    </Tip>
  );
}
