import * as v from 'valibot';
import { Sampling } from '../parameters/sampling.ts';

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
