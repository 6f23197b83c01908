/** The number in a field, empty without one. The field gives a text for what is too large to count with exactly. */
export function numberValue(entered: string | number): number | '' {
  const value = Number(entered);
  return entered === '' || Number.isNaN(value) ? '' : value;
}
