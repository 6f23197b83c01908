type Kind = 'localStorage' | 'sessionStorage';

/** The page works without storage: if it is disabled or full, reads return null and writes return false. */
export function readStored(kind: Kind, name: string): string | null {
  try {
    return globalThis[kind].getItem(name);
  } catch {
    return null;
  }
}

export function store(kind: Kind, name: string, value: string): boolean {
  try {
    globalThis[kind].setItem(name, value);
    return true;
  } catch {
    return false;
  }
}

export function removeStored(kind: Kind, name: string): void {
  try {
    globalThis[kind].removeItem(name);
  } catch {
    // Without storage, nothing needs to be removed.
  }
}

export function storedNames(kind: Kind): string[] {
  try {
    return Object.keys(globalThis[kind]);
  } catch {
    return [];
  }
}
