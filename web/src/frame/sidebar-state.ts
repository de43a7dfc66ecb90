import { useHotkeys, useMediaQuery } from '@mantine/hooks';
import { useCallback, useState } from 'react';
import { hasCookie, setCookie } from '../api/site-data.ts';

const COOKIE = 'sidebar_state';
const SEVEN_DAYS = 60 * 60 * 24 * 7;
export const MOBILE = '(max-width: 767.98px)';

const remembered = (): boolean => !hasCookie(`${COOKIE}=false`);

const remember = (isOpen: boolean): void =>
  setCookie(`${COOKIE}=${isOpen}; path=/; max-age=${SEVEN_DAYS}; samesite=lax`);

/** Whether the sidebar is open, kept for 7 days. Below 768 px it is a drawer. Ctrl or Cmd plus B toggles it, also in inputs. */
export function useSidebar() {
  const isMobile = useMediaQuery(MOBILE, undefined, { getInitialValueInEffect: false });
  const [isOpen, setOpen] = useState(remembered);
  const [isDrawerOpen, setDrawerOpen] = useState(false);

  const toggle = useCallback(() => {
    if (isMobile) {
      setDrawerOpen((before) => !before);
      return;
    }
    setOpen((before) => {
      remember(!before);
      return !before;
    });
  }, [isMobile]);
  const closeDrawer = useCallback(() => setDrawerOpen(false), []);
  useHotkeys([['mod+B', toggle]], []);

  return { isMobile, isOpen, isDrawerOpen: isMobile && isDrawerOpen, toggle, closeDrawer };
}
