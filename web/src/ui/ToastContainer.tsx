import '@mantine/core/styles/Notification.layer.css';
import '@mantine/notifications/styles.layer.css';
import { Notifications, notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { tabData } from '../api/site-data.ts';
import { NEXT, showToasts, toast } from '../api/toast.ts';
import dialogs from './Dialog.module.css';
import classes from './ToastContainer.module.css';

const closeButtonProps = { 'aria-label': 'Dismiss' };

/** The least space above a dialog in which a toast of two lines fits. */
const ROOM_PX = 92;
const GAP_PX = 12;

/** On phones, toasts are above the buttons of a dialog that has no room for them above its title. */
function placeToasts(): void {
  const head = [...document.getElementsByClassName(dialogs.head ?? '')].at(-1);
  const dialog = head?.closest<HTMLElement>('[role="dialog"]');
  const isTall = dialog ? dialog.offsetTop < ROOM_PX : false;
  const { documentElement: root } = document;
  root.toggleAttribute('data-tall-dialog', isTall);
  if (!dialog || !isTall) return;
  const [actions] = dialog.getElementsByClassName(dialogs.actions ?? '');
  const below = window.innerHeight - dialog.offsetTop - dialog.offsetHeight;
  root.style.setProperty('--above-actions', `${below + (actions?.clientHeight ?? 0) + GAP_PX}px`);
}

export function ToastContainer() {
  useEffect(() => {
    placeToasts();
    const observer = new MutationObserver(placeToasts);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, []);
  // after the container has set its limit
  useEffect(() => {
    showToasts((one) => notifications.show({ ...one, closeButtonProps }));
    const next = tabData.get(NEXT);
    if (next !== null) toast.success(next);
    tabData.set(NEXT, null);
  }, []);
  return (
    <Notifications
      limit={3}
      autoClose={4000}
      position="bottom-left"
      classNames={{ root: classes.toasts ?? '' }}
    />
  );
}
