import * as v from 'valibot';
import { forget, keep, kept } from '../../../api/account/account-storage.ts';
import { Preset } from './preset.ts';

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
