type Kind = 'localStorage' | 'sessionStorage';

/** Where a browser's storage is switched off or full, nothing is kept, and the page works without. */
export function readStored(kind: Kind, name: string): string | null {
  try {
    return window[kind].getItem(name);
  } catch {
    return null;
  }
}

/** True where it is kept. */
export function store(kind: Kind, name: string, value: string): boolean {
  try {
    window[kind].setItem(name, value);
    return true;
  } catch {
    return false;
  }
}

export function removeStored(kind: Kind, name: string): void {
  try {
    window[kind].removeItem(name);
  } catch {
    // There is nothing to remove.
  }
}
