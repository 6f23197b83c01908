import { createContext } from 'react';

/** The key that the reader chose for the examples; undefined: they read the variable API_KEY. */
export const ExampleKey = createContext<string | undefined>(undefined);
