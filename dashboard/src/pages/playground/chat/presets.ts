import { t } from '@lingui/core/macro';
import * as v from 'valibot';
import { forget, keep, kept, type Owner } from '../../../api/account-storage.ts';
import { Sampling } from '../tab/sampling.ts';

/** Maximum number of presets per account and browser. */
export const maxPresets = 50;
export const maxNameLength = 64;
/**
 * Maximum length of a preset as JSON, in UTF-16 units. All presets together use at most a fifth of the browser's quota.
 */
export const maxPresetLength = 20_000;

/** A chat without its messages. `functions` is JSON text. */
export const PresetValues = v.object({ sampling: Sampling, system: v.string(), functions: v.string() });
export type PresetValues = v.InferOutput<typeof PresetValues>;

export const Preset = v.object({
  id: v.string(),
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(maxNameLength)),
  values: PresetValues,
});
export type Preset = v.InferOutput<typeof Preset>;

/** The reason that a preset cannot be saved, if any. Saving replaces a preset of the same name. */
export function presetRefusal(presets: readonly Preset[], name: string, values: PresetValues): string | undefined {
  const trimmed = name.trim();
  if (trimmed === '') return t`Name is required`;
  if (trimmed.length > maxNameLength) return t`Name must have at most ${maxNameLength} characters`;
  if (!named(presets, trimmed) && presets.length >= maxPresets)
    return t`You can save up to ${maxPresets} presets. Delete one first.`;
  if (JSON.stringify(values).length > maxPresetLength) return t`System message and functions are too long for a preset`;
  return undefined;
}

export const named = (presets: readonly Preset[], name: string): Preset | undefined =>
  presets.find((preset) => preset.name === name.trim());

/** Each preset is a separate item, so that an unreadable one or a save in another tab does not affect the others. */
const prefix = 'preset:';

const StoredPreset = v.pipe(v.string(), v.parseJson(), Preset);

/** The readable presets of the account in this browser, sorted by name. */
export function listPresets(owner: Owner): Preset[] {
  const presets = kept(owner, prefix).flatMap(({ value }) => {
    const read = v.safeParse(StoredPreset, value);
    return read.success ? [read.output] : [];
  });
  return presets.toSorted((one, other) => one.name.localeCompare(other.name));
}

/** Returns false if storage is full or disabled. */
export const savePreset = (owner: Owner, preset: Preset): boolean =>
  keep(owner, prefix + preset.id, JSON.stringify(preset));

export const deletePreset = (owner: Owner, { id }: Preset): void => forget(owner, prefix + id);
