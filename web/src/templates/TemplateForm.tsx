import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import {
  createTemplate,
  listTemplates,
  previewTemplate,
  type Template,
  type TemplateChannel,
  type TemplateText,
  updateTemplate,
} from '@sixdigit/contract/templates.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { keepPrevious, read } from '../api/read.ts';
import { AdvancedSettings } from '../form/AdvancedSettings.tsx';
import type { BodyForm } from '../form/Form.tsx';
import { FormDialog } from '../form/FormDialog.tsx';
import { countryText } from '../payments/send-prices.ts';
import { LANGUAGE_CHOICES, languageName } from '../ui/display-names.ts';
import { MailFrame } from '../ui/MailFrame.tsx';
import { countOf } from '../ui/numbers.ts';
import { bodyOf, NEW_TEXT, type TextValues, textOf, valuesOf } from './templates.ts';

interface Dialog {
  opened: boolean;
  onClose: () => void;
  /** undefined: a new one */
  template: Template | undefined;
}

const NEW = { name: '', texts: [NEW_TEXT], entity_id: '', template_id: '' };

/** Creates a template, or replaces one. Sends that are already accepted keep their text. */
export const TemplateDialog = ({ template, ...dialog }: Dialog) => (
  <FormDialog
    {...dialog}
    title={template ? 'Edit Template' : 'Create Template'}
    size="lg"
    description="Put {code} where the code goes. {brand} is your sender name, {minutes} the time the code is valid, and other names in braces are your variables."
    confirm={template ? 'Save Changes' : 'Create Template'}
    busy="Saving..."
    success={template ? 'Template changed' : 'Template created'}
    refresh={[listTemplates]}
    formKey={template?.id}
    form={{
      schema: createTemplate.body,
      initialValues: template ? valuesOf(template) : NEW,
      toBody: bodyOf,
      submit: (body) =>
        template
          ? call(updateTemplate, { params: { id: template.id }, body })
          : call(createTemplate, { body }),
      failure: 'Failed to save the template',
    }}
  >
    {(form) => (
      <>
        <TextInput
          label="Name"
          placeholder="order"
          autoComplete="off"
          data-autofocus
          {...form.field('name')}
        />
        <Texts form={form} />
        <AdvancedSettings form={form} names={['dlt']} about="DLT ids for India">
          <TextInput
            label="DLT entity ID"
            description="For SMS to India: the ids under which the text is registered."
            inputMode="numeric"
            autoComplete="off"
            {...form.field('entity_id')}
            error={form.fields.errors.dlt}
          />
          <TextInput
            label="DLT template ID"
            inputMode="numeric"
            autoComplete="off"
            {...form.field('template_id')}
          />
        </AdvancedSettings>
      </>
    )}
  </FormDialog>
);

const CHANNELS: { value: TemplateChannel; label: string }[] = [
  { value: 'sms', label: 'SMS' },
  { value: 'email', label: 'Email' },
];

const nameOf = ({ channel, locale }: TextValues): string =>
  `${channel === 'sms' ? 'SMS' : 'Email'}, ${languageName(locale)}`;

/** One text at a time, so that the dialog stays short with many languages. */
// biome-ignore lint/suspicious/noExplicitAny: the form's response
function Texts({ form }: { form: BodyForm<typeof NEW, any> }) {
  const { texts } = form.fields.values;
  const [chosen, choose] = useState(0);
  const at = Math.min(chosen, texts.length - 1);
  const text = texts[at] ?? NEW_TEXT;
  const replace = (all: TextValues[]): void => form.fields.setFieldValue('texts', all);
  const change = (part: Partial<TextValues>): void =>
    replace(texts.map((one, place) => (place === at ? { ...one, ...part } : one)));
  const isListed = LANGUAGE_CHOICES.some(({ value }) => value === text.locale);
  return (
    <fieldset className="m-0 grid min-w-0 gap-4 border-0 p-0" aria-label="Texts">
      <div className="flex flex-wrap items-end gap-2">
        <NativeSelect
          className="min-w-40 flex-1"
          label="Text"
          value={String(at)}
          onChange={(event) => choose(Number(event.currentTarget.value))}
          data={texts.map((one, place) => ({ value: String(place), label: nameOf(one) }))}
        />
        <Button
          variant="default"
          onClick={() => {
            replace([...texts, { ...NEW_TEXT, channel: text.channel }]);
            choose(texts.length);
          }}
        >
          Add Text
        </Button>
        {texts.length > 1 ? (
          <Button variant="default" onClick={() => replace(texts.filter((_, place) => place !== at))}>
            Remove Text
          </Button>
        ) : null}
      </div>
      <div className="grid grid-cols-2 items-start gap-4">
        <NativeSelect
          label="Channel"
          data={CHANNELS}
          value={text.channel}
          onChange={(event) => change({ channel: event.currentTarget.value as TemplateChannel })}
        />
        <NativeSelect
          label="Language"
          data={
            isListed ? LANGUAGE_CHOICES : [...LANGUAGE_CHOICES, { value: text.locale, label: text.locale }]
          }
          value={text.locale}
          onChange={(event) => change({ locale: event.currentTarget.value })}
        />
      </div>
      {text.channel === 'email' ? (
        <TextInput
          label="Subject"
          description="Leave empty for the default subject. With {code}, locked screens show the code."
          autoComplete="off"
          value={text.subject}
          onChange={(event) => change({ subject: event.currentTarget.value })}
        />
      ) : null}
      <Textarea
        label="Message"
        placeholder="Order {order} at {brand}: {code}"
        data-path="texts"
        dir="auto"
        autosize
        minRows={3}
        maxRows={8}
        value={text.text}
        onChange={(event) => change({ text: event.currentTarget.value })}
        error={form.fields.errors.texts}
      />
      <TemplatePreview text={textOf(text)} />
    </fieldset>
  );
}

const DEBOUNCE_MS = 400;
const PRICES_MOST = 8;

/** The text as a recipient gets it, with its segments and prices, while the user types. Variables show their names. */
function TemplatePreview({ text }: { text: TemplateText }) {
  const isValid = previewTemplate.body.safeParse(text).success;
  const [wanted] = useDebouncedValue(isValid ? JSON.stringify(text) : undefined, DEBOUNCE_MS);
  const { data } = useQuery(
    read(
      previewTemplate,
      { body: JSON.parse(wanted ?? '{}') as TemplateText },
      { enabled: wanted !== undefined, staleTime: 60_000, ...keepPrevious },
    ),
  );
  if (!data || !isValid)
    return <p className="m-0 text-13 text-ink-soft">The preview appears when the message is complete.</p>;
  const { html, segments, problem, prices } = data;
  return (
    <section aria-label="Preview" className="grid gap-3">
      {html === null ? (
        <p
          dir="auto"
          className="m-0 max-w-96 rounded-16 rounded-bl-4 bg-sunken px-3.5 py-2.5 text-15 wrap-anywhere whitespace-pre-wrap"
        >
          {data.text}
        </p>
      ) : (
        <>
          <p className="m-0 text-14 font-600 wrap-anywhere">{data.subject}</p>
          <MailFrame html={html} title="Email preview" />
        </>
      )}
      <dl className="m-0 flex flex-wrap gap-x-8 gap-y-2 text-14" aria-label="Size and price">
        {segments === null ? null : (
          <div>
            <dt className="text-13 text-ink-soft">Segments</dt>
            <dd className="m-0 tabular-nums">{segments}</dd>
          </div>
        )}
        {prices.slice(0, PRICES_MOST).map(({ country, credits }) => (
          <div key={country}>
            <dt className="text-13 text-ink-soft">{prices.length === 1 ? 'Price' : countryText(country)}</dt>
            <dd className="m-0 tabular-nums">{countOf(credits, 'credit')}</dd>
          </div>
        ))}
      </dl>
      <p className="m-0 text-14 wrap-anywhere text-error empty:hidden" role="status">
        {problem}
      </p>
    </section>
  );
}
