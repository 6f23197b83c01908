import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Anchor, Button, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Owner } from '../../../api/account-storage.ts';
import { documentOwner } from '../../../api/account.ts';
import { Icon } from '../../../components/icon.tsx';
import { Modal } from '../../../components/overlays.tsx';
import css from './chat.module.css';
import {
  deletePreset,
  listPresets,
  maxNameLength,
  named,
  type Preset,
  type PresetValues,
  presetRefusal,
  savePreset,
} from './presets.ts';

interface PresetsProps {
  /** Values to save. */
  readonly current: PresetValues;
  readonly onLoad: (values: PresetValues) => void;
  readonly onClose: () => void;
}

export function PresetsDialog({ isOpen, ...props }: PresetsProps & { readonly isOpen: boolean }) {
  const owner = documentOwner();
  return (
    <Modal opened={isOpen} onClose={props.onClose} title={t`Presets`} size="lg">
      {owner !== undefined && <Presets owner={owner} {...props} />}
    </Modal>
  );
}

function Presets({ owner, current, onLoad, onClose }: PresetsProps & { readonly owner: Owner }) {
  const [presets, setPresets] = useState(() => listPresets(owner));
  const [deleted, setDeleted] = useState<Preset>();
  const name = deleted?.name;
  const reload = (): void => setPresets(listPresets(owner));

  function remove(preset: Preset): void {
    deletePreset(owner, preset);
    setDeleted(preset);
    reload();
  }

  function restore(preset: Preset): void {
    savePreset(owner, preset);
    setDeleted(undefined);
    reload();
  }

  return (
    <Stack>
      <SaveForm owner={owner} presets={presets} current={current} onSaved={reload} />
      {presets.length === 0 ? (
        <Text size="sm" c="dimmed">
          <Trans>No presets yet.</Trans>
        </Text>
      ) : (
        <ul className={css.list} aria-label={t`Presets`}>
          {presets.map((preset) => (
            <li key={preset.id}>
              <PresetName preset={preset} />
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t`Load ${{ name: preset.name }}`}
                onClick={() => {
                  onLoad(preset.values);
                  onClose();
                }}
              >
                <Trans>Load</Trans>
              </Button>
              <Tooltip label={t`Delete`}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t`Delete ${{ name: preset.name }}`}
                  onClick={() => remove(preset)}
                >
                  <Icon name="trash" size={16} />
                </ActionIcon>
              </Tooltip>
            </li>
          ))}
        </ul>
      )}
      {deleted && (
        <Text size="sm" role="status">
          <Trans>
            <bdi>{name}</bdi> was deleted.{' '}
            <Anchor component="button" type="button" inherit onClick={() => restore(deleted)}>
              Undo
            </Anchor>
          </Trans>
        </Text>
      )}
      <Text size="sm" c="dimmed">
        <Trans>
          Presets are saved in this browser, for this account, until you sign out. They do not include messages.
        </Trans>
      </Text>
    </Stack>
  );
}

const PresetName = ({ preset: { name, values } }: { preset: Preset }) => (
  <div className={css.name}>
    <Text size="sm" fw={500} truncate dir="auto">
      {name}
    </Text>
    <Text size="xs" c="dimmed" truncate dir="auto">
      {values.sampling.model}
      {values.system !== '' && `, ${values.system}`}
    </Text>
  </div>
);

interface SaveFormProps {
  readonly owner: Owner;
  readonly presets: readonly Preset[];
  readonly current: PresetValues;
  readonly onSaved: () => void;
}

function SaveForm({ owner, presets, current, onSaved }: SaveFormProps) {
  const [name, setName] = useState('');
  const [error, setError] = useState<string>();
  const replaced = named(presets, name);

  function save(event: FormEvent): void {
    event.preventDefault();
    const refused = presetRefusal(presets, name, current);
    if (refused !== undefined) return setError(refused);
    const id = replaced?.id ?? crypto.randomUUID();
    if (!savePreset(owner, { id, name: name.trim(), values: current }))
      return setError(t`Can't save the preset because browser storage is full or disabled`);
    setName('');
    onSaved();
  }

  return (
    <form onSubmit={save} noValidate className={css.form}>
      <TextInput
        label={t`Name`}
        description={t`Saves model, parameters, system message and functions`}
        data-autofocus
        maxLength={maxNameLength}
        value={name}
        error={error}
        onChange={(event) => {
          setName(event.currentTarget.value);
          setError(undefined);
        }}
      />
      <Button type="submit">{replaced ? t`Replace` : t`Save`}</Button>
    </form>
  );
}
