import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { IconBrandTelegram, IconBrandWhatsapp, IconMail, IconMessage, IconPhone } from '@tabler/icons-react';

/** How screens show each channel: its message in the inbox, its name in a sentence, and its icon. */
export const CHANNELS_SHOWN = {
  sms: { message: 'SMS', noun: 'SMS', Icon: IconMessage },
  voice: { message: 'Voice call', noun: 'voice', Icon: IconPhone },
  email: { message: 'Email', noun: 'email', Icon: IconMail },
  whatsapp: { message: 'WhatsApp message', noun: 'WhatsApp', Icon: IconBrandWhatsapp },
  telegram: { message: 'Telegram message', noun: 'Telegram', Icon: IconBrandTelegram },
} as const satisfies Record<Channel, object>;

export const labelOf = (channel: Channel): string => factsOf(channel).label;
