import { useEffect, useState } from 'react';

/** False at first, then as wanted: what is mounted open would not notice where the focus came from, and is to go back to. */
export function useOpening(isWanted: boolean): boolean {
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return isMounted && isWanted;
}
