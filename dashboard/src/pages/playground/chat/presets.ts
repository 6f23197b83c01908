import * as v from 'valibot';
import { forget, keep, kept } from '../../../api/account/account-storage.ts';
import { Sampling } from '../tab/sampling.ts';

/** Presets of an account in one browser. */
export const maxPresets = 50;
export const maxNameLength = 64;
/** Of a preset as JSON, in UTF-16 units: all of them take a fifth of what browsers keep for an origin. */
export const maxPresetLength = 20_000;

/** What a preset sets: everything of a chat but its messages. `functions` as JSON text. */
export const PresetValues = v.object({ sampling: Sampling, system: v.string(), functions: v.string() });
export type PresetValues = v.InferOutput<typeof PresetValues>;

export const Preset = v.object({
  id: v.string(),
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(maxNameLength)),
  values: PresetValues,
});
export type Preset = v.InferOutput<typeof Preset>;

/** Why a preset cannot be saved; undefined where it can. One of the same name is replaced. */
export function refusal(presets: readonly Preset[], name: string, values: PresetValues): string | undefined {
  const trimmed = name.trim();
  if (trimmed === '') return 'Name is required';
  if (trimmed.length > maxNameLength) return `Name must have at most ${maxNameLength} characters`;
  if (!named(presets, trimmed) && presets.length >= maxPresets)
    return `You can save up to ${maxPresets} presets. Delete one first.`;
  if (JSON.stringify(values).length > maxPresetLength) return 'System message and functions are too long for a preset';
  return undefined;
}

export const named = (presets: readonly Preset[], name: string): Preset | undefined =>
  presets.find((preset) => preset.name === name.trim());

/** Each preset is an item of its own: one that cannot be read, or is saved in another tab, takes no other with it. */
const prefix = 'preset:';

const StoredPreset = v.pipe(v.string(), v.parseJson(), Preset);

/** The presets of the account in this browser that can be read, by name. */
export function listPresets(account: number): Preset[] {
  const presets = kept(account, prefix).flatMap(({ value }) => {
    const read = v.safeParse(StoredPreset, value);
    return read.success ? [read.output] : [];
  });
  return presets.toSorted((one, other) => one.name.localeCompare(other.name));
}

/** True where it is kept: storage may be full or switched off. */
export const savePreset = (account: number, preset: Preset): boolean =>
  keep(account, prefix + preset.id, JSON.stringify(preset));

export const deletePreset = (account: number, { id }: Preset): void => forget(account, prefix + id);
