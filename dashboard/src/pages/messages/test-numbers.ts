/** What the last two digits of a number choose on one machine (docs/messages.md#on-one-machine). */
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

/** Numbers of nobody (555-0100 to 555-0199) that messages are delivered to. */
export const testNumbers = areaCodes.flatMap((area) =>
  Array.from({ length: 90 }, (_, index) => `+1${area}55501${10 + index}`),
);

/** Another of them at each call: limits against fraud count the messages to one number. */
export function nextTestNumber(before: string): string {
  const others = testNumbers.filter((number) => number !== before);
  return others[Math.floor(Math.random() * others.length)] ?? before;
}
