import { errorId, type Field, fieldId, type Refusal } from '@sixdigit/contract/docs/reference.ts';
import type { ReactNode } from 'react';
import { StatusCode } from '../ui/Badge.tsx';
import tall from '../ui/TallCode.module.css';
import classes from './Docs.module.css';
import { Inline } from './Inline.tsx';

export const Chapter = ({ id, title, children }: { id: string; title: string; children: ReactNode }) => (
  <section
    id={id}
    className={`${classes.chapter} rounded-12 border border-line bg-surface`}
    aria-labelledby={`${id}-title`}
  >
    <h2 id={`${id}-title`}>{title}</h2>
    {children}
  </section>
);

interface BesideProps {
  sample: ReactNode;
  children: ReactNode;
  /** prose after the sample on narrow screens */
  more?: ReactNode;
}

/** Prose with a sample: in two columns where there is room. The sample stays in view. */
export const Beside = ({ sample, children, more }: BesideProps) => (
  <div className={`${classes.beside} grid grid-cols-1 gap-4`}>
    <div className={classes.prose}>{children}</div>
    <div className={`${classes.sample} ${tall.tall} min-w-0`}>{sample}</div>
    {more ? <div className={classes.prose}>{more}</div> : null}
  </div>
);

/** The fields of a request or a response, each with an id to link to. */
export const FieldTable = ({ label, fields }: { label: string; fields: readonly Field[] }) => (
  <ScrollingTable label={label} areFields>
    <thead>
      <tr>
        <th scope="col">Field</th>
        <th scope="col">Type</th>
        <th scope="col">Description</th>
      </tr>
    </thead>
    <tbody>
      {fields.map((field) => (
        <tr key={field.name} id={fieldId(field)}>
          <th scope="row">
            <code>{field.name}</code>
            {field.part === 'body' ? (
              <span className={`block text-12 ${field.isRequired ? 'text-error' : 'text-ink-soft'}`}>
                {field.isRequired ? 'required' : 'optional'}
              </span>
            ) : null}
          </th>
          <td>
            <code className="text-ink-soft">{field.type}</code>
          </td>
          <td>{field.description}</td>
        </tr>
      ))}
    </tbody>
  </ScrollingTable>
);

/** The errors of a call with their reasons, each with an id to link to. */
export const RefusalTable = ({ label, refusals }: { label: string; refusals: readonly Refusal[] }) => (
  <ScrollingTable label={label}>
    <thead>
      <tr>
        <th scope="col">Status</th>
        <th scope="col">Reason</th>
        <th scope="col">Error</th>
      </tr>
    </thead>
    <tbody>
      {refusals.map((refusal) => (
        <tr key={refusal.reason} id={errorId(refusal)}>
          <td>
            <StatusCode status={refusal.status} />
          </td>
          <th scope="row">
            <code>{refusal.reason}</code>
          </th>
          <td>
            <span className="block">{refusal.error}</span>
            {refusal.note ? (
              <span className="mt-1 block text-13 text-ink-soft">
                <Inline text={refusal.note} />
              </span>
            ) : null}
          </td>
        </tr>
      ))}
    </tbody>
  </ScrollingTable>
);

interface TableProps {
  label: string;
  /** columns of the same widths in each table */
  areFields?: boolean;
  children: ReactNode;
}

export const ScrollingTable = ({ label, areFields, children }: TableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <section className="overflow-x-auto rounded-10 border border-line" tabIndex={0} aria-label={label}>
    <table
      className={`${classes.table} ${areFields ? classes.fields : ''} w-full border-collapse text-14`}
      aria-label={label}
    >
      {children}
    </table>
  </section>
);
