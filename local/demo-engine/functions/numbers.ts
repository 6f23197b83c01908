import type { Mentions } from './mentions.ts';
import type { Schema } from './schemas.ts';

/** A number that the request mentions and the schema allows, else one near the schema's bounds. */
export function fillNumber(schema: Schema, mentions: Mentions, turn: number): number {
  const fits = (value: number) => fitsNumber(value, schema);
  return mentions.takeNumber(fits) ?? candidates(schema, turn).find(fits) ?? schema.minimum ?? 0;
}

export function fitsNumber(value: number, schema: Schema): boolean {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = schema;
  const within = value >= minimum && value <= maximum && value > exclusiveMinimum && value < exclusiveMaximum;
  const whole = !isInteger(schema) || Number.isInteger(value);
  return within && whole && isMultiple(value, schema.multipleOf);
}

function isInteger(schema: Schema): boolean {
  return [schema.type].flat().includes('integer');
}

function isMultiple(value: number, step: number | undefined): boolean {
  return step === undefined || step <= 0 || Number.isInteger(value / step);
}

/** Numbers to try, in order. */
function candidates(schema: Schema, turn: number): number[] {
  const { multipleOf: step } = schema;
  const lower = Math.max(schema.minimum ?? -Infinity, schema.exclusiveMinimum ?? -Infinity);
  const upper = Math.min(schema.maximum ?? Infinity, schema.exclusiveMaximum ?? Infinity);
  const steps =
    step && step > 0
      ? [Math.ceil(lower / step) * step, (Math.floor(lower / step) + 1) * step, Math.floor(upper / step) * step, step]
      : [];
  const first = Number.isFinite(lower) ? lower : Number.isFinite(upper) ? upper - turn - 1 : 1;
  const near = [
    turn + 1,
    Math.ceil(first) + turn,
    lower,
    lower + 1,
    Math.floor(lower) + 1,
    upper,
    upper - 1,
    Math.ceil(upper) - 1,
    Math.floor(upper),
  ];
  return [...steps.map((value) => value + turn * (step ?? 0)), ...steps, ...near, (lower + upper) / 2, 0].filter(
    Number.isFinite,
  );
}
