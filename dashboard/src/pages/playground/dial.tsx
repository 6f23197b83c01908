import { Group, Slider, Text } from '@mantine/core';
import { useId } from 'react';

interface DialProps {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** A number within bounds, by hand or by arrow keys. */
export function Dial({ label, min, max, value, onChange }: DialProps) {
  const id = useId();
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="sm" fw={500} id={id}>
          {label}
        </Text>
        <Text size="sm" c="dimmed" className="number">
          {value.toFixed(2)}
        </Text>
      </Group>
      <Slider
        min={min}
        max={max}
        step={0.05}
        size="sm"
        label={null}
        value={value}
        onChange={onChange}
        thumbProps={{ 'aria-labelledby': id }}
      />
    </div>
  );
}
