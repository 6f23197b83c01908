/** Cosine of each vector with each other: 1 for the same direction, 0 for nothing in common. */
export function similarities(vectors: readonly (readonly number[])[]): number[][] {
  const lengths = vectors.map((vector) => Math.sqrt(dot(vector, vector)));
  return vectors.map((one, row) =>
    vectors.map((other, column) => dot(one, other) / ((lengths[row] ?? 0) * (lengths[column] ?? 0) || 1)),
  );
}

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}
