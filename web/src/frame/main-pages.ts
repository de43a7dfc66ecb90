import { useMay } from '../accounts/role.ts';
import { mainPages, pages } from '../pages.ts';

/** The upper part of the menu, without the pages that the user's role may not open. */
export function useMainPages(): readonly (typeof mainPages)[number][] {
  const may = useMay();
  return may('listTransactions') ? mainPages : mainPages.filter((page) => page !== pages.credits);
}
