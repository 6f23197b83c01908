/** Results by the last two digits of a number in local mode (docs/guides/messages.md#test-numbers). */
export const testDigits = [
  ['02', 'Undelivered'],
  ['03', 'Failed: the recipient has opted out'],
  ['04', 'Unknown, as the carrier does not respond'],
  ['05', 'Failed: the carrier is down'],
  ['06', 'Failed: costs too much'],
  ['07', 'Delivered, with duplicate and late receipts'],
  ['08', 'Failed after it was sent, then refunded'],
  ['others', 'Delivered'],
] as const;

const areaCodes = [206, 212, 312, 415, 617];

/** Fictitious US numbers (555-0100 to 555-0199) whose messages are delivered. */
export const testNumbers = areaCodes.flatMap((area) =>
  Array.from({ length: 90 }, (_, index) => `+1${area}55501${10 + index}`),
);

/** Returns a different number each time: fraud limits count messages per number. */
export function nextTestNumber(before: string): string {
  const others = testNumbers.filter((number) => number !== before);
  return others[Math.floor(Math.random() * others.length)] ?? before;
}
