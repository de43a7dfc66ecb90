import { carrierFacts, sendersField } from './facts.ts';

export const aws = carrierFacts({
  label: 'AWS End User Messaging',
  help: 'SMS of Amazon Web Services. It reports no deliveries in time.',
  group: 'Message company',
  suggestedName: 'aws',
  serves: ['sms'],
  fields: [
    {
      name: 'access_key_id',
      label: 'Access key ID',
      help: 'Of a user that may call sms-voice:SendTextMessage.',
      placeholder: 'AKIA…',
      receivesSecret: true,
    },
    { name: 'secret_access_key', label: 'Secret access key', help: 'Of the same user.', isSecret: true },
    {
      name: 'region',
      label: 'Region',
      help: 'Where the sender is registered.',
      placeholder: 'eu-central-1',
      receivesSecret: true,
    },
    {
      name: 'from',
      label: 'Sender',
      help: 'A number, a sender name, or the id of a pool. Leave empty to let AWS choose.',
      isOptional: true,
    },
    sendersField,
    {
      name: 'configuration_set',
      label: 'Configuration set',
      help: 'Its name, for events in your AWS account.',
      isOptional: true,
    },
    {
      name: 'api_url',
      label: 'API address',
      help: 'Only for a proxy.',
      placeholder: 'https://sms-voice.eu-central-1.amazonaws.com',
      default: 'https://sms-voice.{region}.amazonaws.com',
      isOptional: true,
      receivesSecret: true,
    },
  ],
  preset: {
    record: {
      send: {
        url: '{api_url}/',
        headers: {
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': 'PinpointSMSVoiceV2.SendTextMessage',
        },
        auth: {
          type: 'aws4',
          key_id: '{access_key_id}',
          secret: '{secret_access_key}',
          region: '{region}',
          service: 'sms-voice',
        },
        format: 'json',
        body: {
          DestinationPhoneNumber: '{to}',
          OriginationIdentity: '{from}',
          MessageBody: '{text}',
          MessageType: 'TRANSACTIONAL',
          ConfigurationSetName: '{configuration_set}',
          TimeToLive: '{seconds_left}',
        },
        seconds_left: [5, 259_200],
        id: 'MessageId',
        error: ['Reason', '__type'],
        errors: {
          DESTINATION_PHONE_NUMBER_OPTED_OUT: 'opted_out',
          DESTINATION_COUNTRY_BLOCKED: 'next_carrier',
          PRICE_OVER_THRESHOLD: 'next_carrier',
          SENDER_ID_NOT_REGISTERED: 'carrier_down',
          SENDER_ID_REQUIRES_REGISTRATION: 'carrier_down',
          ThrottlingException: 'retry',
          InternalServerException: 'retry',
          AccessDeniedException: 'carrier_down',
          UnrecognizedClientException: 'carrier_down',
          InvalidSignatureException: 'carrier_down',
          ServiceQuotaExceededException: 'carrier_down',
          ResourceNotFoundException: 'carrier_down',
        },
      },
    },
    notes: [
      'Sixdigit reads no delivery reports: AWS’s events can take 72 hours, and its document says not to use them to detect delays. A message stays sent.',
    ],
    sources: [
      { what: 'the request, its errors and the signature', from: 'code' },
      { what: 'how late events can be', from: 'document' },
    ],
  },
});
