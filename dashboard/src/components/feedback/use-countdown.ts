import { useEffect, useState } from 'react';
import type { ApiError } from '../../api/http/api-error.ts';

/** Seconds left of `Retry-After`. */
export function useCountdown(error: ApiError): number {
  const [left, setLeft] = useState(error.retryAfterSeconds ?? 0);
  useEffect(() => {
    const end = Date.now() + (error.retryAfterSeconds ?? 0) * 1000;
    const tick = () => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000)));
    tick();
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [error]);
  return left;
}
