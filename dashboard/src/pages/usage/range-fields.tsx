import { NativeSelect, TextInput, type TextInputProps } from '@mantine/core';
import { rangeErrors } from './range.ts';
import { custom, spanChoices, type useRange } from './use-range.ts';

interface RangeFieldsProps {
  readonly value: ReturnType<typeof useRange>;
  readonly today: string;
}

/** Errors stand above the date, so that all fields stay on one line. */
const field: TextInputProps = { w: 180, inputWrapperOrder: ['label', 'error', 'input'], errorProps: { mb: 4 } };

/** Which days: the last ones, or from one day to another. */
export function RangeFields({ value: { span, entered, choose, enter }, today }: RangeFieldsProps) {
  const errors = rangeErrors(entered, today);
  return (
    <>
      <NativeSelect
        label="Days"
        data={spanChoices}
        value={span}
        onChange={(event) => choose(event.currentTarget.value)}
        w={180}
      />
      {span === custom && (
        <>
          <TextInput
            label="From"
            type="date"
            value={entered.from}
            max={entered.to}
            error={errors.from}
            {...field}
            onChange={({ currentTarget }) => enter({ from: currentTarget.value })}
          />
          <TextInput
            label="To"
            type="date"
            value={entered.to}
            min={entered.from}
            max={today}
            error={errors.to}
            {...field}
            onChange={({ currentTarget }) => enter({ to: currentTarget.value })}
          />
        </>
      )}
    </>
  );
}
