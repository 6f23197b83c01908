const dayMs = 86_400_000;

export const expiryChoices = [
  { value: 'never', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'date', label: 'Custom date' },
];

/** The moment that a choice means, in ISO 8601; a chosen day ends at its end (UTC). Null: never; undefined: no day yet. */
export function expiryOf(choice: string, date: string, now: number): string | null | undefined {
  if (choice === 'never') return null;
  if (choice !== 'date') return new Date(now + Number(choice) * dayMs).toISOString();
  return date === '' ? undefined : `${date}T23:59:59.000Z`;
}
