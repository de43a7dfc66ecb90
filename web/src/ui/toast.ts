import { notifications } from '@mantine/notifications';

const closeButtonProps = { 'aria-label': 'Dismiss' };

/** A word in the corner for 4 s; at most three are visible. Announced by screen readers. */
export const toast = {
  success: (message: string): void => {
    notifications.show({ message, color: 'green', closeButtonProps });
  },
  error: (message: string): void => {
    notifications.show({ message, color: 'red', closeButtonProps });
  },
};
