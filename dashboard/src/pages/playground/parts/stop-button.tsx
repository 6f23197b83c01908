import { Button } from '@mantine/core';
import { Icon } from '../../../components/elements/icon.tsx';

export function StopButton({ onClick }: { onClick: () => void }) {
  return (
    <Button variant="default" leftSection={<Icon name="stop" size={16} />} onClick={onClick}>
      Stop
    </Button>
  );
}
