import { createContext, use } from 'react';

/** True where the filters' labels are visible: in the sheet. Elsewhere they are for screen readers. */
export const Labels = createContext(false);

export const useLabel = (label: string): { label: string } | { 'aria-label': string } =>
  use(Labels) ? { label } : { 'aria-label': label };
