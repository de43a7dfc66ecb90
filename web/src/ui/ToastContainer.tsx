import '@mantine/core/styles/Notification.layer.css';
import '@mantine/notifications/styles.layer.css';
import { Notifications, notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import classes from './ToastContainer.module.css';
import { showToasts } from './toast.ts';

const closeButtonProps = { 'aria-label': 'Dismiss' };

export function ToastContainer() {
  // after the container has set its limit
  useEffect(() => showToasts((toast) => notifications.show({ ...toast, closeButtonProps })), []);
  return (
    <Notifications
      limit={3}
      autoClose={4000}
      position="bottom-right"
      classNames={{ root: classes.toasts ?? '' }}
    />
  );
}
