/** A rectangle of the window, in CSS pixels. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

type Size = Pick<Area, 'width' | 'height'>;
type Place = Pick<Area, 'left' | 'top'>;

/** Distance in CSS pixels to the edge of the window, and between two candidate places. */
const margin = 16;
const step = 8;

/**
 * Returns the place in the window that covers the smallest area of controls, and of those the smallest area of links.
 * Prefers the bottom right.
 */
export function bestPlace(size: Size, window: Size, controls: readonly Area[], links: readonly Area[] = []): Place {
  const cost = (place: Place) => {
    const area = { ...place, ...size };
    return covered(area, controls) * window.width * window.height + covered(area, links);
  };
  const places = placesOf(size, window).map((place) => ({ place, cost: cost(place) }));
  return places.reduce((best, other) => (other.cost < best.cost ? other : best)).place;
}

export const covered = (area: Area, obstacles: readonly Area[]): number =>
  obstacles.reduce((sum, obstacle) => sum + overlap(area, obstacle), 0);

/**
 * Candidate places from the bottom up, each row at the right, middle and left. The bottom and top rows precede the
 * others.
 */
function placesOf({ width, height }: Size, window: Size): Place[] {
  const right = Math.max(0, window.width - width - margin);
  const lefts = [...new Set([right, Math.round(right / 2), Math.min(margin, right)])];
  const [first, last] = [margin, Math.max(0, window.height - height - margin)];
  const between: number[] = [];
  for (let top = last - step; top > first; top -= step) between.push(top);
  const at = (top: number) => lefts.map((left) => ({ left, top }));
  return [...at(last), ...at(first), ...lefts.flatMap((left) => between.map((top) => ({ left, top })))];
}

function overlap(one: Area, other: Area): number {
  const width = Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left);
  const height = Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top);
  return width > 0 && height > 0 ? width * height : 0;
}
