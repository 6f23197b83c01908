import { Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keyRoutes } from '#contract/routes/keys.ts';
import { perform } from '../../api/call.ts';
import { toApiError } from '../../api/http/api-error.ts';
import type { KeyRecord } from '../../api/keys/key-list.ts';
import { useAction } from '../../api/use-data.ts';
import { notify } from '../../components/feedback/notifications.tsx';
import { confirm } from '../../components/overlays/confirm.tsx';
import { useMenuTarget } from '../../components/overlays/use-menu-target.ts';
import { useOpening } from '../../lib/hooks/use-opening.ts';
import { rescueFocus } from '../../lib/rescue-focus.ts';
import { LimitsDialog } from './dialogs/limits-dialog.tsx';
import { RenameDialog } from './dialogs/rename-dialog.tsx';
import { RotateDialog } from './dialogs/rotate-dialog.tsx';
import { KeyMenuButton } from './key-menu-button.tsx';
import { useKeyChange } from './use-key-change.ts';

interface KeyPopupProps {
  readonly apiKey: KeyRecord;
  readonly isOpen: boolean;
  readonly onChange: (isOpen: boolean) => void;
}

/** The actions of a key by its status; every key that has not ended can be revoked. */
export default function KeyPopup({ apiKey, isOpen, onChange }: KeyPopupProps) {
  const [isRenaming, renaming] = useDisclosure(false);
  const [isRotating, rotating] = useDisclosure(false);
  const [isLimiting, limiting] = useDisclosure(false);
  const { change } = useKeyChange();
  const { ref, opening } = useMenuTarget();
  const revoke = useAction(
    () =>
      perform(keyRoutes.revokeKey, { path: { id: apiKey.id } }).then(
        () => 'is revoked.',
        (error: unknown) => {
          if (toApiError(error).status === 404) return 'no longer exists.';
          throw error;
        },
      ),
    [keyRoutes.listKeys],
  );
  const { id, name, status } = apiKey;
  const canChange = status === 'active' || status === 'suspended';

  async function end(): Promise<void> {
    const done = await revoke.run(undefined);
    rescueFocus();
    if (done !== undefined) notify({ message: `“${name}” ${done}` });
    else notify({ message: `“${name}” could not be revoked. Try again.`, color: 'red' });
  }

  const askToRevoke = () =>
    confirm({
      title: `Revoke “${name}”?`,
      text: `Calls with this key are rejected immediately. This cannot be undone${status === 'active' ? '; to replace a key without downtime, rotate it.' : '.'}`,
      action: 'Revoke key',
      onConfirm: () => void end(),
    });

  return (
    <>
      <Menu position="bottom-end" width={190} opened={useOpening(isOpen)} onChange={onChange}>
        <Menu.Target>
          <KeyMenuButton ref={ref} name={name} autoFocus />
        </Menu.Target>
        <Menu.Dropdown>
          {canChange && <Menu.Item onClick={opening(renaming.open)}>Rename</Menu.Item>}
          {canChange && <Menu.Item onClick={opening(limiting.open)}>Edit limits</Menu.Item>}
          {status === 'active' && <Menu.Item onClick={() => change(id, { status: 'suspended' })}>Suspend</Menu.Item>}
          {status === 'suspended' && <Menu.Item onClick={() => change(id, { status: 'active' })}>Resume</Menu.Item>}
          {status === 'active' && <Menu.Item onClick={opening(rotating.open)}>Rotate</Menu.Item>}
          {canChange && <Menu.Divider role="separator" />}
          <Menu.Item c="var(--danger-ink)" onClick={opening(askToRevoke)}>
            Revoke
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <RenameDialog apiKey={apiKey} isOpen={isRenaming} onClose={renaming.close} />
      <LimitsDialog apiKey={apiKey} isOpen={isLimiting} onClose={limiting.close} />
      <RotateDialog apiKey={apiKey} isOpen={isRotating} onClose={rotating.close} />
    </>
  );
}
