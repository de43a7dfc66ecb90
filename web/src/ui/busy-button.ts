/**
 * Props of a busy button. It looks disabled and keeps the focus, which a disabled button would lose. Its handler must ignore
 * further presses.
 */
export const busyButton = (isBusy: boolean) => ({
  'aria-disabled': isBusy,
  ...(isBusy && { 'data-disabled': true }),
});
