type Kind = 'localStorage' | 'sessionStorage';

/** Where a browser's storage is switched off or full, nothing is kept, and the page works without. */
export function readStored(kind: Kind, name: string): string | null {
  try {
    return globalThis[kind].getItem(name);
  } catch {
    return null;
  }
}

/** True where it is kept. */
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
    // There is nothing to remove.
  }
}

/** Names of all that is kept. */
export function storedNames(kind: Kind): string[] {
  try {
    return Object.keys(globalThis[kind]);
  } catch {
    return [];
  }
}
