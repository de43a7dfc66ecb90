import { Input, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { CARRIER_KIND_FACTS, CARRIER_KINDS } from '@sixdigit/contract/operator/carrier-setups.ts';
import { type ReactNode, useState } from 'react';
import { SegmentedControl } from '../../ui/SegmentedControl.ts';
import { linesOf, lineText, RECORD_PARTS, type RecordPart, readText, withValue } from './record-text.ts';

interface Props {
  value?: string;
  onChange: (value: string) => void;
  error?: ReactNode;
  help: string;
}

const PRESETS = CARRIER_KINDS.filter((kind) => CARRIER_KIND_FACTS[kind].preset);

/** A carrier's record as a form of its usual parts, or as JSON. */
export function RecordField({ value = '', onChange, error, help, ...input }: Props) {
  const [isJson, setJson] = useState(false);
  const record = readText(value);
  return (
    <section className="col-span-full grid gap-4" aria-label="Record">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <NativeSelect
          label="Begin with the record of"
          data={[
            { value: '', label: 'Choose a company' },
            ...PRESETS.map((kind) => ({ value: kind, label: CARRIER_KIND_FACTS[kind].label })),
          ]}
          value=""
          onChange={({ currentTarget }) => {
            const kind = PRESETS.find((one) => one === currentTarget.value);
            if (kind) onChange(JSON.stringify(CARRIER_KIND_FACTS[kind].preset?.record, null, 2));
          }}
        />
        <SegmentedControl
          size="xs"
          aria-label="How to edit the record"
          value={isJson || !record ? 'json' : 'form'}
          disabled={!record}
          onChange={(chosen) => setJson(chosen === 'json')}
          data={[
            { value: 'form', label: 'Form' },
            { value: 'json', label: 'JSON' },
          ]}
        />
      </div>
      {isJson || !record ? (
        <Textarea
          {...input}
          label="Record"
          description={help}
          error={error}
          autosize
          minRows={10}
          maxRows={24}
          spellCheck={false}
          autoCapitalize="none"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      ) : (
        <>
          <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
            {RECORD_PARTS.map((part) => (
              <Part key={part.path} part={part} record={record} onChange={onChange} />
            ))}
          </div>
          {error ? <Input.Error role="alert">{error}</Input.Error> : null}
        </>
      )}
    </section>
  );
}

interface PartProps {
  part: RecordPart;
  record: Record<string, unknown>;
  onChange: (value: string) => void;
}

function Part({ part, record, onChange }: PartProps) {
  const { path, label, help, isList, options } = part;
  // While an entry is not readable yet, the typed text stays.
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? lineText(record, part);
  const change = (text: string) => {
    const next = linesOf(part, text);
    setTyped(next === undefined ? text : undefined);
    if (next !== undefined) onChange(withValue(record, path, next));
  };
  const shared = {
    label,
    description: help,
    value: shown,
    spellCheck: false,
    autoCapitalize: 'none',
    autoComplete: 'off',
    error: typed === undefined ? undefined : 'This is not complete yet.',
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => change(currentTarget.value),
  };
  if (options) return <NativeSelect {...shared} data={[...options]} />;
  return isList ? (
    <Textarea {...shared} className="col-span-full" autosize minRows={2} maxRows={12} />
  ) : (
    <TextInput {...shared} />
  );
}
