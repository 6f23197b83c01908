import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { audioFacts } from '#gateways/audio/audio-facts.ts';
import { mp4, webm } from '#test/audio/recordings.ts';

describe('a recording of a browser', () => {
  it('of WebM lasts as long as its blocks, though its header has no duration and its parts no size', async () => {
    expect(await audioFacts(webm({ seconds: 3.48 }))).toEqual({ container: 'webm', seconds: 3.48 });
  });

  it.each(['track', 'fragment', 'sample'] as const)('of MP4 lasts as long as its fragments, by the %s', async (by) => {
    expect(await audioFacts(mp4({ seconds: 4, by }))).toEqual({ container: 'mp4', seconds: 4 });
  });

  it('lasts no less than its blocks, whatever its header has', async () => {
    expect((await audioFacts(webm({ seconds: 5, headerSeconds: 0.1 }))).seconds).toBe(5);
    expect((await audioFacts(webm({ seconds: 5, headerSeconds: 9 }))).seconds).toBe(9);
  });

  it('without sound is refused', async () => {
    await expect(audioFacts(webm({ seconds: 2, trackType: 1 }))).rejects.toThrow('no audio');
    await expect(audioFacts(mp4({ seconds: 2, by: 'sample', handler: 'vide' }))).rejects.toThrow('no audio');
    await expect(audioFacts(webm({ seconds: 0 }))).rejects.toThrow('no audio');
  });

  it('that is cut or broken anywhere is read as far as it goes, or refused, and never for long', async () => {
    const files = [webm({ seconds: 2 }), mp4({ seconds: 2, by: 'sample' })];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...files), fc.nat(), fc.nat(), fc.nat(255), async (file, cut, at, value) => {
        const broken = Buffer.from(file.subarray(0, 8 + (cut % file.length)));
        broken[8 + (at % broken.length)] = value;
        const began = performance.now();
        const facts = await audioFacts(broken).catch((error: unknown) => error);
        if (!(facts instanceof Error)) expect(facts).toMatchObject({ seconds: expect.any(Number) });
        expect(performance.now() - began).toBeLessThan(500);
      }),
    );
  });
});
