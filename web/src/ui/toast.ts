import { notifications } from '@mantine/notifications';

const closeButtonProps = { 'aria-label': 'Dismiss' };

/** Shows a message for 4 s. At most three are visible. Screen readers announce them. */
export const toast = {
  success: (message: string): void => {
    notifications.show({ message, color: 'green', closeButtonProps });
  },
  error: (message: string): void => {
    notifications.show({ message, color: 'red', closeButtonProps });
  },
};
