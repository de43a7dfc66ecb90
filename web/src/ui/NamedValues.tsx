import { CopyButton } from './CopyButton.tsx';

interface Props {
  title: string;
  rows: readonly { name: string; value: string }[];
}

/** Named values, each with a copy button. The first one takes the focus in a dialog without another choice. */
export const NamedValues = ({ title, rows }: Props) => (
  <section aria-label={title}>
    <h3 className="mt-0 mb-2 text-14 font-600">{title}</h3>
    <ul className="m-0 grid list-none p-0 rounded-10 border border-line">
      {rows.map(({ name, value }, at) => (
        <li key={name} className="flex items-start gap-2 border-line py-2 ps-3.5 pe-2 not-first:border-t">
          <div className="min-w-0 flex-1">
            <span className="block text-13 wrap-anywhere text-ink-soft">{name}</span>
            <code className="block font-mono text-13 wrap-anywhere whitespace-pre-wrap">
              {value.trimEnd()}
            </code>
          </div>
          <CopyButton value={value} label={`Copy ${name}`} withToast isFirst={at === 0} />
        </li>
      ))}
    </ul>
  </section>
);
