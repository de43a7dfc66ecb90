import { StatusCode } from '../ui/Badge.tsx';
import classes from './Docs.module.css';
import { errorId, type Field, fieldId, type Refusal } from './reference.ts';

/** The fields of a request or a response, each with an id to link to. */
export const FieldTable = ({ label, fields }: { label: string; fields: readonly Field[] }) => (
  <ScrollingTable label={label}>
    <thead>
      <tr>
        <th scope="col">Field</th>
        <th scope="col">Description</th>
      </tr>
    </thead>
    <tbody>
      {fields.map((field) => (
        <tr key={field.name} id={fieldId(field)}>
          <th scope="row">
            <code>{field.name}</code>
            {field.part === 'body' ? (
              <span className={field.isRequired ? classes.required : classes.optional}>
                {field.isRequired ? 'required' : 'optional'}
              </span>
            ) : null}
          </th>
          <td>
            <code className={classes.type}>{field.type}</code>
            {field.description}
          </td>
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
        <th scope="col">Error and reason</th>
      </tr>
    </thead>
    <tbody>
      {refusals.map((refusal) => (
        <tr key={refusal.reason} id={errorId(refusal)}>
          <td>
            <StatusCode status={refusal.status} />
          </td>
          <td>
            <span className={classes.error}>{refusal.error}</span>
            <code>{refusal.reason}</code>
          </td>
        </tr>
      ))}
    </tbody>
  </ScrollingTable>
);

export const ScrollingTable = ({ label, children }: { label: string; children: React.ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <section className={classes.scroll} tabIndex={0} aria-label={label}>
    <table className={classes.table} aria-label={label}>
      {children}
    </table>
  </section>
);
