import { expect, it } from 'vitest';
import { uploadTypes } from '#contract/audio/transcriptions.ts';
import { refuseUnknownType } from '#domain/audio/checked-audio.ts';

it.each(uploadTypes)('an upload may be of %s, which a container has', (type) => {
  expect(() => refuseUnknownType(type)).not.toThrow();
});

it('an upload may be of no other type', () => {
  expect(() => refuseUnknownType('audio/midi')).toThrow(/must be a supported audio type/);
});
