import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Area, bestPlace, covered } from '../../../../dashboard/src/components/free-place.ts';

const phone = { width: 360, height: 740 };
const toast = { width: 328, height: 60 };
const row = (top: number, height = 40): Area => ({ left: 16, top, width: 328, height });

describe('the position of a toast', () => {
  it('is the bottom right corner if it is free', () => {
    expect(bestPlace({ width: 440, height: 60 }, { width: 1280, height: 800 }, [])).toEqual({ left: 824, top: 724 });
  });

  it('is the bottom middle if a button or link is at the bottom right', () => {
    const button = { left: 1100, top: 740, width: 100, height: 36 };
    const inMiddle = { left: 412, top: 724 };
    expect(bestPlace({ width: 440, height: 60 }, { width: 1280, height: 800 }, [button])).toEqual(inMiddle);
    expect(bestPlace({ width: 440, height: 60 }, { width: 1280, height: 800 }, [], [button])).toEqual(inMiddle);
  });

  it('is between two buttons on a phone', () => {
    const buttons = [row(0), row(200), row(400), row(690)];
    expect(covered({ ...bestPlace(toast, phone, buttons), ...toast }, buttons)).toBe(0);
  });

  it('covers the smallest possible area if no position is free', () => {
    const buttons = [row(0, 720), row(720, 8)];
    expect(bestPlace(toast, phone, buttons).top).toBe(664);
  });

  it('covers a link rather than a button if it must cover one', () => {
    const [button, link] = [row(0, 400), row(400, 340)];
    expect(bestPlace(toast, phone, [button], [link]).top).toBeGreaterThanOrEqual(400);
    expect(bestPlace(toast, phone, [link], [button]).top).toBeLessThanOrEqual(340);
  });

  it('is inside the window and covers no button, on any page with a free position', () => {
    const area = fc.record({
      left: fc.integer({ min: -50, max: 400 }),
      top: fc.integer({ min: -50, max: 800 }),
      width: fc.integer({ min: 1, max: 200 }),
      height: fc.integer({ min: 1, max: 80 }),
    });
    const property = fc.property(fc.array(area, { maxLength: 20 }), (obstacles) => {
      const place = bestPlace(toast, phone, obstacles);
      // The left edge is the same at any place, because the toast is as wide as the window.
      const isPlace = (top: number) => covered({ left: 16, top, ...toast }, obstacles) === 0;
      fc.pre(Array.from({ length: 82 }, (_, index) => 16 + 8 * index).some((top) => isPlace(top)));
      expect(covered({ ...place, ...toast }, obstacles)).toBe(0);
      expect(place.top).toBeGreaterThanOrEqual(0);
      expect(place.top + toast.height).toBeLessThanOrEqual(phone.height);
      expect(place.left + toast.width).toBeLessThanOrEqual(phone.width);
    });
    fc.assert(property);
  });
});
