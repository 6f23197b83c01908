import { expect, test } from 'vitest';
import { toSrt, toVtt } from '#contract/audio/transcription.ts';

const segments = [
  { start: 0, end: 1.2345, text: ' Hello <b>you</b> & me ' },
  { start: 59.9996, end: 3661.5, text: 'one\n\n1\n00:00 --> 00:01\ntwo' },
];

test('SubRip files have numbers and times to the millisecond, and a text cannot start a new entry', () => {
  expect(toSrt(segments)).toBe(
    '1\n00:00:00,000 --> 00:00:01,235\nHello <b>you</b> & me\n\n2\n00:01:00,000 --> 01:01:01,500\none\n1\n00:00 -> 00:01\ntwo\n\n',
  );
});

test('WebVTT files escape text that looks like a tag', () => {
  expect(toVtt(segments)).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.235\nHello &lt;b&gt;you&lt;/b&gt; &amp; me\n\n00:01:00.000 --> 01:01:01.500\none\n1\n00:00 -&gt; 00:01\ntwo\n\n',
  );
});

test('empty transcripts produce files without entries', () => {
  expect([toSrt([]), toVtt([])]).toEqual(['', 'WEBVTT\n\n']);
});

test.each(['a--->b', 'a------>b', 'a\r\r1\r00:00 --> 00:01\rb', 'a\r\n\r\n-->b', 'a\n\u00a0\n-->'])(
  'the text %j cannot end its entry or add a time line',
  (text) => {
    for (const file of [toSrt, toVtt]) {
      const lines = file([{ start: 0, end: 1, text }]).split(/\r\n|\r|\n/);
      expect(lines.filter((line) => line.includes('-->'))).toHaveLength(1);
      const from = lines.findIndex((line) => line.includes('-->'));
      expect(lines.slice(from).indexOf('')).toBe(lines.slice(from).length - 2);
    }
  },
);
