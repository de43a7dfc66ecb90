import { failures, REQUIRED } from '#contract/errors.ts';
import type { Route } from '#contract/route.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { StatusCode } from '../ui/StatusCode.tsx';
import classes from './Docs.module.css';
import { type Field, fieldsOf, type Refusal, refusalsOf } from './reference.ts';
import { Sample } from './Sample.tsx';
import type { Samples } from './sample-languages.ts';

interface Props {
  route: Route;
  name: string;
  samples: Samples;
  /** an example of a successful response */
  reply: object;
  /** the missing field in the example of field errors */
  required: string;
}

/** Documents one call: parameters, response and errors. */
export function Call({ route, name, samples, reply, required }: Props) {
  return (
    <div className={classes.call}>
      <p className={classes.endpoint}>
        <strong>{route.method}</strong> <code>{route.path}</code>
      </p>
      <p>{route.description}</p>
      <Sample samples={samples} label={name} />
      <h3>Parameters</h3>
      <FieldTable label={`Parameters of ${name}`} fields={fieldsOf(route, 'body')} withRequired />
      {route.idempotent ? (
        <p className={classes.note}>
          Send an <code>Idempotency-Key</code> header of your choice to repeat a call safely: for 24 hours the
          same key and body get the same answer again, and nothing is done or charged twice.
        </p>
      ) : null}
      <h3>Responses</h3>
      <p>
        <StatusCode status={route.status} />
      </p>
      <CodeBlock code={JSON.stringify(reply, null, 2)} language="json" label={`Answer of ${name}`} />
      <FieldTable label={`Answer fields of ${name}`} fields={fieldsOf(route, 'reply')} />
      <h3>Errors</h3>
      <p>
        <StatusCode status={400} /> A field is missing or wrong: one list of sentences a field.
      </p>
      <CodeBlock
        code={JSON.stringify({ [required]: [REQUIRED] }, null, 2)}
        language="json"
        label={`Field errors of ${name}`}
      />
      <p className={classes.above}>Everything else is one sentence and a stable reason:</p>
      <RefusalTable label={`Errors of ${name}`} refusals={refusalsOf(route)} />
    </div>
  );
}

function FieldTable({
  label,
  fields,
  withRequired,
}: {
  label: string;
  fields: readonly Field[];
  withRequired?: boolean;
}) {
  return (
    <ScrollingTable label={label}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Type</th>
          <th scope="col">Description</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ name, type, isRequired, description }) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
              {withRequired ? (
                <span className={isRequired ? classes.required : classes.optional}>
                  {isRequired ? 'required' : 'optional'}
                </span>
              ) : null}
            </th>
            <td>
              <code>{type}</code>
            </td>
            <td>{description}</td>
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
  );
}

export const RefusalTable = ({ label, refusals }: { label: string; refusals: readonly Refusal[] }) => (
  <ScrollingTable label={label}>
    <thead>
      <tr>
        <th scope="col">Status</th>
        <th scope="col">error</th>
        <th scope="col">reason</th>
      </tr>
    </thead>
    <tbody>
      {refusals.map(({ status, error, reason }) => (
        <tr key={reason}>
          <td>
            <StatusCode status={status} />
          </td>
          <td>{error}</td>
          <td>
            <code>{reason}</code>
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

export const errorExample = {
  error: failures.invalid_code.error,
  reason: 'invalid_code',
  attempts_remaining: 4,
};
