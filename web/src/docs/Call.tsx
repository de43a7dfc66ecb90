import { REQUIRED } from '@sixdigit/contract/field.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { StatusCode } from '../ui/Badge.tsx';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { Beside, FieldTable, RefusalTable } from './Chapter.tsx';
import { fieldsOf, refusalsOf } from './reference.ts';
import { KeyNote, KeyPicker, Sample } from './Sample.tsx';
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
  const request = (
    <>
      <Sample samples={samples} label={name}>
        <KeyPicker />
      </Sample>
      <KeyNote route={route} />
    </>
  );
  return (
    <>
      <Beside sample={request} more={<Parameters route={route} name={name} />}>
        <p className="text-16">
          <Method route={route} /> <code>{route.path}</code>
        </p>
        <Description text={route.description ?? ''} />
      </Beside>
      <Beside
        sample={
          <CodeBlock code={JSON.stringify(reply, null, 2)} language="json" label={`Response of ${name}`} />
        }
      >
        <h3>Responses</h3>
        <p>
          <StatusCode status={route.status} />
        </p>
        <FieldTable label={`Response fields of ${name}`} fields={fieldsOf(route, 'reply')} />
      </Beside>
      <Beside
        sample={
          <CodeBlock
            code={JSON.stringify({ [required]: [REQUIRED] }, null, 2)}
            language="json"
            label={`Field errors of ${name}`}
          />
        }
      >
        <h3>Errors</h3>
        <p>
          <StatusCode status={400} /> A field is missing or invalid. Each has a list of messages.
        </p>
        <p>All other errors have a message and a stable reason:</p>
        <RefusalTable label={`Errors of ${name}`} refusals={refusalsOf(route)} />
      </Beside>
    </>
  );
}

export const Method = ({ route }: { route: Route }) => (
  <strong className="font-mono text-[0.85em] text-accent">{route.method}</strong>
);

const Parameters = ({ route, name }: Pick<Props, 'route' | 'name'>) => (
  <>
    <h3>Parameters</h3>
    <FieldTable label={`Parameters of ${name}`} fields={fieldsOf(route, 'body')} />
    {route.idempotent ? (
      <p className="mt-[0.9rem]">
        To retry safely, send an <code>Idempotency-Key</code> header of your choice. For 24 hours, the same
        key and body get the same response, and nothing is sent or charged twice.
      </p>
    ) : null}
  </>
);

/** The description of a call in OpenAPI: paragraphs, with code between backticks. */
const Description = ({ text }: { text: string }) =>
  text
    .split('\n\n')
    .map((paragraph) => (
      <p key={paragraph}>
        {paragraph
          .split('`')
          .map((part, position) => (position % 2 === 1 ? <code key={part}>{part}</code> : part))}
      </p>
    ));
