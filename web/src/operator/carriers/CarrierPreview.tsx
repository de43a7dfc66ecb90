import { Alert, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import {
  CARRIER_KIND_FACTS,
  type CarrierFieldName,
  type CarrierKind,
  type CarrierPreview as Preview,
  previewCarrier,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keepPrevious, read } from '../../api/read.ts';
import { Badge } from '../../ui/Badge.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { Folded } from '../../ui/Folded.tsx';

const DEBOUNCE_MS = 400;

interface Props {
  kind: CarrierKind;
  values: Partial<Record<CarrierFieldName, string>>;
}

/** The request for an example message and the meaning of a sample report, while the operator types. Secrets stay in the browser. */
export const CarrierPreview = ({ kind, values }: Props) => (
  <div className="col-span-full">
    <Folded title="Preview" about="the request, and what a report means" mustOpen={kind === 'custom'}>
      {(isOpen) => (isOpen || kind === 'custom' ? <Previewed kind={kind} values={values} /> : null)}
    </Folded>
  </div>
);

function Previewed({ kind, values }: Props) {
  const [sample, setSample] = useState('');
  const { fields } = CARRIER_KIND_FACTS[kind];
  const open = Object.fromEntries(
    fields.flatMap(({ name, isSecret }) => (isSecret || !values[name] ? [] : [[name, values[name]]])),
  );
  const [wanted] = useDebouncedValue(JSON.stringify({ kind, ...open, sample }), DEBOUNCE_MS);
  const { data } = useQuery(
    read(previewCarrier, { body: JSON.parse(wanted) as Given<typeof previewCarrier, 'body'> }, keepPrevious),
  );
  return (
    <>
      <div aria-live="polite" className="grid gap-3">
        {data?.problems.length ? (
          <Alert color="red" title="The record cannot be used yet">
            <ul className="m-0 ps-4">
              {data.problems.map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          </Alert>
        ) : null}
        {data?.warning ? <Alert color="orange">{data.warning}</Alert> : null}
        {data?.request ? (
          <CodeBlock label="Example request" title="Example request" code={written(data.request)} isWrapped />
        ) : null}
        {data?.feedback ? (
          <CodeBlock
            label="Request after a right code"
            title="Request after a right code"
            code={written(data.feedback)}
            isWrapped
          />
        ) : null}
      </div>
      <Textarea
        label="Sample report"
        description="Paste the body of a delivery report from the company’s documents, as JSON or as a form."
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        value={sample}
        onChange={({ currentTarget }) => setSample(currentTarget.value)}
      />
      <div aria-live="polite" className="grid gap-2">
        {data?.sample_problem ? <small className="text-red">{data.sample_problem}</small> : null}
        {data?.reports?.length === 0 ? <small>It contains no delivery report.</small> : null}
        {data?.reports?.map((report, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: reports have no identity
          <Report key={at} report={report} />
        ))}
      </div>
    </>
  );
}

const MEANINGS = {
  delivered: { tone: 'green', text: 'Delivered' },
  undelivered: { tone: 'red', text: 'Not delivered: the credit is returned' },
  sent: { tone: 'gray', text: 'Sent' },
  other: { tone: 'gray', text: 'Not final' },
  unknown: { tone: 'orange', text: 'Unknown: changes nothing' },
} as const;

const Report = ({ report }: { report: NonNullable<Preview['reports']>[number] }) => {
  const { tone, text } = MEANINGS[report.state];
  const facts = [
    ['Status', report.status],
    ['Reason', report.reason],
    ['Message id', report.provider_message_id],
    ['Our id', report.otp_id],
    ['Reference', report.has_reference ? 'found' : null],
    ['Price', report.price],
    ['Network', report.network],
  ].filter(([, value]) => value !== null);
  return (
    <div className="rounded-10 border border-line p-3">
      <Badge tone={tone}>{text}</Badge>
      <dl className="mt-2 mb-0 grid gap-1 text-13">
        {facts.map(([name, value]) => (
          <div key={name} className="flex gap-2">
            <dt className="text-ink-soft">{name}</dt>
            <dd className="m-0 wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
};

function written({ method, url, headers, body }: NonNullable<Preview['request']>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${url}`, ...lines, '', readable(body)].join('\n');
}

function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    const fields = [...new URLSearchParams(body)].map(([name, value]) => `${name}=${value}`);
    return fields.join('\n');
  }
}
