import { Badge } from '@mantine/core';

const colors: Readonly<Record<string, string>> = { GET: 'pine', POST: 'yellow', DELETE: 'red' };

export function MethodBadge({ method, size = 'sm' }: { method: string; size?: 'xs' | 'sm' }) {
  return (
    <Badge color={colors[method] ?? 'gray'} size={size} className="mono">
      {method}
    </Badge>
  );
}
