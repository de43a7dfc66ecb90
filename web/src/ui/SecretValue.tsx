import { CopyButton } from './CopyButton.tsx';
import classes from './SecretValue.module.css';

/** A secret that is shown once, with a button that copies it and has the focus. */
export const SecretValue = ({ value }: { value: string }) => (
  <div className={classes.secret}>
    <code>{value}</code>
    <CopyButton value={value} label="Copy" withText withToast isFirst />
  </div>
);
