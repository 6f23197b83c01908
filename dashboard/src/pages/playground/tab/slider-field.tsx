import { Group, Slider, Text } from '@mantine/core';
import { useId } from 'react';

interface SliderFieldProps {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly defaultValue: number;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

export function SliderField({ label, min, max, defaultValue, value, onChange }: SliderFieldProps) {
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
      <Text size="xs" c="dimmed" mt={4}>
        Default: {defaultValue}
      </Text>
    </div>
  );
}
