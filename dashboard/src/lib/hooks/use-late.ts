import { useEffect, useState } from 'react';

/** Code that is loaded when it is first needed. Undefined until then, and where it cannot be loaded: a page must do without it. */
export function useLate<Module>(load: () => Promise<Module>, isNeeded: boolean): Module | undefined {
  const [module, setModule] = useState<Module>();
  useEffect(() => {
    if (!isNeeded || module !== undefined) return undefined;
    let isLeft = false;
    const show = (loaded: Module): void => {
      if (!isLeft) setModule(() => loaded);
    };
    load().then(show, () => undefined);
    return () => {
      isLeft = true;
    };
  }, [load, isNeeded, module]);
  return module;
}
