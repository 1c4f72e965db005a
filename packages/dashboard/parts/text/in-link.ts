import { createContext } from 'react';

/** True inside a link, which has the focus itself, so that nothing in it needs one. */
export const InLink = createContext(false);
