import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  maxNameLength,
  maxPresetLength,
  maxPresets,
  type Preset,
  refusal,
} from '../../../../../../dashboard/src/pages/playground/chat/presets.ts';
import { defaultSampling } from '../../../../../../dashboard/src/pages/playground/tab/sampling.ts';

const values = { sampling: defaultSampling, system: 'Be brief', functions: '' };
const preset = (id: string, name = `preset ${id}`): Preset => ({ id, name, values });

/** What a browser's storage does that the page uses: its names are its own keys. */
function fakeStorage() {
  const items: Record<string, string> = {};
  const hidden = { enumerable: false, configurable: true };
  return Object.defineProperties(items, {
    getItem: { ...hidden, value: (name: string) => items[name] ?? null },
    setItem: { ...hidden, value: (name: string, value: string) => void (items[name] = value) },
    removeItem: { ...hidden, value: (name: string) => void delete items[name] },
  });
}

let localStorage: Record<string, string>;
beforeEach(() => {
  vi.resetModules();
  localStorage = fakeStorage();
  vi.stubGlobal('localStorage', localStorage);
});
const openStore = () => import('../../../../../../dashboard/src/pages/playground/chat/presets.ts');
const openAccounts = () => import('../../../../../../dashboard/src/api/account/account-storage.ts');

describe('a preset', () => {
  it.each([
    ['', 'Name is required'],
    ['   ', 'Name is required'],
    ['x'.repeat(maxNameLength + 1), `Name must have at most ${maxNameLength} characters`],
  ])('has a name of bounded length: %j', (name, reason) => {
    expect(refusal([], name, values)).toBe(reason);
    expect(refusal([], 'brief', values)).toBeUndefined();
  });

  it('is one of 50 at most, of which one may be replaced', () => {
    const full = Array.from({ length: maxPresets }, (_, index) => preset(String(index)));
    expect(refusal(full, 'one more', values)).toMatch(/^You can save up to 50/);
    expect(refusal(full, ' preset 7 ', values)).toBeUndefined();
  });

  it('has a bounded size', () => {
    expect(refusal([], 'long', { ...values, system: 'x'.repeat(maxPresetLength) })).toMatch(/too long/);
  });
});

describe('the presets of an account', () => {
  it('are there again by name, and of no other account', async () => {
    const { savePreset, listPresets } = await openStore();
    savePreset(1, preset('b', 'beta'));
    savePreset(1, preset('a', 'alpha'));
    savePreset(11, preset('c', 'of another'));
    expect(listPresets(1)).toEqual([preset('a', 'alpha'), preset('b', 'beta')]);
    expect(listPresets(11)).toEqual([preset('c', 'of another')]);
    expect(listPresets(2)).toEqual([]);
  });

  it.each([
    '',
    'no JSON',
    '[]',
    '{"id":"x","name":"","values":{}}',
    '{"id":"x","name":"old","values":{"sampling":{}}}',
  ])('are read where one of them cannot be: %j', async (damaged) => {
    const { savePreset, listPresets, deletePreset } = await openStore();
    savePreset(1, preset('a'));
    localStorage['kept:1:preset:x'] = damaged;
    expect(listPresets(1)).toEqual([preset('a')]);
    savePreset(1, preset('b'));
    deletePreset(1, preset('a'));
    expect(listPresets(1)).toEqual([preset('b')]);
    expect(localStorage['kept:1:preset:x']).toBe(damaged);
  });

  it('go when another account signs in, whatever else is kept', async () => {
    const { savePreset, listPresets } = await openStore();
    const { forgetKept } = await openAccounts();
    localStorage['mantine-color-scheme-value'] = 'dark';
    savePreset(1, preset('a'));
    savePreset(11, preset('b'));
    forgetKept(11);
    expect([listPresets(1), listPresets(11)]).toEqual([[], [preset('b')]]);
    forgetKept(1);
    expect(Object.keys(localStorage)).toEqual(['mantine-color-scheme-value']);
  });

  it('go with signing out, after which the document keeps none', async () => {
    const { savePreset } = await openStore();
    const { closeAccountStorage } = await openAccounts();
    savePreset(1, preset('a'));
    closeAccountStorage();
    expect(savePreset(1, preset('b'))).toBe(false);
    expect(Object.keys(localStorage)).toEqual([]);
  });

  it('are not kept where storage is full, which is reported', async () => {
    const { savePreset, listPresets } = await openStore();
    Object.defineProperty(localStorage, 'setItem', {
      value: () => {
        throw new DOMException('full', 'QuotaExceededError');
      },
    });
    expect(savePreset(1, preset('a'))).toBe(false);
    expect(listPresets(1)).toEqual([]);
  });
});
