import { ActionIcon } from '@mantine/core';
import { CopyButton } from '../../../../components/elements/copy-button.tsx';
import { Icon, type IconName } from '../../../../components/elements/icon.tsx';
import { Tip } from '../../../../components/elements/tip.tsx';
import css from './messages.module.css';

interface MessageActionsProps {
  readonly text: string;
  /** Their place is kept, so that nothing moves when they come. */
  readonly isHidden: boolean;
  readonly onEdit: (() => void) | undefined;
  /** True where the focus returns from an editor that was cancelled. */
  readonly hasEditFocus: boolean;
  readonly onRegenerate: (() => void) | undefined;
  readonly onDelete: () => void;
}

/** What can be done with a message. */
export function MessageActions(props: MessageActionsProps) {
  const { text, isHidden, onEdit, hasEditFocus, onRegenerate, onDelete } = props;
  return (
    <div className={css.actions} style={{ visibility: isHidden ? 'hidden' : undefined }}>
      <CopyButton value={text} what="message" />
      {onEdit && <Action icon="edit" label="Edit message" onClick={onEdit} hasFocus={hasEditFocus} />}
      {onRegenerate && <Action icon="regenerate" label="Regenerate" onClick={onRegenerate} />}
      <Action icon="trash" label="Delete message" onClick={onDelete} />
    </div>
  );
}

interface ActionProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly hasFocus?: boolean;
}

function Action({ icon, label, onClick, hasFocus = false }: ActionProps) {
  return (
    <Tip label={label}>
      <ActionIcon variant="subtle" color="gray" onClick={onClick} aria-label={label} autoFocus={hasFocus}>
        <Icon name={icon} size={16} />
      </ActionIcon>
    </Tip>
  );
}
