import { expect, test } from 'vitest';
import { toSrt, toVtt } from '#contract/audio/subtitles.ts';

const segments = [
  { start: 0, end: 1.2345, text: ' Hello <b>you</b> & me ' },
  { start: 59.9996, end: 3661.5, text: 'one\n\n1\n00:00 --> 00:01\ntwo' },
];

test('SubRip has numbers, times to the millisecond, and text that begins no entry of its own', () => {
  expect(toSrt(segments)).toBe(
    '1\n00:00:00,000 --> 00:00:01,235\nHello <b>you</b> & me\n\n2\n00:01:00,000 --> 01:01:01,500\none\n1\n00:00 -> 00:01\ntwo\n\n',
  );
});

test('WebVTT escapes what would be a tag', () => {
  expect(toVtt(segments)).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.235\nHello &lt;b&gt;you&lt;/b&gt; &amp; me\n\n00:01:00.000 --> 01:01:01.500\none\n1\n00:00 -&gt; 00:01\ntwo\n\n',
  );
});

test('of nothing are files without an entry', () => {
  expect([toSrt([]), toVtt([])]).toEqual(['', 'WEBVTT\n\n']);
});
