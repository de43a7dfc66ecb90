import { ENVIRONMENT_CARRIERS } from '../../environment-carriers.ts';
import { carrierFacts } from './facts.ts';

export const smtp = carrierFacts({
  label: ENVIRONMENT_CARRIERS.smtp,
  help: 'A mail server, or the SMTP access of a mail provider.',
  group: 'Mail',
  suggestedName: 'mail',
  serves: ['email'],
  reports: 'none',
  fields: [
    {
      name: 'host',
      label: 'Mail server',
      help: 'Its host name, without smtp:// and without a port.',
      placeholder: 'smtp.example.com',
      receivesSecret: true,
    },
    {
      name: 'encryption',
      label: 'Encryption',
      help: 'With a password, the connection is always encrypted.',
      receivesSecret: true,
      options: [
        { value: 'starttls', label: 'STARTTLS (usually port 587)' },
        { value: 'tls', label: 'TLS from the start (usually port 465)' },
      ],
    },
    {
      name: 'port',
      label: 'Port',
      help: 'Leave empty for the usual port.',
      placeholder: '587',
      isOptional: true,
      receivesSecret: true,
    },
    {
      name: 'username',
      label: 'User name',
      help: 'Leave empty if the server needs no login.',
      isOptional: true,
      receivesSecret: true,
    },
    {
      name: 'password',
      label: 'Password',
      help: 'Many providers call it an SMTP key or an app password.',
      isOptional: true,
      isSecret: true,
      goesWith: 'username',
    },
    {
      name: 'from',
      label: 'Sender',
      help: 'An address that the mail server may send from, with or without a name.',
      placeholder: 'Acme <no-reply@example.com>',
    },
    {
      name: 'dkim_selector',
      label: 'DKIM selector',
      help: 'Only if the mail server does not sign. npm start -- dkim makes a key and its DNS record.',
      placeholder: 'otp1',
      isOptional: true,
    },
    {
      name: 'dkim_key',
      label: 'DKIM private key',
      help: 'In one line, as the command prints it.',
      isOptional: true,
      isSecret: true,
      goesWith: 'dkim_selector',
    },
    {
      name: 'bounce_domain',
      label: 'Bounce domain',
      help: 'Each message then has its own address for bounces, such as bounce+…@bounces.example.com. Your mail server gives these mails to Sixdigit.',
      placeholder: 'bounces.example.com',
      isOptional: true,
    },
  ],
});
