import { CopyButton } from './CopyButton.tsx';

/** A secret that is shown once, with a button that copies it and has the focus. */
export const SecretValue = ({ value }: { value: string }) => (
  <div className="my-4 flex items-center gap-3 rounded-10 border border-line bg-sunken py-2 ps-4 pe-2 max-sm:flex-col max-sm:items-stretch max-sm:p-3">
    <code className="min-w-0 flex-1 font-mono text-14 wrap-anywhere select-all">{value}</code>
    <CopyButton value={value} label="Copy" withText withToast isFirst />
  </div>
);
