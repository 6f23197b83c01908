import { expect, test } from 'vitest';
import { whisperx } from '#gateways/sagemaker/whisperx.ts';

const reply = (json: string) => whisperx.transcription?.reply(JSON.parse(json));

test.each(['1e999', '-1', '1e300', '"1"'])('a transcript that lasts %s seconds is no transcript', (duration) => {
  expect(() => reply(`{"text":"hi","duration":${duration}}`)).toThrow('Invalid');
});

test.each([
  ['-5', '1', 0, 1],
  ['3', '1', 3, 3],
  ['0', '1e999', 0, 86_400],
  ['1e999', '-1e999', 86_400, 86_400],
])('the times %s to %s of a transcript are numbers in order', (from, to, start, end) => {
  const timed = `"start":${from},"end":${to}`;
  const read = reply(`{"text":"hi","duration":1,"segments":[{${timed},"text":"hi"}],"words":[{${timed},"word":"hi"}]}`);
  expect(read).toMatchObject({ segments: [{ start, end, text: 'hi' }], words: [{ start, end, word: 'hi' }] });
});
